// LimitRange: what single objects of a namespace may ask for. Kept as data: nobody is held to it here.
import { type JsonObject, objectAt, objectsAt, textAt } from "../../../meta/json.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";
import { builtIn } from "../../define.ts";
import { emptyListsToNull, ensureObject } from "../../fields.ts";
import { validateLimits } from "./limitrange-validation.ts";

/** Containers without a limit get the greatest that is allowed, those without a request their limit. */
function applyDefaults(object: KubeObject): void {
  for (const item of objectsAt(objectAt(object, "spec"), "limits")) {
    if (textAt(item, "type") !== "Container") continue;
    fillIn(item, "default", "max");
    fillIn(item, "defaultRequest", "default");
    fillIn(item, "defaultRequest", "min");
  }
}

/** Takes over what the target does not say. */
function fillIn(item: JsonObject, target: string, source: string): void {
  const amounts = objectAt(item, source) ?? {};
  if (Object.keys(amounts).length > 0) item[target] = { ...amounts, ...objectAt(item, target) };
}

const withoutEmptyLimits = (object: KubeObject): void =>
  emptyListsToNull(ensureObject(object, "spec"), ["limits"]);

export const limitRanges = builtIn("v1", "LimitRange", {
  shortNames: ["limits"],
  strategy: {
    metadataChecksOnUpdate: ["new"],
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: true,
    applyDefaults,
    prepareForCreate(object, context) {
      if ((object.metadata.name ?? "") === "") object.metadata.name = context.ids.uid();
      withoutEmptyLimits(object);
    },
    prepareForUpdate: withoutEmptyLimits,
    validate: validateLimits,
    validateUpdate: validateLimits,
  },
});

// pods/ephemeralcontainers (kubectl debug): containers are added to a pod that runs, and never changed or taken away.
import { type FieldError, forbidden } from "../../../../meta/field-error.ts";
import { equalJson, type JsonObject, objectAt, objectsAt, textAt } from "../../../../meta/json.ts";
import type { KubeObject } from "../../../../meta/object-meta.ts";
import type { Strategy } from "../../../../registry/definition/strategy.ts";
import { ensureObject } from "../../../fields.ts";
import { validatePod } from "../validation.ts";
import { isStaticPod, keepAllBut } from "./kept-fields.ts";

const FIELD = "spec.ephemeralContainers";

function validateUpdate(object: Readonly<JsonObject>, old: Readonly<KubeObject>): FieldError[] {
  if (isStaticPod(old)) return [forbidden("", "static pods do not support ephemeral containers")];
  const now = containersByName(object);
  const kept = [...containersByName(old)].flatMap(([name, container]) => {
    const present = now.get(name);
    if (present !== undefined && equalJson(present, container)) return [];
    const what = present === undefined ? "removed" : "changed";
    return [forbidden(FIELD, `existing ephemeral containers ${JSON.stringify(name)} may not be ${what}\n`)];
  });
  return [...validatePod(object), ...kept];
}

const containersByName = (pod: Readonly<JsonObject>): Map<string, JsonObject> =>
  new Map(
    objectsAt(objectAt(pod, "spec"), "ephemeralContainers").map((item) => [textAt(item, "name"), item]),
  );

export const ephemeralContainers: Strategy = {
  allowUnconditionalUpdate: true,
  resetFields: [["status"]],
  prepareForUpdate(object, old) {
    const added = objectsAt(objectAt(object, "spec"), "ephemeralContainers");
    keepAllBut(object, old, () => {
      const spec = ensureObject(object, "spec");
      if (added.length > 0) spec["ephemeralContainers"] = added;
      else delete spec["ephemeralContainers"];
    });
  },
  validateUpdate,
};

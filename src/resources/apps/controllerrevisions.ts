// ControllerRevision: one state of a controller's template, in a form that only the controller understands.
import { type FieldError, required } from "../../meta/field-error.ts";
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { AGE, column, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";
import { isTrue } from "../fields.ts";
import { validateNotNegative } from "../numbers.ts";
import { validateSame } from "../references.ts";

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  return {
    cells: [
      textAt(metadata, "name"),
      controllerCell(metadata),
      numberAt(object, "revision") ?? 0,
      timeSince(metadata, "creationTimestamp", nowMs),
    ],
  };
};

/** "daemonset.apps/name" */
function controllerCell(metadata: JsonObject | undefined): string {
  const owner = objectsAt(metadata, "ownerReferences").find((reference) => isTrue(reference, "controller"));
  if (owner === undefined) return "<none>";
  const [group] = textAt(owner, "apiVersion").split("/");
  const kind = textAt(owner, "kind").toLowerCase();
  const named = textAt(owner, "apiVersion").includes("/") ? `${kind}.${group}` : kind;
  return `${named}/${textAt(owner, "name")}`;
}

const validate = (object: Readonly<JsonObject>): FieldError[] => [
  ...(object["data"] === undefined || object["data"] === null ? [required("data", "data is mandatory")] : []),
  ...validateNotNegative("", object, ["revision"]).map((error) => ({ ...error, field: "revision" })),
];

const strategy: Strategy = {
  metadataChecksOnUpdate: ["changed", "new"],
  allowUnconditionalUpdate: true,
  validate,
  validateUpdate: (object, old) => [
    ...validate(object),
    ...validateSame("data", object["data"], old["data"]),
  ],
};

export const controllerRevisions = builtIn("apps/v1", "ControllerRevision", {
  columns: [
    NAME,
    column("Controller", "The controller that it belongs to."),
    column("Revision", "Number of the state."),
    AGE,
  ],
  printRow,
  strategy,
});

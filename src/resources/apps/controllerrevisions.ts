// ControllerRevision: one state of a controller's template, in a form that only the controller understands.
import { type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { AGE, column, NAME, numberIn } from "../columns.ts";
import { builtIn } from "../define.ts";
import { isTrue } from "../fields.ts";

/** "daemonset.apps/name" */
function controllerCell(object: Readonly<JsonObject>): string {
  const owners = objectsAt(objectAt(object, "metadata"), "ownerReferences");
  const owner = owners.find((reference) => isTrue(reference, "controller"));
  if (owner === undefined) return "<none>";
  const [group] = textAt(owner, "apiVersion").split("/");
  const kind = textAt(owner, "kind").toLowerCase();
  const named = textAt(owner, "apiVersion").includes("/") ? `${kind}.${group}` : kind;
  return `${named}/${textAt(owner, "name")}`;
}

export const controllerRevisions = builtIn("apps/v1", "ControllerRevision", {
  columns: [
    NAME,
    column("Controller", "The controller that it belongs to.", controllerCell),
    column("Revision", "Number of the state.", numberIn("revision")),
    AGE,
  ],
  strategy: { metadataChecksOnUpdate: ["changed", "new"], allowUnconditionalUpdate: true },
});

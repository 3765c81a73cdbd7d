// CustomResourceDefinition: the object itself. Its validation is in the files of this folder; crd/ serves its kind.
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Strategy } from "../registry/definition/resource-definition.ts";
import { builtIn } from "../registry/strategy/define.ts";
import { ensureObject, isTrue, setDefault } from "../registry/strategy/fields.ts";
import { CLEANUP_FINALIZER, markTerminating } from "./conditions.ts";
import { validateCrdElsewhere } from "./validate-crd-job.ts";
import { formatWarnings } from "./validation/format-warnings.ts";
import { unservableReason } from "./validation/servable.ts";
import { crdNameComplaints, validateCrd, validateCrdStatus } from "./validation/validate-crd.ts";

function applyDefaults(object: KubeObject): void {
  const spec = ensureObject(object, "spec");
  const names = ensureObject(spec, "names");
  const kind = textAt(names, "kind");
  setDefault(names, "singular", kind.toLowerCase());
  if (kind !== "") setDefault(names, "listKind", `${kind}List`);
}

/** The storage version is added to status.storedVersions. */
function recordStorageVersion(object: KubeObject): void {
  const status = ensureObject(object, "status");
  const stored = textsAt(status, "storedVersions");
  const version = objectsAt(objectAt(object, "spec"), "versions").find((item) => isTrue(item, "storage"));
  const name = textAt(version, "name");
  if (version !== undefined && !stored.includes(name)) status["storedVersions"] = [...stored, name];
}

function emptyStatus(): JsonObject {
  return { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: null };
}

const strategy: Strategy = {
  importComplaint: unservableReason,
  hasGeneration: true,
  resetFields: [["status"]],
  deletesByUid: true,
  finalizersOnDelete: [CLEANUP_FINALIZER],
  prepareForDelete: (object, context) => markTerminating(object, context.clock.now()),
  applyDefaults,
  prepareForCreate(object) {
    object["status"] = emptyStatus();
    recordStorageVersion(object);
  },
  prepareForUpdate(object, old) {
    object["status"] = { ...objectAt(old, "status") };
    recordStorageVersion(object);
  },
  validateName: crdNameComplaints,
  validate: (crd) => validateCrd(crd),
  validateUpdate: (crd, old) => validateCrd(crd, old),
  validateElsewhere: validateCrdElsewhere,
  warnings: formatWarnings,
};

/**
 * A status update may change metadata, which has no owner there. Upstream intends to preserve the old metadata but does
 * not.
 */
const status: Strategy = {
  resetFields: [["metadata"], ["spec"]],
  prepareForUpdate(object, old) {
    object["spec"] = old["spec"];
  },
  validateUpdate: validateCrdStatus,
};

export const customResourceDefinitions = builtIn("apiextensions.k8s.io/v1", "CustomResourceDefinition", {
  type: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  namespaceScoped: false,
  strategy,
  status,
  storagePrefix: "apiextensions.k8s.io/customresourcedefinitions",
});

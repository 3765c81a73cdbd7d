// Namespace: its life is Active, then Terminating until spec.finalizers is empty and nothing is left in it.

import { type FieldError, invalid } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt, textsAt } from "../../meta/json.ts";
import { isQualifiedName, nameIsDnsLabel, validateFinalizerOwner } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Strategy } from "../../registry/definition/resource-definition.ts";
import { schemaRef } from "../../schema/go/schema-library.ts";
import { formErrors } from "../checks.ts";
import { AGE, column, NAME } from "../columns.ts";
import { builtIn } from "../define.ts";
import { ensureObject, keeping } from "../fields.ts";

const TYPE = "io.k8s.api.core.v1.Namespace";
const NAME_LABEL = "kubernetes.io/metadata.name";
const CONTENT_FINALIZER = "kubernetes";
const SECURITY_LABEL = /^pod-security\.kubernetes\.io\/(enforce|audit|warn)(-version)?$/;
const SECURITY_LEVELS = ["privileged", "baseline", "restricted"];
const SECURITY_VERSION = /^(latest|v1\.(0|[1-9]\d*))$/;

/** Every namespace carries its name as a label; one that is named by generateName gets it when it has a name. */
function labelWithName({ metadata }: KubeObject): void {
  if (!metadata.name) return;
  metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name };
}

function prepareForCreate(object: KubeObject): void {
  labelWithName(object);
  object["status"] = { phase: "Active" };
  const spec = ensureObject(object, "spec");
  const finalizers = textsAt(spec, "finalizers");
  if (!finalizers.includes(CONTENT_FINALIZER)) finalizers.push(CONTENT_FINALIZER);
  spec["finalizers"] = finalizers;
}

/** The labels by which the PodSecurity admission is set up have fixed values. */
function validateSecurityLabels({ metadata }: Readonly<KubeObject>): FieldError[] {
  return Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    const match = SECURITY_LABEL.exec(key);
    if (match === null) return [];
    const field = `metadata.labels[${key}]`;
    const [isKnown, rule] = match[2]
      ? [SECURITY_VERSION.test(value), 'must be "latest" or "v1.x"']
      : [SECURITY_LEVELS.includes(value), `must be one of ${SECURITY_LEVELS.join(", ")}`];
    return isKnown ? [] : [invalid(field, value, rule)];
  });
}

/** Those of the content, under the name of their place. */
const validateFinalizers = (object: Readonly<JsonObject>, fieldAt: (index: number) => string): FieldError[] =>
  textsAt(objectAt(object, "spec"), "finalizers").flatMap((finalizer, index) => [
    ...formErrors(isQualifiedName, fieldAt(index), finalizer),
    ...validateFinalizerOwner(finalizer, fieldAt(index)),
  ]);

/** The phase follows from the deletion; it cannot be chosen. */
function validateStatus(object: Readonly<KubeObject>): FieldError[] {
  const phase = textAt(objectAt(object, "status"), "phase");
  const deleting = Boolean(object.metadata.deletionTimestamp);
  const [word, empty] = deleting ? ["Terminating", "not empty"] : ["Active", "empty"];
  if (phase === word) return [];
  return [invalid("status.Phase", phase, `may only be '${word}' if \`deletionTimestamp\` is ${empty}`)];
}

const strategy: Strategy = {
  metadataChecksOnUpdate: ["new", "changed"],
  allowUnconditionalUpdate: true,
  resetFields: [["status"]],
  validateName: nameIsDnsLabel,
  applyDefaults: labelWithName,
  prepareForCreate,
  prepareForUpdate(object, old) {
    for (const part of ["spec", "status"]) object[part] = old[part] ?? {};
  },
  deletesByUid: true,
  holdsDeletion: (object) => textsAt(objectAt(object, "spec"), "finalizers").length > 0,
  prepareForDelete(object) {
    delete object.metadata.deletionGracePeriodSeconds;
    ensureObject(object, "status")["phase"] = "Terminating";
  },
  validate: (object) => [
    ...validateFinalizers(object, () => "spec.finalizers"),
    ...validateSecurityLabels(object),
  ],
  validateUpdate: validateSecurityLabels,
};

/** The finalizers of the content are taken away here and nowhere else. */
const finalize: Strategy = {
  ...keeping("status"),
  validateUpdate: (object) => validateFinalizers(object, (index) => `spec.finalizers[${index}]`),
};

export const namespaces = builtIn("v1", "Namespace", {
  shortNames: ["ns"],
  namespaceScoped: false,
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  columns: [NAME, column("Status", "The phase that the namespace is in.", "status.phase"), AGE],
  selectableFields: ["status.phase"],
  strategy,
  status: { ...keeping("spec"), validateUpdate: validateStatus },
  subresources: [{ name: "finalize", verbs: ["update"], schema: schemaRef(TYPE), strategy: finalize }],
});

// Namespace: its phase is Active, then Terminating until spec.finalizers is empty and its content is deleted.

import { type JsonObject, objectAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import { type FieldError, invalid } from "../../apimachinery/meta/field-error.ts";
import { isQualifiedName, nameIsDnsLabel, validateFinalizerOwner } from "../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { schemaRef } from "../../apimachinery/schema/go/schema-library.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { formErrors } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { ensureObject, keeping } from "../../apiserver/registry/strategy/fields.ts";

const TYPE = "io.k8s.api.core.v1.Namespace";
const NAME_LABEL = "kubernetes.io/metadata.name";
const CONTENT_FINALIZER = "kubernetes";
const SECURITY_LABEL = /^pod-security\.kubernetes\.io\/(enforce|audit|warn)(-version)?$/;
const SECURITY_LEVELS = ["privileged", "baseline", "restricted"];
const SECURITY_VERSION = /^(latest|v1\.(0|[1-9]\d*))$/;

/** Each namespace has its name as a label; with generateName the label is set once the name is generated. */
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

/** Labels of PodSecurity admission have fixed values. */
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

/** Finalizers of the content; field paths are the caller's. */
const validateFinalizers = (object: Readonly<JsonObject>, fieldAt: (index: number) => string): FieldError[] =>
  textsAt(objectAt(object, "spec"), "finalizers").flatMap((finalizer, index) => [
    ...formErrors(isQualifiedName, fieldAt(index), finalizer),
    ...validateFinalizerOwner(finalizer, fieldAt(index)),
  ]);

/** The phase must match the deletion state. */
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

/** Content finalizers can be removed through this subresource only. */
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

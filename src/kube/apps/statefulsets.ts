// StatefulSet: pods with stable names and volumes of their own, created by src/cluster/statefulset.

import {
  equalJson,
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
} from "../../apimachinery/json/json.ts";
import { forbidden, invalid, required } from "../../apimachinery/meta/field-error.ts";
import { isDns1123Label, nameIsDnsLabel } from "../../apimachinery/meta/names.ts";
import { partsOfApiVersion } from "../../apimachinery/meta/object-meta.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { amountOf, formErrors, invalidStruct } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME, numberIn } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import {
  eachAt,
  ensureObject,
  isTrue,
  keeping,
  nameOf,
  setDefault,
  specOf,
} from "../../apiserver/registry/strategy/fields.ts";
import { type CodeRules, objectOf } from "../../apiserver/registry/strategy/schema-rules.ts";
import { validateClaimSpec } from "../core/persistentvolumeclaims.ts";
import { claimWarnings } from "../core/pod/warnings.ts";
import {
  CONTAINER_COLUMNS,
  count,
  READY_COLUMN,
  SCALE,
  workloadRules,
  workloadStrategy,
  workloadWarnings,
} from "../workload.ts";

/** Mutable fields of the spec; all others are immutable. */
const MAY_CHANGE = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];
const UPDATE_RULE =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

const rules: CodeRules = {
  ...workloadRules({
    inSelector: "statefulset",
    inPods: "StatefulSet",
    notUnderstood: "",
    isEndlessAnyhow: true,
    looksTwice: true,
    withVolumes: withClaimedVolumes,
  }),
  claims: ({ field, owner }) =>
    eachAt(field, owner, "volumeClaimTemplates", (place, claim) => validateClaimSpec(`${place}.spec`, claim)),
  onDelete: ({ field, value }) => [
    invalidStruct(field, shownRolling(objectOf(value)), "only allowed for updateStrategy 'RollingUpdate'"),
  ],
  strategyType({ field, owner }) {
    const rolling = objectAt(owner, "rollingUpdate");
    const shown = { Type: textAt(owner, "type"), RollingUpdate: rolling ? shownRolling(rolling) : null };
    return [invalidStruct(field, shown, "must be 'RollingUpdate' or 'OnDelete'")];
  },
  step: ({ field, value }) => (amountOf(value) === 0 ? [invalid(field, value, "cannot be 0")] : []),
  /** The service name becomes part of host names. It is immutable, so only new objects are validated. */
  serviceName: ({ field, value, old }) =>
    value === "" || old !== undefined ? [] : formErrors(isDns1123Label, field, String(value)),
  fixed({ field, owner, old }) {
    if (old === undefined || equalJson(fixedPart(owner), fixedPart(old))) return [];
    return [forbidden(field, UPDATE_RULE)];
  },
};

/** Each pod gets the volumes of its claims, which replace those of the same name. */
function withClaimedVolumes(template: JsonObject, spec: JsonObject): JsonObject {
  const names = objectsAt(spec, "volumeClaimTemplates").map(nameOf);
  const claimed = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const own = specOf(template);
  const others = objectsAt(own, "volumes").filter((volume) => !names.includes(textAt(volume, "name")));
  return { ...template, spec: { ...own, volumes: [...claimed, ...others] } };
}

const fixedPart = (spec: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(spec).filter(([key]) => !MAY_CHANGE.includes(key)));

const shownRolling = (rolling: JsonObject): JsonObject => ({
  Partition: rolling["partition"] ?? 0,
  MaxUnavailable: rolling["maxUnavailable"] ?? null,
});

const base = workloadStrategy({ replicas: 0, availableReplicas: 0 });

const strategy: Strategy = {
  ...base,
  validateName: nameIsDnsLabel,
  applyDefaults(object) {
    base.applyDefaults(object);
    const update = objectAt(specOf(object), "updateStrategy");
    const rolling = objectAt(update, "rollingUpdate");
    if (rolling && update?.["type"] === "RollingUpdate") rolling["partition"] ??= 0;
    for (const claim of objectsAt(specOf(object), "volumeClaimTemplates")) {
      Object.assign(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim" });
      setDefault(ensureObject(claim, "spec"), "volumeMode", "Filesystem");
      setDefault(ensureObject(claim, "status"), "phase", "Pending");
    }
  },
  warnings(object, old) {
    const limit = count(specOf(object), "revisionHistoryLimit");
    const rule = "a negative value retains all historical revisions; a value >= 0 is recommended";
    return [
      ...workloadWarnings(object, old),
      // Upstream omits "spec" of the claim in the field path.
      ...eachAt("spec", specOf(object), "volumeClaimTemplates", (place, claim) =>
        claimWarnings(place, specOf(claim)),
      ),
      ...(limit < 0 ? [`spec.revisionHistoryLimit: ${rule}`] : []),
    ];
  },
};

export const statefulSets = builtIn("apps/v1", "StatefulSet", {
  shortNames: ["sts"],
  categories: ["all"],
  columns: [NAME, READY_COLUMN, AGE, ...CONTAINER_COLUMNS],
  strategy,
  status: keeping("spec"),
  rules,
  scale: SCALE,
});

// ControllerRevision: a snapshot of a controller's template, in the controller's own form.

/** "daemonset.apps/name" */
function controllerCell(object: Readonly<JsonObject>): string {
  const owners = objectsAt(objectAt(object, "metadata"), "ownerReferences");
  const owner = owners.find((reference) => isTrue(reference, "controller"));
  if (owner === undefined) return "<none>";
  const [group] = partsOfApiVersion(textAt(owner, "apiVersion"));
  const kind = textAt(owner, "kind").toLowerCase();
  return `${kind}${group && `.${group}`}/${textAt(owner, "name")}`;
}

export const controllerRevisions = builtIn("apps/v1", "ControllerRevision", {
  columns: [
    NAME,
    column("Controller", "The controller that it belongs to.", controllerCell),
    column("Revision", "Number of the state.", numberIn("revision")),
    AGE,
  ],
  strategy: { metadataChecksOnUpdate: ["changed", "new"], allowUnconditionalUpdate: true },
  rules: {
    isThere: ({ owner, old }) =>
      old === undefined && !isGiven(owner["data"]) ? [required("data", "data is mandatory")] : [],
    isObject: ({ field, value }) =>
      isGiven(value) && !isObject(value) ? [required(field, "data must be a valid JSON object")] : [],
  },
});

const isGiven = (data: unknown): boolean => data !== undefined && data !== null;

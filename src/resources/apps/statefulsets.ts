// StatefulSet: wants pods with fixed names and volumes of their own. Nobody here makes them.

import { type FieldError, forbidden, invalid, required } from "../../meta/field-error.ts";
import { equalJson, type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isDns1123Label, nameIsDnsLabel } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { amountOf, formErrors, invalidStruct, validateAmount, validateShare } from "../checks.ts";
import { AGE, NAME } from "../columns.ts";
import { applyTemplateDefaults } from "../core/pod/spec-validation.ts";
import { builtIn } from "../define.ts";
import { ensureObject, keeping, setDefault, specOf } from "../fields.ts";
import { type CodeRules, schemaErrors } from "../schema-rules.ts";
import {
  CONTAINER_COLUMNS,
  count,
  READY_COLUMN,
  SCALE,
  workloadRules,
  workloadStrategy,
  workloadWarnings,
} from "./workload.ts";

const ROLLING_UPDATE = "io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy";
/** All else of the spec stays as it was made. */
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

function applyDefaults(object: KubeObject): void {
  const spec = ensureObject(object, "spec");
  setDefault(spec, "podManagementPolicy", "OrderedReady");
  const update = ensureObject(spec, "updateStrategy");
  if (textAt(update, "type") === "") {
    update["type"] = "RollingUpdate";
    ensureObject(update, "rollingUpdate");
  }
  const rolling = objectAt(update, "rollingUpdate");
  if (update["type"] === "RollingUpdate" && rolling !== undefined) rolling["partition"] ??= 0;
  const retention = ensureObject(spec, "persistentVolumeClaimRetentionPolicy");
  setDefault(retention, "whenDeleted", "Retain");
  setDefault(retention, "whenScaled", "Retain");
  spec["replicas"] ??= 1;
  spec["revisionHistoryLimit"] ??= 10;
  applyTemplateDefaults(spec);
  for (const claim of objectsAt(spec, "volumeClaimTemplates")) {
    setDefault(claim, "apiVersion", "v1");
    setDefault(claim, "kind", "PersistentVolumeClaim");
    setDefault(ensureObject(claim, "spec"), "volumeMode", "Filesystem");
    setDefault(ensureObject(claim, "status"), "phase", "Pending");
  }
}

const rules: CodeRules = {
  ...workloadRules({
    inSelector: "statefulset",
    inPods: "StatefulSet",
    notUnderstood: "",
    readyReplicas: "status.readyReplicas",
  }),
  management({ field, value }) {
    if (value === "OrderedReady" || value === "Parallel") return [];
    return [invalid(field, value, "must be 'OrderedReady' or 'Parallel'")];
  },
  updateStrategy: ({ field, owner }) =>
    validateUpdateStrategy(`${field}.updateStrategy`, objectAt(owner, "updateStrategy") ?? {}),
  /** The name of the service becomes part of host names. Once made it stays, so only new objects are asked. */
  serviceName: ({ field, value, old }) =>
    value === "" || old !== undefined ? [] : formErrors(isDns1123Label, field, String(value)),
  fixed({ field, owner, old }) {
    if (old === undefined || equalJson(fixedPart(owner), fixedPart(old))) return [];
    return [forbidden(field, UPDATE_RULE)];
  },
};

const fixedPart = (spec: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(spec).filter(([key]) => !MAY_CHANGE.includes(key)));

function validateUpdateStrategy(field: string, update: JsonObject): FieldError[] {
  const type = textAt(update, "type");
  const rolling = objectAt(update, "rollingUpdate");
  if (type === "") return [required(field)];
  if (type === "OnDelete") {
    const rule = "only allowed for updateStrategy 'RollingUpdate'";
    return rolling === undefined
      ? []
      : [invalidStruct(`${field}.rollingUpdate`, shownRolling(rolling), rule)];
  }
  if (type !== "RollingUpdate") {
    const shown = { Type: type, RollingUpdate: rolling === undefined ? null : shownRolling(rolling) };
    return [invalidStruct(field, shown, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  const errors = schemaErrors(ROLLING_UPDATE, rolling ?? {}, { field: `${field}.rollingUpdate` });
  const unavailable = rolling?.["maxUnavailable"];
  if (unavailable === undefined) return errors;
  const place = `${field}.rollingUpdate.maxUnavailable`;
  append(errors, validateAmount(place, unavailable));
  if (amountOf(unavailable) === 0) errors.push(invalid(place, unavailable, "cannot be 0"));
  return [...errors, ...validateShare(place, unavailable)];
}

const shownRolling = (rolling: JsonObject): JsonObject => ({
  Partition: rolling["partition"] ?? 0,
  MaxUnavailable: rolling["maxUnavailable"] ?? null,
});

const strategy: Strategy = {
  ...workloadStrategy({ replicas: 0, availableReplicas: 0 }),
  validateName: nameIsDnsLabel,
  applyDefaults,
  warnings(object, old) {
    const limit = count(specOf(object), "revisionHistoryLimit");
    const rule = "a negative value retains all historical revisions; a value >= 0 is recommended";
    return [
      ...workloadWarnings(object, old, false),
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

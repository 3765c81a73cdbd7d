// StatefulSet: wants pods with fixed names and volumes of their own. Nobody here makes them.

import { type FieldError, forbidden, invalid, notSupported, required } from "../../meta/field-error.ts";
import { equalJson, type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isDns1123Label, nameIsDnsLabel } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { AGE, column, NAME, timeSince } from "../columns.ts";
import { applyTemplateDefaults, validateTemplateMetadata } from "../core/pod/template.ts";
import { builtIn } from "../define.ts";
import { ensureObject, setDefault } from "../fields.ts";
import { invalidStruct } from "../go-values.ts";
import { amountOf, validateAmount, validateShare } from "../int-or-percent.ts";
import { validateNotNegative } from "../numbers.ts";
import {
  CONTAINER_COLUMNS,
  containerCells,
  count,
  KEEPS_SPEC,
  keepsStatus,
  SCALE,
  specOf,
  templateOf,
  validateAvailable,
  validateCollisions,
  validateEndless,
  validateParts,
  validateSelected,
  validateSelector,
  workloadWarnings,
} from "./workload.ts";

const RETENTIONS = ["Retain", "Delete"];
const PARTS = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
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

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  return {
    cells: [
      textAt(metadata, "name"),
      `${count(objectAt(object, "status"), "readyReplicas")}/${count(specOf(object), "replicas")}`,
      timeSince(metadata, "creationTimestamp", nowMs),
      ...containerCells(object),
    ],
  };
};

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

function validate(object: Readonly<JsonObject>): FieldError[] {
  const spec = specOf(object);
  const retention = objectAt(spec, "persistentVolumeClaimRetentionPolicy");
  const start = numberAt(objectAt(spec, "ordinals"), "start") ?? 0;
  return [
    ...validateManagement(textAt(spec, "podManagementPolicy")),
    ...validateUpdateStrategy("spec.updateStrategy", objectAt(spec, "updateStrategy") ?? {}),
    ...["whenDeleted", "whenScaled"].flatMap((key) => {
      const value = textAt(retention, key);
      const field = `spec.persistentVolumeClaimRetentionPolicy.${key}`;
      return RETENTIONS.includes(value) ? [] : [notSupported(field, value, RETENTIONS)];
    }),
    ...validateNotNegative("spec", spec, ["replicas", "minReadySeconds"]),
    ...(start < 0 ? [invalid("spec.ordinals.start", start, "must be greater than or equal to 0")] : []),
    ...validateSelector(spec, "statefulset"),
    ...validateSelected(spec, ""),
    ...validateTemplateMetadata("spec.template", templateOf(object)),
    ...validateEndless(spec, "StatefulSet"),
  ];
}

/** The name of the service becomes part of host names. Once made it stays, so only new objects are asked. */
function validateNew(object: Readonly<JsonObject>): FieldError[] {
  const name = textAt(specOf(object), "serviceName");
  const complaints = name === "" ? [] : isDns1123Label(name);
  return [...validate(object), ...complaints.map((text) => invalid("spec.serviceName", name, text))];
}

function validateManagement(policy: string): FieldError[] {
  if (["OrderedReady", "Parallel"].includes(policy)) return [];
  return [invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")];
}

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
  const errors = validateNotNegative(`${field}.rollingUpdate`, rolling, ["partition"]);
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

function validateUpdate(object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const fixed = (spec: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(spec).filter(([key]) => !MAY_CHANGE.includes(key)));
  const errors = validate(object);
  if (!equalJson(fixed(specOf(object)), fixed(specOf(old)))) errors.push(forbidden("spec", UPDATE_RULE));
  return errors;
}

const strategy: Strategy = {
  ...keepsStatus({ replicas: 0, availableReplicas: 0 }),
  validateName: nameIsDnsLabel,
  applyDefaults,
  validate: validateNew,
  validateUpdate,
  warnings(object, old) {
    const limit = count(specOf(object), "revisionHistoryLimit");
    const rule = "a negative value retains all historical revisions; a value >= 0 is recommended";
    return [
      ...workloadWarnings(object, old, false),
      ...(limit < 0 ? [`spec.revisionHistoryLimit: ${rule}`] : []),
    ];
  },
};

const status: Strategy = {
  ...KEEPS_SPEC,
  validateUpdate(object, old) {
    const given = objectAt(object, "status");
    return [
      ...validateNotNegative("status", given, ["replicas", ...PARTS, "observedGeneration", "collisionCount"]),
      ...validateParts(given, PARTS),
      ...validateAvailable(given, "status.readyReplicas"),
      ...validateCollisions(object, old),
    ];
  },
};

export const statefulSets = builtIn("apps/v1", "StatefulSet", {
  shortNames: ["sts"],
  categories: ["all"],
  columns: [NAME, column("Ready", "Ready pods of those that are wanted."), AGE, ...CONTAINER_COLUMNS],
  printRow,
  strategy,
  status,
  scale: SCALE,
});

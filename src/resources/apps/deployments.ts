// Deployment: wants a number of like pods, and their replacement step by step. Nobody here makes the pods.
import { type FieldError, forbidden, invalid } from "../../meta/field-error.ts";
import { equalJson, type JsonObject, numberAt, objectAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { AGE, column, NAME, timeSince, wideColumn } from "../columns.ts";
import { applyTemplateDefaults, validateTemplate } from "../core/pod/template.ts";
import { builtIn } from "../define.ts";
import { ensureObject, setDefault } from "../fields.ts";
import { notSupportedStruct } from "../go-values.ts";
import { amountOf, validateAmount, validateShare } from "../int-or-percent.ts";
import { formatLabelSelector } from "../label-selectors.ts";
import { validateNotNegative } from "../numbers.ts";
import { validateSame } from "../references.ts";
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

const STRATEGIES = ["Recreate", "RollingUpdate"];
const COUNTS = [
  "observedGeneration",
  "replicas",
  "updatedReplicas",
  "readyReplicas",
  "availableReplicas",
  "unavailableReplicas",
  "terminatingReplicas",
  "collisionCount",
];

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const spec = specOf(object);
  const status = objectAt(object, "status");
  return {
    cells: [
      textAt(metadata, "name"),
      `${count(status, "readyReplicas")}/${count(spec, "replicas")}`,
      count(status, "updatedReplicas"),
      count(status, "availableReplicas"),
      timeSince(metadata, "creationTimestamp", nowMs),
      ...containerCells(object),
      formatLabelSelector(objectAt(spec, "selector") ?? {}),
    ],
  };
};

function applyDefaults(object: KubeObject): void {
  const spec = ensureObject(object, "spec");
  spec["replicas"] ??= 1;
  spec["revisionHistoryLimit"] ??= 10;
  spec["progressDeadlineSeconds"] ??= 600;
  const strategy = ensureObject(spec, "strategy");
  setDefault(strategy, "type", "RollingUpdate");
  if (strategy["type"] === "RollingUpdate") {
    const rolling = ensureObject(strategy, "rollingUpdate");
    rolling["maxUnavailable"] ??= "25%";
    rolling["maxSurge"] ??= "25%";
  }
  applyTemplateDefaults(spec);
}

function validate(object: Readonly<JsonObject>): FieldError[] {
  const spec = specOf(object);
  const seconds = numberAt(spec, "progressDeadlineSeconds");
  const errors = [
    ...validateNotNegative("spec", spec, ["replicas"]),
    ...validateSelector(spec, "deployment"),
    ...validateSelected(spec),
    ...validateTemplate("spec.template", templateOf(object)),
    ...validateEndless(spec, "ReplicaSet"),
    ...validateStrategy("spec.strategy", objectAt(spec, "strategy") ?? {}),
    ...validateNotNegative("spec", spec, [
      "minReadySeconds",
      "revisionHistoryLimit",
      "progressDeadlineSeconds",
    ]),
  ];
  if (seconds !== undefined && seconds <= count(spec, "minReadySeconds")) {
    errors.push(invalid("spec.progressDeadlineSeconds", seconds, "must be greater than minReadySeconds"));
  }
  return errors;
}

function validateStrategy(field: string, strategy: JsonObject): FieldError[] {
  const type = textAt(strategy, "type");
  const rolling = objectAt(strategy, "rollingUpdate");
  if (!STRATEGIES.includes(type)) {
    return [notSupportedStruct(field, { Type: type, RollingUpdate: shownRolling(rolling) }, STRATEGIES)];
  }
  if (type === "Recreate") {
    const rule = "may not be specified when strategy `type` is 'Recreate'";
    return rolling === undefined ? [] : [forbidden(`${field}.rollingUpdate`, rule)];
  }
  const [unavailable, surge] = [rolling?.["maxUnavailable"], rolling?.["maxSurge"]];
  const place = `${field}.rollingUpdate.maxUnavailable`;
  const errors = [
    ...validateAmount(place, unavailable),
    ...validateAmount(`${field}.rollingUpdate.maxSurge`, surge),
  ];
  if (amountOf(unavailable) === 0 && amountOf(surge) === 0) {
    errors.push(invalid(place, unavailable, "may not be 0 when `maxSurge` is 0"));
  }
  return [...errors, ...validateShare(place, unavailable)];
}

const shownRolling = (rolling: JsonObject | undefined): JsonObject | null =>
  rolling === undefined
    ? null
    : { MaxUnavailable: rolling["maxUnavailable"] ?? 0, MaxSurge: rolling["maxSurge"] ?? 0 };

const base = keepsStatus({});

const strategy: Strategy = {
  ...base,
  applyDefaults,
  /** Annotations are copied to replica sets, so they count like the spec. */
  prepareForUpdate(object, old, context) {
    base.prepareForUpdate?.(object, old, context);
    if (!equalJson(object.metadata.annotations ?? {}, old.metadata.annotations ?? {})) {
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
  },
  validate,
  validateUpdate: (object, old) => [
    ...validate(object),
    ...validateSame("spec.selector", specOf(object)["selector"], specOf(old)["selector"]),
  ],
  warnings: (object, old) => workloadWarnings(object, old, true),
};

const status: Strategy = {
  ...KEEPS_SPEC,
  resetFields: [["spec"], ["metadata", "labels"]],
  prepareForUpdate(object, old, context) {
    KEEPS_SPEC.prepareForUpdate?.(object, old, context);
    const { labels } = old.metadata;
    if (labels) object.metadata.labels = labels;
    else delete object.metadata.labels;
  },
  validateUpdate(object, old) {
    const given = objectAt(object, "status");
    return [
      ...validateNotNegative("status", given, COUNTS),
      ...validateParts(given, ["updatedReplicas", "readyReplicas", "availableReplicas"]),
      ...validateAvailable(given, "readyReplicas"),
      ...validateCollisions(object, old),
    ];
  },
};

export const deployments = builtIn("apps/v1", "Deployment", {
  shortNames: ["deploy"],
  categories: ["all"],
  columns: [
    NAME,
    column("Ready", "Ready pods of those that are wanted."),
    column("Up-to-date", "Pods of the newest template."),
    column("Available", "Pods that have been ready for long enough."),
    AGE,
    ...CONTAINER_COLUMNS,
    wideColumn("Selector", "Labels of the pods."),
  ],
  printRow,
  strategy,
  status,
  scale: SCALE,
});

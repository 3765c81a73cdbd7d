// Deployment: wants a number of like pods, and their replacement step by step. Nobody here makes the pods.
import { type FieldError, forbidden, invalid } from "../../meta/field-error.ts";
import { equalJson, type JsonObject, numberAt, objectAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { amountOf, notSupportedStruct, validateAmount, validateShare } from "../checks.ts";
import { AGE, column, NAME, numberIn } from "../columns.ts";
import { applyTemplateDefaults } from "../core/pod/spec-validation.ts";
import { builtIn } from "../define.ts";
import { ensureObject, keeping, setDefault } from "../fields.ts";
import type { CodeRules } from "../schema-rules.ts";
import {
  CONTAINER_COLUMNS,
  count,
  READY_COLUMN,
  SCALE,
  SELECTOR_COLUMN,
  workloadRules,
  workloadStrategy,
  workloadWarnings,
} from "./workload.ts";

const STRATEGIES = ["Recreate", "RollingUpdate"];

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

const rules: CodeRules = {
  ...workloadRules({
    inSelector: "deployment",
    inPods: "ReplicaSet",
    notUnderstood: "invalid label selector",
  }),
  strategy: ({ field, owner }) => validateStrategy(`${field}.strategy`, objectAt(owner, "strategy") ?? {}),
  deadline({ field, owner }) {
    const seconds = numberAt(owner, "progressDeadlineSeconds");
    if (seconds === undefined || seconds > count(owner, "minReadySeconds")) return [];
    return [invalid(`${field}.progressDeadlineSeconds`, seconds, "must be greater than minReadySeconds")];
  },
};

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

/** As a Go struct; null: there is none. */
export const shownRolling = (rolling: JsonObject | undefined): JsonObject | null =>
  rolling === undefined
    ? null
    : { MaxUnavailable: rolling["maxUnavailable"] ?? 0, MaxSurge: rolling["maxSurge"] ?? 0 };

const base = workloadStrategy({});

const strategy: Strategy = {
  ...base,
  applyDefaults,
  /** Annotations are copied to replica sets, so they count like the spec. */
  prepareForUpdate(object, old) {
    base.prepareForUpdate(object, old);
    if (!equalJson(object.metadata.annotations ?? {}, old.metadata.annotations ?? {})) {
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
  },
  warnings: (object, old) => workloadWarnings(object, old, true),
};

const keepingSpec = keeping("spec");

const status: Strategy = {
  ...keepingSpec,
  resetFields: [["spec"], ["metadata", "labels"]],
  prepareForUpdate(object, old) {
    keepingSpec.prepareForUpdate(object, old);
    const { labels } = old.metadata;
    if (labels) object.metadata.labels = labels;
    else delete object.metadata.labels;
  },
};

export const deployments = builtIn("apps/v1", "Deployment", {
  shortNames: ["deploy"],
  categories: ["all"],
  columns: [
    NAME,
    READY_COLUMN,
    column("Up-to-date", "Pods of the newest template.", numberIn("status.updatedReplicas")),
    column("Available", "Pods that have been ready for long enough.", numberIn("status.availableReplicas")),
    AGE,
    ...CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
  ],
  strategy,
  status,
  rules,
  scale: SCALE,
});

// Deployment: a number of equal pods and their rolling update, by src/cluster/deployment.

import { equalJson, numberAt } from "../../apimachinery/json/json.ts";
import { invalid } from "../../apimachinery/meta/field-error.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { amountOf, notSupportedStruct } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME, numberIn } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { keeping } from "../../apiserver/registry/strategy/fields.ts";
import type { CodeRules } from "../../apiserver/registry/strategy/schema-rules.ts";
import {
  CONTAINER_COLUMNS,
  count,
  READY_COLUMN,
  REPLICA_COLUMNS,
  REPLICA_KIND,
  SCALE,
  SELECTOR_COLUMN,
  shownStrategy,
  workloadRules,
  workloadStrategy,
  workloadWarnings,
} from "../workload.ts";

const REPLICA_RULES = workloadRules({
  inSelector: "deployment",
  inPods: "ReplicaSet",
  notUnderstood: "invalid label selector",
});

const rules: CodeRules = {
  ...REPLICA_RULES,
  strategyType: ({ field, owner }) => [
    notSupportedStruct(field, shownStrategy(owner), ["Recreate", "RollingUpdate"]),
  ],
  step: ({ field, value, owner: { maxSurge } }) =>
    amountOf(value) === 0 && amountOf(maxSurge) === 0
      ? [invalid(field, value, "may not be 0 when `maxSurge` is 0")]
      : [],
  deadline({ field, owner }) {
    const seconds = numberAt(owner, "progressDeadlineSeconds");
    if (seconds === undefined || seconds > count(owner, "minReadySeconds")) return [];
    return [invalid(`${field}.progressDeadlineSeconds`, seconds, "must be greater than minReadySeconds")];
  },
};

const base = workloadStrategy({});

const strategy: Strategy = {
  ...base,
  /** Annotations are copied to replica sets, so they count for the generation like the spec. */
  prepareForUpdate(object, old) {
    base.prepareForUpdate(object, old);
    if (!equalJson(object.metadata.annotations ?? {}, old.metadata.annotations ?? {})) {
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
  },
  warnings: (object, old) => workloadWarnings(object, old, { namesPods: true }),
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

// ReplicaSet: a number of equal pods, created by src/cluster/replicaset.

export const replicaSets = builtIn("apps/v1", "ReplicaSet", {
  ...REPLICA_KIND,
  shortNames: ["rs"],
  columns: [...REPLICA_COLUMNS, SELECTOR_COLUMN],
  strategy: {
    ...workloadStrategy({ replicas: 0 }),
    warnings: (object, old) => workloadWarnings(object, old, { namesPods: true }),
  },
  rules: REPLICA_RULES,
});

// ReplicationController: a number of equal pods, created by src/cluster/replicaset; predecessor of ReplicaSet.
import { objectAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { formatLabels, wideColumn } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { specOf } from "../../apiserver/registry/strategy/fields.ts";
import type { CodeRules } from "../../apiserver/registry/strategy/schema-rules.ts";
import {
  notSelected,
  podLabels,
  REPLICA_COLUMNS,
  REPLICA_KIND,
  takePodLabels,
  templateOf,
  workloadRules,
  workloadStrategy,
  workloadWarnings,
} from "../workload.ts";

const rules: CodeRules = {
  ...workloadRules({ inSelector: "replicationcontroller", inPods: "ReplicationController" }),
  /** The selector is a map of labels, whose values need not be valid label values. */
  selected({ field, owner }) {
    const labels = podLabels(objectAt(owner, "template"));
    const selector = Object.entries(objectAt(owner, "selector") ?? {});
    return selector.every(([key, value]) => labels?.[key] === value) ? [] : [notSelected(field, labels)];
  },
};

const base = workloadStrategy({ replicas: 0 });

/** The default selector is the labels of the template. */
function selectPodLabels(object: KubeObject): void {
  const labels = podLabels(templateOf(object));
  const spec = specOf(object);
  if (labels && Object.keys(objectAt(spec, "selector") ?? {}).length === 0) spec["selector"] = { ...labels };
}

const strategy: Strategy = {
  ...base,
  orphansByDefault: true,
  applyDefaults(object) {
    base.applyDefaults(object);
    selectPodLabels(object);
    takePodLabels(object);
  },
  warnings: (object, old) => workloadWarnings(object, old, { namesPods: true }),
};

export const replicationControllers = builtIn("v1", "ReplicationController", {
  ...REPLICA_KIND,
  shortNames: ["rc"],
  columns: [
    ...REPLICA_COLUMNS,
    wideColumn("Selector", "Labels of the pods.", (object) =>
      formatLabels(objectAt(specOf(object), "selector")),
    ),
  ],
  strategy,
  rules,
  storagePrefix: "controllers",
});

// ReplicationController: wants a number of like pods. ReplicaSets came after it. Nobody here makes the pods.
import { type JsonObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Strategy } from "../../registry/definition/resource-definition.ts";
import { AGE, formatLabels, integerColumn, NAME, wideColumn } from "../columns.ts";
import { builtIn } from "../define.ts";
import { keeping, specOf } from "../fields.ts";
import { textMap } from "../label-selectors.ts";
import type { CodeRules } from "../schema-rules.ts";
import {
  CONTAINER_COLUMNS,
  count,
  notSelected,
  SCALE,
  templateOf,
  workloadRules,
  workloadStrategy,
  workloadWarnings,
} from "../workload.ts";

const labelsOf = (template: JsonObject | undefined): JsonObject | undefined =>
  objectAt(objectAt(template, "metadata"), "labels");

const rules: CodeRules = {
  ...workloadRules({ inSelector: "replicationcontroller", inPods: "ReplicationController" }),
  /** The selector is a map of labels here, which need not be such that objects can have them. */
  selected({ field, owner }) {
    const labels = labelsOf(objectAt(owner, "template"));
    const selector = Object.entries(objectAt(owner, "selector") ?? {});
    return selector.every(([key, value]) => labels?.[key] === value) ? [] : [notSelected(field, labels)];
  },
};

const base = workloadStrategy({ replicas: 0 });

/** What the template says of its pods, its controller selects and has. */
function takeTemplateLabels(object: KubeObject): void {
  const labels = labelsOf(templateOf(object));
  if (labels === undefined) return;
  const spec = specOf(object);
  if (Object.keys(objectAt(spec, "selector") ?? {}).length === 0) spec["selector"] = { ...labels };
  if (Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata.labels = textMap(labels);
}

const strategy: Strategy = {
  ...base,
  orphansByDefault: true,
  applyDefaults(object) {
    base.applyDefaults(object);
    takeTemplateLabels(object);
  },
  warnings: (object, old) => workloadWarnings(object, old, true),
};

export const replicationControllers = builtIn("v1", "ReplicationController", {
  shortNames: ["rc"],
  categories: ["all"],
  columns: [
    NAME,
    integerColumn("Desired", "Pods that are wanted.", "spec.replicas"),
    integerColumn("Current", "Pods that there are.", "status.replicas"),
    integerColumn("Ready", "Pods that are ready.", "status.readyReplicas"),
    AGE,
    ...CONTAINER_COLUMNS,
    wideColumn("Selector", "Labels of the pods.", (object) =>
      formatLabels(objectAt(specOf(object), "selector")),
    ),
  ],
  strategy,
  status: keeping("spec"),
  rules,
  scale: SCALE,
  storagePrefix: "controllers",
  selectableFields: ["status.replicas"],
  fieldValue: (object) => String(count(objectAt(object, "status"), "replicas")),
});

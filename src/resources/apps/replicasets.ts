// ReplicaSet: wants a number of like pods. Nobody here makes them.
import { objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { AGE, integerColumn, NAME } from "../columns.ts";
import { applyTemplateDefaults } from "../core/pod/spec-validation.ts";
import { builtIn } from "../define.ts";
import { ensureObject, keeping } from "../fields.ts";
import {
  CONTAINER_COLUMNS,
  count,
  SCALE,
  SELECTOR_COLUMN,
  workloadRules,
  workloadStrategy,
  workloadWarnings,
} from "./workload.ts";

function applyDefaults(object: KubeObject): void {
  const spec = ensureObject(object, "spec");
  spec["replicas"] ??= 1;
  applyTemplateDefaults(spec);
}

export const replicaSets = builtIn("apps/v1", "ReplicaSet", {
  shortNames: ["rs"],
  categories: ["all"],
  columns: [
    NAME,
    integerColumn("Desired", "Pods that are wanted.", "spec.replicas"),
    integerColumn("Current", "Pods that there are.", "status.replicas"),
    integerColumn("Ready", "Pods that are ready.", "status.readyReplicas"),
    AGE,
    ...CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
  ],
  strategy: {
    ...workloadStrategy({ replicas: 0 }),
    applyDefaults,
    warnings: (object, old) => workloadWarnings(object, old, true),
  },
  status: keeping("spec"),
  rules: workloadRules({
    inSelector: "deployment",
    inPods: "ReplicaSet",
    notUnderstood: "invalid label selector",
  }),
  scale: SCALE,
  selectableFields: ["status.replicas"],
  fieldValue: (object) => String(count(objectAt(object, "status"), "replicas")),
});

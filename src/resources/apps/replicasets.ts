// ReplicaSet: wants a number of like pods. Nobody here makes them.
import type { FieldError } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { AGE, integerColumn, NAME, timeSince, wideColumn } from "../columns.ts";
import { applyTemplateDefaults, validateTemplate } from "../core/pod/template.ts";
import { builtIn } from "../define.ts";
import { ensureObject } from "../fields.ts";
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
  validateEndless,
  validateParts,
  validateSelected,
  validateSelector,
  workloadWarnings,
} from "./workload.ts";

const PARTS = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const spec = specOf(object);
  const status = objectAt(object, "status");
  return {
    cells: [
      textAt(metadata, "name"),
      count(spec, "replicas"),
      count(status, "replicas"),
      count(status, "readyReplicas"),
      timeSince(metadata, "creationTimestamp", nowMs),
      ...containerCells(object),
      formatLabelSelector(objectAt(spec, "selector") ?? {}),
    ],
  };
};

function applyDefaults(object: KubeObject): void {
  const spec = ensureObject(object, "spec");
  spec["replicas"] ??= 1;
  applyTemplateDefaults(spec);
}

function validate(object: Readonly<JsonObject>): FieldError[] {
  const spec = specOf(object);
  return [
    ...validateNotNegative("spec", spec, ["replicas", "minReadySeconds"]),
    ...validateSelector(spec, "deployment"),
    ...validateSelected(spec),
    ...validateTemplate("spec.template", templateOf(object)),
    ...validateEndless(spec, "ReplicaSet"),
  ];
}

const strategy: Strategy = {
  ...keepsStatus({ replicas: 0 }),
  applyDefaults,
  validate,
  validateUpdate: (object, old) => [
    ...validate(object),
    ...validateSame("spec.selector", specOf(object)["selector"], specOf(old)["selector"]),
  ],
  warnings: (object, old) => workloadWarnings(object, old, true),
};

const status: Strategy = {
  ...KEEPS_SPEC,
  validateUpdate(object) {
    const given = objectAt(object, "status");
    return [
      ...validateNotNegative("status", given, ["replicas", ...PARTS, "observedGeneration"]),
      ...validateParts(given, PARTS),
      ...validateAvailable(given, "readyReplicas"),
    ];
  },
};

export const replicaSets = builtIn("apps/v1", "ReplicaSet", {
  shortNames: ["rs"],
  categories: ["all"],
  columns: [
    NAME,
    integerColumn("Desired", "Pods that are wanted."),
    integerColumn("Current", "Pods that there are."),
    integerColumn("Ready", "Pods that are ready."),
    AGE,
    ...CONTAINER_COLUMNS,
    wideColumn("Selector", "Labels of the pods."),
  ],
  printRow,
  strategy,
  status,
  scale: SCALE,
  selectableFields: ["status.replicas"],
  fieldValue: (object) => String(count(objectAt(object, "status"), "replicas")),
});

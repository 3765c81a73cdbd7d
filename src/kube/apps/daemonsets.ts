// DaemonSet: one pod on each eligible node, created by src/cluster/daemonset. The number of template changes is kept
// in an annotation, which replaces a field of older versions.

import { objectAt } from "../../apimachinery/json/json.ts";
import { invalid, required } from "../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { amountOf, notSupportedStruct } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, formatLabels, integerColumn, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { keeping } from "../../apiserver/registry/strategy/fields.ts";
import type { CodeRules } from "../../apiserver/registry/strategy/schema-rules.ts";
import {
  CONTAINER_COLUMNS,
  SELECTOR_COLUMN,
  shownStrategy,
  templateChanged,
  templateOf,
  workloadRules,
  workloadStrategy,
  workloadWarnings,
} from "../workload.ts";

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

const templateGeneration = ({ metadata }: Readonly<KubeObject>): number => {
  const text = metadata.annotations?.[TEMPLATE_GENERATION] ?? "";
  return /^\d+$/.test(text) ? Number(text) : 0;
};

function setTemplateGeneration({ metadata }: KubeObject, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
}

const rules: CodeRules = {
  ...workloadRules({ inSelector: "daemonset", inPods: "DaemonSet" }),
  strategyType: ({ field, owner }) => [
    notSupportedStruct(field, shownStrategy(owner), ["RollingUpdate", "OnDelete"]),
  ],
  step({ field, owner: { maxUnavailable, maxSurge } }) {
    const [hasUnavailable, hasSurge] = [amountOf(maxUnavailable) !== 0, amountOf(maxSurge) !== 0];
    if (hasUnavailable !== hasSurge) return [];
    return hasSurge
      ? [invalid(`${field}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero")]
      : [required(`${field}.maxUnavailable`, "cannot be 0 when maxSurge is 0")];
  },
};

const base = workloadStrategy({
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
});

const strategy: Strategy = {
  ...base,
  applyDefaults(object) {
    base.applyDefaults(object);
    setTemplateGeneration(object, templateGeneration(object));
  },
  prepareForCreate(object) {
    base.prepareForCreate(object);
    setTemplateGeneration(object, Math.max(templateGeneration(object), 1));
  },
  prepareForUpdate(object, old) {
    base.prepareForUpdate(object, old);
    setTemplateGeneration(object, templateGeneration(old) + (templateChanged(object, old) ? 1 : 0));
  },
  warnings: (object, old) => workloadWarnings(object, old),
};

const keepingSpec = keeping("spec");

const status: Strategy = {
  ...keepingSpec,
  prepareForUpdate(object, old) {
    keepingSpec.prepareForUpdate(object, old);
    setTemplateGeneration(object, templateGeneration(old));
  },
};

export const daemonSets = builtIn("apps/v1", "DaemonSet", {
  shortNames: ["ds"],
  categories: ["all"],
  versionedAnnotations: [TEMPLATE_GENERATION],
  columns: [
    NAME,
    integerColumn("Desired", "Nodes that should run the pod.", "status.desiredNumberScheduled"),
    integerColumn("Current", "Nodes that run the pod.", "status.currentNumberScheduled"),
    integerColumn("Ready", "Nodes with a ready pod.", "status.numberReady"),
    integerColumn("Up-to-date", "Nodes with a pod of the newest template.", "status.updatedNumberScheduled"),
    integerColumn("Available", "Nodes whose pod has been ready for long enough.", "status.numberAvailable"),
    column("Node Selector", "Labels of the nodes.", (object) =>
      formatLabels(objectAt(objectAt(templateOf(object), "spec"), "nodeSelector")),
    ),
    AGE,
    ...CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
  ],
  strategy,
  status,
  rules,
});

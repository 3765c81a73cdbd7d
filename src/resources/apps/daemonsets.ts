// DaemonSet: wants one pod on each node that fits. Nobody here makes them. How often the template has changed is
// counted in an annotation, which takes the place of a field of older versions.

import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { amountOf, notSupportedStruct, validateAmount, validateShare } from "../checks.ts";
import { AGE, column, formatLabels, integerColumn, NAME } from "../columns.ts";
import { applyTemplateDefaults } from "../core/pod/spec-validation.ts";
import { builtIn } from "../define.ts";
import { ensureObject, keeping, setDefault } from "../fields.ts";
import type { CodeRules } from "../schema-rules.ts";
import { shownRolling } from "./deployments.ts";
import {
  CONTAINER_COLUMNS,
  SELECTOR_COLUMN,
  templateChanged,
  templateOf,
  workloadRules,
  workloadStrategy,
  workloadWarnings,
} from "./workload.ts";

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";
const STRATEGIES = ["RollingUpdate", "OnDelete"];

const templateGeneration = ({ metadata }: Readonly<KubeObject>): number => {
  const text = metadata.annotations?.[TEMPLATE_GENERATION] ?? "";
  return /^\d+$/.test(text) ? Number(text) : 0;
};

function setTemplateGeneration({ metadata }: KubeObject, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
}

function applyDefaults(object: KubeObject): void {
  const spec = ensureObject(object, "spec");
  spec["revisionHistoryLimit"] ??= 10;
  const update = ensureObject(spec, "updateStrategy");
  setDefault(update, "type", "RollingUpdate");
  if (update["type"] === "RollingUpdate") {
    const rolling = ensureObject(update, "rollingUpdate");
    rolling["maxUnavailable"] ??= 1;
    rolling["maxSurge"] ??= 0;
  }
  applyTemplateDefaults(spec);
  setTemplateGeneration(object, templateGeneration(object));
}

const rules: CodeRules = {
  ...workloadRules({ inSelector: "daemonset", inPods: "DaemonSet" }),
  updateStrategy: ({ field, owner }) =>
    validateUpdateStrategy(`${field}.updateStrategy`, objectAt(owner, "updateStrategy") ?? {}),
};

function validateUpdateStrategy(field: string, update: JsonObject): FieldError[] {
  const type = textAt(update, "type");
  const rolling = objectAt(update, "rollingUpdate");
  if (!STRATEGIES.includes(type)) {
    return [notSupportedStruct(field, { Type: type, RollingUpdate: shownRolling(rolling) }, STRATEGIES)];
  }
  if (type === "OnDelete") return [];
  const place = `${field}.rollingUpdate`;
  if (rolling === undefined) return [required(place)];
  const [unavailable, surge] = [rolling["maxUnavailable"], rolling["maxSurge"]];
  const errors = [
    ...validateAmount(`${place}.maxUnavailable`, unavailable),
    ...validateAmount(`${place}.maxSurge`, surge),
    ...validateShare(`${place}.maxUnavailable`, unavailable),
    ...validateShare(`${place}.maxSurge`, surge),
  ];
  const [hasUnavailable, hasSurge] = [amountOf(unavailable) !== 0, amountOf(surge) !== 0];
  if (hasUnavailable && hasSurge) {
    errors.push(invalid(`${place}.maxSurge`, surge, "may not be set when maxUnavailable is non-zero"));
  }
  if (!hasUnavailable && !hasSurge) {
    errors.push(required(`${place}.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
  }
  return errors;
}

const base = workloadStrategy({
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
});

const strategy: Strategy = {
  ...base,
  applyDefaults,
  prepareForCreate(object) {
    base.prepareForCreate(object);
    setTemplateGeneration(object, Math.max(templateGeneration(object), 1));
  },
  prepareForUpdate(object, old) {
    base.prepareForUpdate(object, old);
    setTemplateGeneration(object, templateGeneration(old) + (templateChanged(object, old) ? 1 : 0));
  },
  warnings: (object, old) => workloadWarnings(object, old, false),
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

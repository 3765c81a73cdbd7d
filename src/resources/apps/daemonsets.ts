// DaemonSet: wants one pod on each node that fits. Nobody here makes them. How often the template has changed is
// counted in an annotation, which takes the place of a field of older versions.

import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { AGE, column, formatLabels, integerColumn, NAME, timeSince, wideColumn } from "../columns.ts";
import { applyTemplateDefaults, validateTemplate } from "../core/pod/template.ts";
import { builtIn } from "../define.ts";
import { ensureObject, setDefault } from "../fields.ts";
import { notSupportedStruct } from "../go-values.ts";
import { amountOf, validateAmount, validateShare } from "../int-or-percent.ts";
import {
  formatLabelSelector,
  isEmptySelector,
  selectorOrNone,
  validateLabelSelector,
} from "../label-selectors.ts";
import { validateNotNegative } from "../numbers.ts";
import { validateSame } from "../references.ts";
import {
  CONTAINER_COLUMNS,
  containerCells,
  count,
  KEEPS_SPEC,
  keepsStatus,
  specOf,
  templateChanged,
  templateOf,
  validateCollisions,
  validateEndless,
  validateSelected,
  workloadWarnings,
} from "./workload.ts";

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";
const STRATEGIES = ["RollingUpdate", "OnDelete"];
const WRITTEN = ["currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"];
const COUNTS = [
  ...WRITTEN,
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
];

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const status = objectAt(object, "status");
  return {
    cells: [
      textAt(metadata, "name"),
      count(status, "desiredNumberScheduled"),
      count(status, "currentNumberScheduled"),
      count(status, "numberReady"),
      count(status, "updatedNumberScheduled"),
      count(status, "numberAvailable"),
      formatLabels(objectAt(objectAt(templateOf(object), "spec"), "nodeSelector")),
      timeSince(metadata, "creationTimestamp", nowMs),
      ...containerCells(object),
      formatLabelSelector(objectAt(specOf(object), "selector") ?? {}),
    ],
  };
};

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

function validate(object: Readonly<JsonObject>): FieldError[] {
  const spec = specOf(object);
  const selector = objectAt(spec, "selector");
  const errors = validateLabelSelector("spec.selector", selector);
  if (selectorOrNone(selector) !== undefined) append(errors, validateSelected(spec));
  if (selector !== undefined && isEmptySelector(selector)) {
    errors.push(invalid("spec.selector", selector, "empty selector is invalid for daemonset"));
  }
  return [
    ...errors,
    ...validateTemplate("spec.template", templateOf(object)),
    ...validateEndless(spec, "DaemonSet"),
    ...validateNotNegative("spec", spec, ["minReadySeconds"]),
    ...validateUpdateStrategy("spec.updateStrategy", objectAt(spec, "updateStrategy") ?? {}),
    ...validateNotNegative("spec", spec, ["revisionHistoryLimit"]),
  ];
}

function validateUpdateStrategy(field: string, update: JsonObject): FieldError[] {
  const type = textAt(update, "type");
  const rolling = objectAt(update, "rollingUpdate");
  if (!STRATEGIES.includes(type)) {
    const shown = rolling && {
      MaxUnavailable: rolling["maxUnavailable"] ?? 0,
      MaxSurge: rolling["maxSurge"] ?? 0,
    };
    return [notSupportedStruct(field, { Type: type, RollingUpdate: shown ?? null }, STRATEGIES)];
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

const base = keepsStatus(Object.fromEntries(WRITTEN.map((member) => [member, 0])));

const strategy: Strategy = {
  ...base,
  applyDefaults,
  prepareForCreate(object, context) {
    base.prepareForCreate?.(object, context);
    setTemplateGeneration(object, Math.max(templateGeneration(object), 1));
  },
  prepareForUpdate(object, old, context) {
    base.prepareForUpdate?.(object, old, context);
    setTemplateGeneration(object, templateGeneration(old) + (templateChanged(object, old) ? 1 : 0));
  },
  validate,
  validateUpdate: (object, old) => [
    ...validate(object),
    ...validateSame("spec.selector", specOf(object)["selector"], specOf(old)["selector"]),
  ],
  warnings: (object, old) => workloadWarnings(object, old, false),
};

const status: Strategy = {
  ...KEEPS_SPEC,
  prepareForUpdate(object, old, context) {
    KEEPS_SPEC.prepareForUpdate?.(object, old, context);
    setTemplateGeneration(object, templateGeneration(old));
  },
  validateUpdate: (object, old) => [
    ...validateNotNegative("status", objectAt(object, "status"), COUNTS),
    ...validateCollisions(object, old),
  ],
};

export const daemonSets = builtIn("apps/v1", "DaemonSet", {
  shortNames: ["ds"],
  categories: ["all"],
  columns: [
    NAME,
    integerColumn("Desired", "Nodes that should run the pod."),
    integerColumn("Current", "Nodes that run the pod."),
    integerColumn("Ready", "Nodes with a ready pod."),
    integerColumn("Up-to-date", "Nodes with a pod of the newest template."),
    integerColumn("Available", "Nodes whose pod has been ready for long enough."),
    column("Node Selector", "Labels of the nodes."),
    AGE,
    ...CONTAINER_COLUMNS,
    wideColumn("Selector", "Labels of the pods."),
  ],
  printRow,
  strategy,
  status,
});

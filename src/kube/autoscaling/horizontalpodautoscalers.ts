// HorizontalPodAutoscaler: scales another object by its load. This server has no such controller and only stores the
// object. v1 has one metric; all others are kept in annotations there.
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { nameIsDnsSubdomain } from "../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { AGE, column, NAME, numberIn, rowPrinter } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { keeping, keepingStatus, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { fromV2, toV2, V1 } from "./v1-form.ts";
import { validateAutoscaler } from "./validation.ts";

/** Strategies of one version; the v2 form is validated. */
const strategies = (
  emptyStatus: JsonObject,
  form: (object: Readonly<KubeObject>) => Readonly<KubeObject>,
): { readonly strategy: Strategy; readonly status: Strategy } => ({
  strategy: {
    ...keepingStatus(emptyStatus),
    validateName: nameIsDnsSubdomain,
    validate: (object) => validateAutoscaler(form(object)),
    validateUpdate: (object, old) => validateAutoscaler(form(object), form(old)),
  },
  status: keeping("spec"),
});

type Source = JsonObject | undefined;
const SHOWN_MAX = 2;
const UNKNOWN = "<unknown>";

function targetCell(object: Readonly<JsonObject>): string {
  const target = objectAt(specOf(object), "scaleTargetRef");
  return `${textAt(target, "kind")}/${textAt(target, "name")}`;
}

function metricsCell(object: Readonly<JsonObject>): string {
  const metrics = objectsAt(specOf(object), "metrics");
  const seen = objectsAt(objectAt(object, "status"), "currentMetrics");
  if (metrics.length === 0) return "<none>";
  const shown = metrics.slice(0, SHOWN_MAX).map((metric, index) => metricText(metric, seen[index]));
  const more = metrics.length - SHOWN_MAX;
  return shown.join(", ") + (more > 0 ? ` + ${more} more...` : "");
}

/** "current/target", with an average over the pods or the resource's name where the metric has one. */
function metricText(metric: JsonObject, seen: Source): string {
  switch (metric["type"]) {
    case "External":
    case "Object":
      return outsideText(pairOf(metric, seen, metric["type"] === "Object" ? "object" : "external"));
    case "Pods": {
      const [wanted, current] = pairOf(metric, seen, "pods");
      return pair(current, wanted, "averageValue");
    }
    case "Resource":
      return resourceText(metric, seen, "resource");
    case "ContainerResource":
      return resourceText(metric, seen, "containerResource");
    default:
      return "<unknown type>";
  }
}

/** Target value and current value. */
const pairOf = (metric: JsonObject, seen: Source, source: string): [Source, Source] => [
  objectAt(objectAt(metric, source), "target"),
  objectAt(objectAt(seen, source), "current"),
];

const outsideText = ([wanted, current]: [Source, Source]): string =>
  wanted?.["averageValue"] === undefined
    ? pair(current, wanted, "value")
    : `${pair(current, wanted, "averageValue")} (avg)`;

const pair = (current: Source, wanted: Source, member: string): string =>
  `${textAt(current, member) || UNKNOWN}/${textAt(wanted, member) || "0"}`;

function resourceText(metric: JsonObject, seen: Source, source: string): string {
  const [wanted, current] = pairOf(metric, seen, source);
  const name = textAt(objectAt(metric, source), "name");
  if (wanted?.["averageValue"] !== undefined) return `${name}: ${pair(current, wanted, "averageValue")}`;
  const percent = (value: Source, missing: string): string => {
    const share = numberAt(value, "averageUtilization");
    return share === undefined ? missing : `${share}%`;
  };
  return `${name}: ${percent(current, UNKNOWN)}/${percent(wanted, "<auto>")}`;
}

/** In the v2 form. */
const COLUMNS = [
  NAME,
  column("Reference", "The object whose scale is set.", targetCell),
  column("Targets", "What is measured, and what it should be.", metricsCell),
  column("MinPods", "The fewest pods that are asked for.", (object) =>
    String(numberAt(specOf(object), "minReplicas") ?? "<unset>"),
  ),
  column("MaxPods", "The most pods that are asked for.", numberIn("spec.maxReplicas")),
  column("Replicas", "Pods that there are.", numberIn("status.currentReplicas")),
  AGE,
];
const older = strategies({ currentReplicas: 0, desiredReplicas: 0 }, toV2);

/** Objects of v1 are decoded as those of v2, including the default metric. */
function readAsV2(object: KubeObject): void {
  const { metadata, spec } = fromV2(toV2(object));
  Object.assign(object, { metadata, spec });
}

const printAutoscaler = rowPrinter(COLUMNS);

export const horizontalPodAutoscalers = builtIn("autoscaling/v2", "HorizontalPodAutoscaler", {
  shortNames: ["hpa"],
  categories: ["all"],
  columns: COLUMNS,
  printRow: (object, nowMs) => printAutoscaler(object["apiVersion"] === V1 ? toV2(object) : object, nowMs),
  ...strategies({ currentMetrics: null, desiredReplicas: 0 }, (object) => object),
  olderVersions: {
    v1: {
      ...older,
      strategy: { ...older.strategy, applyDefaults: readAsV2 },
      storedForm: { toStored: toV2, fromStored: fromV2 },
    },
  },
});

// How tables show a HorizontalPodAutoscaler, in the form of v2.
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import { timeSince } from "../columns.ts";

const SHOWN_MAX = 2;
const UNKNOWN = "<unknown>";
type Source = JsonObject | undefined;

export const printAutoscaler: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const spec = objectAt(object, "spec");
  const status = objectAt(object, "status");
  const target = objectAt(spec, "scaleTargetRef");
  return {
    cells: [
      textAt(metadata, "name"),
      `${textAt(target, "kind")}/${textAt(target, "name")}`,
      metricsCell(objectsAt(spec, "metrics"), objectsAt(status, "currentMetrics")),
      String(numberAt(spec, "minReplicas") ?? "<unset>"),
      numberAt(spec, "maxReplicas") ?? 0,
      numberAt(status, "currentReplicas") ?? 0,
      timeSince(metadata, "creationTimestamp", nowMs),
    ],
  };
};

function metricsCell(metrics: readonly JsonObject[], seen: readonly JsonObject[]): string {
  if (metrics.length === 0) return "<none>";
  const shown = metrics.slice(0, SHOWN_MAX).map((metric, index) => metricText(metric, seen[index]));
  const more = metrics.length - SHOWN_MAX;
  return shown.join(", ") + (more > 0 ? ` + ${more} more...` : "");
}

/** "seen/wanted", where a mean over the pods says so, and a resource says its name. */
function metricText(metric: JsonObject, seen: Source): string {
  switch (metric["type"]) {
    case "External":
    case "Object":
      return outsideText(...pairOf(metric, seen, metric["type"] === "Object" ? "object" : "external"));
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

/** The value that is aimed at and the one that was seen. */
const pairOf = (metric: JsonObject, seen: Source, source: string): [Source, Source] => [
  objectAt(objectAt(metric, source), "target"),
  objectAt(objectAt(seen, source), "current"),
];

const outsideText = (wanted: Source, current: Source): string =>
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

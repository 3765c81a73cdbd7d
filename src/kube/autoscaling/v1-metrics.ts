// Metrics of a HorizontalPodAutoscaler in the annotations of autoscaling/v1: without the structs between a metric and its
// values.
import { isObject, type JsonObject, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { ensureObject } from "../../apiserver/registry/strategy/fields.ts";

/** Flat name, path in v2, and where an absent value is encoded as 0; in Go's encoding order. */
type Member = readonly [flat: string, path: string, zeroIn?: "both" | "status"];

/** $ is replaced by target in a spec, and by current in a status. */
const SOURCES = Object.entries<readonly Member[]>({
  object: [
    ["target", "describedObject"],
    ["metricName", "metric.name"],
    ["$Value", "$.value", "both"],
    ["selector", "metric.selector"],
    ["averageValue", "$.averageValue"],
  ],
  pods: [
    ["metricName", "metric.name"],
    ["$AverageValue", "$.averageValue", "both"],
    ["selector", "metric.selector"],
  ],
  resource: [
    ["name", "name"],
    ["$AverageUtilization", "$.averageUtilization"],
    ["$AverageValue", "$.averageValue", "status"],
  ],
  containerResource: [
    ["name", "name"],
    ["$AverageUtilization", "$.averageUtilization"],
    ["$AverageValue", "$.averageValue", "status"],
    ["container", "container"],
  ],
  external: [
    ["metricName", "metric.name"],
    ["metricSelector", "metric.selector"],
    ["$Value", "$.value", "status"],
    ["$AverageValue", "$.averageValue"],
  ],
});

type Form = readonly (readonly [source: string, members: readonly (readonly [string, string, string?])[]])[];

const formOf = (word: "target" | "current"): Form =>
  SOURCES.map(([source, members]) => [
    source,
    members.map(([flat, path, zeroIn]) => {
      const names = [flat.replace("$", word), path.replace("$", word)] as const;
      return zeroIn === "both" || (zeroIn && word === "current") ? [...names, "0"] : names;
    }),
  ]);

const SPEC = formOf("target");
const STATUS = formOf("current");

export const flatMetric = (metric: JsonObject): JsonObject => flatten(metric, SPEC);
export const flatMetricStatus = (metric: JsonObject): JsonObject => flatten(metric, STATUS);
export const metricStatusFromFlat = (flat: JsonObject): JsonObject => raise(flat, STATUS);

/** The flat form has no target type; it is derived from the values that are set. */
export function metricFromFlat(flat: JsonObject): JsonObject {
  const metric = raise(flat, SPEC);
  for (const [member] of SPEC) {
    const source = objectAt(metric, member);
    if (source === undefined) continue;
    const target = ensureObject(source, "target");
    const hasShare = target["averageUtilization"] !== undefined;
    const hasMean =
      target["averageValue"] !== undefined || member === "resource" || member === "containerResource";
    target["type"] = hasShare ? "Utilization" : hasMean ? "AverageValue" : "Value";
  }
  return metric;
}

function flatten(metric: JsonObject, form: Form): JsonObject {
  const flat: JsonObject = { type: textAt(metric, "type") };
  for (const [source, members] of form) {
    const given = objectAt(metric, source);
    if (given === undefined) continue;
    const out: JsonObject = {};
    for (const [name, path, zero] of members) {
      const value = valueAt(given, path) ?? zero;
      if (value !== undefined) out[name] = value;
    }
    flat[source] = out;
  }
  return flat;
}

function valueAt(source: JsonObject, path: string): unknown {
  const [head = "", tail] = path.split(".");
  return (tail === undefined ? source[head] : objectAt(source, head)?.[tail]) ?? undefined;
}

function raise(flat: JsonObject, form: Form): JsonObject {
  const metric: JsonObject = { type: textAt(flat, "type") };
  for (const [source, members] of form) {
    const given = flat[source];
    if (!isObject(given)) continue;
    const out: JsonObject = {};
    for (const [name, path] of members) {
      const value = given[name];
      const [head = "", tail] = path.split(".");
      if (!isOfType(value, tail ?? head)) continue;
      if (tail === undefined) out[head] = value;
      else ensureObject(out, head)[tail] = value;
    }
    metric[source] = out;
  }
  return metric;
}

/** Annotations may have any content. */
function isOfType(value: unknown, member: string): boolean {
  if (member === "averageUtilization") return typeof value === "number";
  return member === "describedObject" || member === "selector" ? isObject(value) : typeof value === "string";
}

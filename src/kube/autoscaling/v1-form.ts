// Conversion of HorizontalPodAutoscalers between autoscaling/v1 and v2. Members that v1 lacks are kept in annotations, which
// only v1 shows:
//
//   v2                              v1
//   spec.metrics: cpu in percent    spec.targetCPUUtilizationPercentage
//   spec.metrics: others            annotation metrics, in v1's own form of a metric
//   spec.behavior                   annotation behavior, with the names of Go
//   status.currentMetrics           annotation current-metrics; cpu in percent also in status
//   status.conditions               annotation conditions
import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  objectsOf,
  parsedJson,
  parsedObject,
  textAt,
  textOf,
} from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { flatMetric, flatMetricStatus, metricFromFlat, metricStatusFromFlat } from "./v1-metrics.ts";

export const V1 = "autoscaling/v1";
const V2 = "autoscaling/v2";
const PREFIX = "autoscaling.alpha.kubernetes.io/";
const METRICS = `${PREFIX}metrics`;
const CURRENT = `${PREFIX}current-metrics`;
const CONDITIONS = `${PREFIX}conditions`;
const BEHAVIOR = `${PREFIX}behavior`;
const CPU_PERCENT_DEFAULT = 80;

/** Does not change its argument. Invalid annotations are ignored. */
export function toV2(object: Readonly<JsonObject>): KubeObject {
  const metadata = objectAt(object, "metadata") ?? {};
  const {
    [METRICS]: metrics,
    [CURRENT]: current,
    [CONDITIONS]: conditions,
    [BEHAVIOR]: behavior,
    ...others
  } = objectAt(metadata, "annotations") ?? {};
  const { annotations: _, ...rest } = metadata;
  const { targetCPUUtilizationPercentage, ...spec } = objectAt(object, "spec") ?? {};
  const { currentCPUUtilizationPercentage, currentReplicas, ...status } = objectAt(object, "status") ?? {};
  const seen = listIn(current).map(metricStatusFromFlat);
  const states = listIn(conditions).map(conditionOf);
  const rules = parsedObject(textOf(behavior));
  if (seen.length === 0 && currentCPUUtilizationPercentage !== undefined) {
    seen.push(cpu("current", { averageUtilization: currentCPUUtilizationPercentage }));
  }
  return {
    ...object,
    apiVersion: V2,
    metadata: { ...rest, ...(Object.keys(others).length > 0 ? { annotations: others } : {}) },
    spec: {
      ...spec,
      metrics: metricsOf(listIn(metrics), targetCPUUtilizationPercentage),
      ...(rules ? { behavior: behaviorFromGo(rules) } : {}),
    },
    status: {
      ...status,
      ...(currentReplicas === undefined || currentReplicas === 0 ? {} : { currentReplicas }),
      desiredReplicas: numberAt(status, "desiredReplicas") ?? 0,
      currentMetrics: seen.length > 0 ? seen : null,
      ...(states.length > 0 ? { conditions: states } : {}),
    },
  } as KubeObject; // with its original metadata
}

function metricsOf(flat: readonly JsonObject[], cpuPercent: unknown): JsonObject[] {
  const metrics = flat.map(metricFromFlat);
  const given = cpuPercent ?? (metrics.length === 0 ? CPU_PERCENT_DEFAULT : undefined);
  if (given !== undefined) metrics.push(cpu("target", { type: "Utilization", averageUtilization: given }));
  return metrics;
}

const cpu = (member: string, value: JsonObject): JsonObject => ({
  type: "Resource",
  resource: { name: "cpu", [member]: value },
});

/** Does not change its argument. */
export function fromV2(object: Readonly<KubeObject>): KubeObject {
  const { metrics: _, behavior, ...spec } = objectAt(object, "spec") ?? {};
  const {
    currentMetrics,
    conditions: _conditions,
    currentReplicas,
    ...status
  } = objectAt(object, "status") ?? {};
  const conditions = objectsAt(objectAt(object, "status"), "conditions");
  const metrics = objectsAt(objectAt(object, "spec"), "metrics");
  const others = metrics.filter((metric) => cpuPercent(metric, "target") === undefined);
  const wanted = firstOf(metrics, "target");
  const seen = Array.isArray(currentMetrics) ? currentMetrics.filter(isObject) : [];
  const current = firstOf(seen, "current");
  const added = {
    ...(others.length > 0 ? { [METRICS]: JSON.stringify(others.map(flatMetric)) } : {}),
    ...(seen.length > 0 ? { [CURRENT]: JSON.stringify(seen.map(flatMetricStatus)) } : {}),
    ...(conditions.length > 0 ? { [CONDITIONS]: JSON.stringify(conditions.map(conditionOf)) } : {}),
    ...(isObject(behavior) ? { [BEHAVIOR]: JSON.stringify(goBehavior(behavior)) } : {}),
  };
  const { annotations, ...rest } = object.metadata;
  const all = { ...annotations, ...added };
  return {
    ...object,
    apiVersion: V1,
    metadata: { ...rest, ...(Object.keys(all).length > 0 ? { annotations: all } : {}) },
    spec: { ...spec, ...(wanted === undefined ? {} : { targetCPUUtilizationPercentage: wanted }) },
    status: {
      ...status,
      currentReplicas: currentReplicas ?? 0,
      ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }),
    },
  };
}

const firstOf = (metrics: readonly JsonObject[], member: string): number | undefined =>
  metrics.map((metric) => cpuPercent(metric, member)).find((percent) => percent !== undefined);

/** The percentage of a metric that v1 has a member for. */
function cpuPercent(metric: JsonObject, member: string): number | undefined {
  const resource = objectAt(metric, "resource");
  if (metric["type"] !== "Resource" || textAt(resource, "name") !== "cpu") return undefined;
  return numberAt(objectAt(resource, member), "averageUtilization");
}

const CONDITION = ["type", "status", "lastTransitionTime", "reason", "message"];

const goName = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Go's JSON of structs without tags: all members, in their order. */
const goStruct = (members: readonly string[], source: JsonObject): JsonObject =>
  Object.fromEntries(members.map((name) => [goName(name), source[name] ?? null]));

const DIRECTIONS = ["scaleUp", "scaleDown"];

const goBehavior = (behavior: JsonObject): JsonObject =>
  Object.fromEntries(DIRECTIONS.map((name) => [goName(name), goRules(objectAt(behavior, name))]));

function goRules(rules: JsonObject | undefined): JsonObject | null {
  if (rules === undefined) return null;
  const given = objectsAt(rules, "policies").map((policy) =>
    goStruct(["type", "value", "periodSeconds"], policy),
  );
  const policies = given.length > 0 ? given : null;
  const members = ["stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance"];
  return { ...goStruct(members, rules), Policies: policies };
}

/**
 * Value of an annotation, which may have any content: members of the expected type are kept. Go matches names
 * case-insensitively.
 */
function behaviorFromGo(behavior: JsonObject): JsonObject {
  const rules = DIRECTIONS.flatMap((direction) => {
    const given = goMember(behavior, direction);
    return isObject(given) ? [[direction, rulesFromGo(given)]] : [];
  });
  return Object.fromEntries(rules);
}

function rulesFromGo(rules: JsonObject): JsonObject {
  const given: JsonObject = {};
  const take = (name: string, type: string) => {
    const value = goMember(rules, name);
    if (typeof value === type) given[name] = value;
  };
  take("stabilizationWindowSeconds", "number");
  take("selectPolicy", "string");
  take("tolerance", "string");
  const policies = goMember(rules, "policies");
  if (Array.isArray(policies)) given["policies"] = policies.filter(isObject).map(policyFromGo);
  return given;
}

const policyFromGo = (policy: JsonObject): JsonObject => ({
  type: String(goMember(policy, "type") ?? ""),
  value: Number(goMember(policy, "value") ?? 0) || 0,
  periodSeconds: Number(goMember(policy, "periodSeconds") ?? 0) || 0,
});

const goMember = (object: JsonObject, name: string): unknown => object[goName(name)] ?? object[name];

/** Its texts, in Go's encoding order. */
const conditionOf = (condition: JsonObject): JsonObject =>
  Object.fromEntries(
    CONDITION.filter((name) => typeof condition[name] === "string").map((name) => [name, condition[name]]),
  );

const listIn = (text: unknown): JsonObject[] => objectsOf(parsedJson(textOf(text)));

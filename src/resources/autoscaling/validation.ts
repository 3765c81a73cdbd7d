// What a HorizontalPodAutoscaler must fulfil, in the form of v2.

import { quantityNanos } from "../../go/quantity.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../../meta/field-error.ts";
import { isObject, type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { specOf } from "../fields.ts";
import { type CodeRules, type Place, schemaErrors } from "../schema-rules.ts";

const TYPES = "io.k8s.api.autoscaling.v2.";
const TARGET_TYPES = ["Utilization", "Value", "AverageValue"];

/** An old object comes along with an update. */
export function validateAutoscaler(object: Readonly<JsonObject>, old?: Readonly<JsonObject>): FieldError[] {
  const spec = specOf(object);
  const target = objectAt(spec, "scaleTargetRef") ?? {};
  const before = objectAt(specOf(old), "scaleTargetRef");
  const isSame = ["apiVersion", "kind"].every((key) => textAt(target, key) === textAt(before, key));
  const named = old !== undefined && isSame ? "anyhow" : namedBy(target);
  const described = objectsAt(specOf(old), "metrics").some(isDescribedWrongly) ? "anyhow" : "by version";
  const code: CodeRules = {
    minReplicas: ({ field }) => validateLeast(field, spec, specOf(old)["minReplicas"] === 0 ? 0 : 1),
    maxReplicas: ({ field }) => validateMost(field, spec),
    apiVersion: (place) => apiVersionErrors(place, named),
    metric: ({ field, value }) => validateMetric(field, isObject(value) ? value : {}, described),
    emptying: () => validateEmptying(spec),
    notNegative: ({ field, value }) =>
      quantityNanos(value) < 0n ? [invalid(field, value, "must be greater than or equal to 0")] : [],
  };
  return schemaErrors(`${TYPES}HorizontalPodAutoscalerSpec`, spec, { field: "spec", code });
}

/** Only one scalable kind has no group. */
const namedBy = (target: JsonObject): ApiVersionRule =>
  textAt(target, "kind") === "ReplicationController" ? "by version" : "by group";

function isDescribedWrongly(metric: JsonObject): boolean {
  if (metric["type"] !== "Object") return false;
  const described = objectAt(objectAt(metric, "object"), "describedObject");
  return apiVersionComplaint(textAt(described, "apiVersion"), "by version") !== undefined;
}

/** Pods that are not there say nothing that could bring them back. */
function validateEmptying(spec: JsonObject): FieldError[] {
  const fromOutside = objectsAt(spec, "metrics").some(({ type }) => type === "Object" || type === "External");
  if (numberAt(spec, "minReplicas") !== 0 || fromOutside) return [];
  const rule = "must specify at least one Object or External metric to support scaling to zero replicas";
  return [forbidden("spec.metrics", rule)];
}

/** Scaling to nothing is not offered; who has it already may keep it. */
function validateLeast(field: string, spec: JsonObject, least: number): FieldError[] {
  const min = numberAt(spec, "minReplicas") ?? least;
  return min < least ? [invalid(field, min, `must be greater than or equal to ${least}`)] : [];
}

function validateMost(field: string, spec: JsonObject): FieldError[] {
  const max = numberAt(spec, "maxReplicas") ?? 0;
  const tooFew = max < (numberAt(spec, "minReplicas") ?? max);
  return tooFew ? [invalid(field, max, "must be greater than or equal to `minReplicas`")] : [];
}

/** What the apiVersion has to be: group and version, a version at least, or whatever it was before. */
type ApiVersionRule = "by group" | "by version" | "anyhow";

function apiVersionErrors({ field, value }: Place, rule: ApiVersionRule): FieldError[] {
  const complaint = apiVersionComplaint(String(value), rule);
  return complaint === undefined ? [] : [invalid(field, value, complaint)];
}

function apiVersionComplaint(apiVersion: string, rule: ApiVersionRule): string | undefined {
  if (rule === "anyhow") return undefined;
  const parts = apiVersion.split("/");
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = parts.length === 2 && parts[0] !== "";
  return rule === "by group" && !hasGroup ? "apiVersion must specify API group" : undefined;
}

/** The members that say more about a metric, by its type; in the order in which they are looked at. */
const SOURCES: ReadonlyMap<string, string> = new Map([
  ["object", "Object"],
  ["external", "External"],
  ["pods", "Pods"],
  ["resource", "Resource"],
  ["containerResource", "ContainerResource"],
]);
const METRIC_TYPES = [...SOURCES.values()].sort();

/**
 * Just the member of the metric's type has to be there. Only the first of several is looked into. Objects that are
 * measured are named by the rule.
 */
function validateMetric(field: string, metric: JsonObject, described: ApiVersionRule): FieldError[] {
  const type = textAt(metric, "type");
  const present = [...SOURCES.keys()].filter((member) => objectAt(metric, member) !== undefined);
  const expected = [...SOURCES].find(([, name]) => name === type)?.[0];
  const errors: FieldError[] = [];
  const unknownType = () => errors.push(notSupported(`${field}.type`, type, METRIC_TYPES));
  if (type === "") errors.push(required(`${field}.type`, "must specify a metric source type"));
  if (expected === undefined) unknownType();
  const [first] = present;
  if (first !== undefined) {
    const source = objectAt(metric, first) ?? {};
    const code = { ...TARGET_CODE, apiVersion: (place: Place) => apiVersionErrors(place, described) };
    const type = `${TYPES}${SOURCES.get(first)}MetricSource`;
    append(errors, schemaErrors(type, source, { field: `${field}.${first}`, code }));
  }
  if (expected === undefined) unknownType();
  else if (!present.includes(expected)) {
    errors.push(required(`${field}.${expected}`, "must populate information for the given metric source"));
  }
  if (present.length === 1) return errors;
  const others = present.filter((member) => member !== expected);
  return [
    ...errors,
    ...others.map((member) => forbidden(`${field}.${member}`, "must populate the given metric source only")),
  ];
}

/** One of the members of the target has to be there; the first is named. */
const oneOf = ({ field, owner }: Place, members: readonly string[], rule: string): FieldError[] =>
  members.some((member) => has(owner, member)) ? [] : [required(`${field}.target.${members[0]}`, rule)];

/** Not all of the members of the target may be there; the first is named. */
const notBoth = ({ field, owner }: Place, members: readonly string[], rule: string): FieldError[] =>
  members.every((member) => has(owner, member)) ? [forbidden(`${field}.target.${members[0]}`, rule)] : [];

const has = ({ target }: JsonObject, member: string): boolean =>
  isObject(target) && (target[member] ?? undefined) !== undefined;

const TARGET_CODE: CodeRules = {
  objectTarget: (place) =>
    oneOf(place, ["averageValue", "value"], "must set either a target value or averageValue"),
  podsTarget: (place) => oneOf(place, ["averageValue"], "must specify a positive target averageValue"),
  externalTarget: (place) => [
    ...oneOf(
      place,
      ["averageValue", "value"],
      "must set either a target value for metric or a per-pod target",
    ),
    ...notBoth(
      place,
      ["value", "averageValue"],
      "may not set both a target value for metric and a per-pod target",
    ),
  ],
  useTarget: (place) => [
    ...oneOf(
      place,
      ["averageUtilization", "averageValue"],
      "must set either a target raw value or a target utilization",
    ),
    ...notBoth(
      place,
      ["averageValue", "averageUtilization"],
      "may not set both a target raw value and a target utilization",
    ),
  ],
  targetType({ field, owner }) {
    const type = textAt(owner, "type");
    if (TARGET_TYPES.includes(type)) return [];
    return [invalid(`${field}.type`, type, "must be either Utilization, Value, or AverageValue")];
  },
  positive: ({ field, value }) =>
    quantityNanos(value) > 0n ? [] : [invalid(field, value, "must be positive")],
};

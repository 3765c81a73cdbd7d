// What the metrics of a HorizontalPodAutoscaler must fulfil, in the form of v2.

import { quantityNanos } from "../../go/quantity.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { type CodeRules, type Place, schemaErrors } from "../schema-rules.ts";
import { type ApiVersionRule, apiVersionErrors } from "./reference-validation.ts";

const TARGET_TYPES = ["Utilization", "Value", "AverageValue"];

const TYPE_PREFIX = "io.k8s.api.autoscaling.v2.";

/** The members that say more about a metric, by its type; in the order in which they are looked at. */
const SOURCES: ReadonlyMap<string, string> = new Map([
  ["object", "Object"],
  ["external", "External"],
  ["pods", "Pods"],
  ["resource", "Resource"],
  ["containerResource", "ContainerResource"],
]);
const TYPES = [...SOURCES.values()].sort();

/**
 * Just the member of the metric's type has to be there. Only the first of several is looked into. Objects that are
 * measured are named by the rule.
 */
export function validateMetric(field: string, metric: JsonObject, described: ApiVersionRule): FieldError[] {
  const type = textAt(metric, "type");
  const present = [...SOURCES.keys()].filter((member) => objectAt(metric, member) !== undefined);
  const expected = [...SOURCES].find(([, name]) => name === type)?.[0];
  const errors: FieldError[] = [];
  const unknownType = () => errors.push(notSupported(`${field}.type`, type, TYPES));
  if (type === "") errors.push(required(`${field}.type`, "must specify a metric source type"));
  if (expected === undefined) unknownType();
  const [first] = present;
  if (first !== undefined) {
    const source = objectAt(metric, first) ?? {};
    const code = { ...CODE, apiVersion: (place: Place) => apiVersionErrors(place, described) };
    const type = `${TYPE_PREFIX}${SOURCES.get(first)}MetricSource`;
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

const has = (source: JsonObject, member: string): boolean =>
  (objectAt(source, "target")?.[member] ?? undefined) !== undefined;

const CODE: CodeRules = {
  objectTarget: ({ field, owner }) =>
    oneOf(field, owner, ["averageValue", "value"], "must set either a target value or averageValue"),
  podsTarget: ({ field, owner }) =>
    oneOf(field, owner, ["averageValue"], "must specify a positive target averageValue"),
  externalTarget: ({ field, owner }) => [
    ...oneOf(
      field,
      owner,
      ["averageValue", "value"],
      "must set either a target value for metric or a per-pod target",
    ),
    ...notBoth(
      field,
      owner,
      ["value", "averageValue"],
      "may not set both a target value for metric and a per-pod target",
    ),
  ],
  useTarget: ({ field, owner }) => [
    ...oneOf(
      field,
      owner,
      ["averageUtilization", "averageValue"],
      "must set either a target raw value or a target utilization",
    ),
    ...notBoth(
      field,
      owner,
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

/** One of the members of the target has to be there; the first is named. */
function oneOf(field: string, source: JsonObject, members: readonly string[], rule: string): FieldError[] {
  return members.some((member) => has(source, member))
    ? []
    : [required(`${field}.target.${members[0]}`, rule)];
}

/** Not all of the members of the target may be there; the first is named. */
function notBoth(field: string, source: JsonObject, members: readonly string[], rule: string): FieldError[] {
  return members.every((member) => has(source, member))
    ? [forbidden(`${field}.target.${members[0]}`, rule)]
    : [];
}

// What the metrics of a HorizontalPodAutoscaler must fulfil, in the form of v2.

import { type FieldError, forbidden, invalid, notSupported, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { numberAt, textAt } from "../fields.ts";
import { quantityNanos } from "../quantity.ts";
import { validateSegment } from "../references.ts";
import { type ApiVersionRule, validateReference } from "./reference-validation.ts";

const TARGET_TYPES = ["Utilization", "Value", "AverageValue"];

type SourceCheck = (field: string, source: JsonObject, described: ApiVersionRule) => FieldError[];

/** The members that say more about a metric, by its type; in the order in which they are looked at. */
const SOURCES: ReadonlyMap<string, readonly [type: string, SourceCheck]> = new Map([
  ["object", ["Object", validateObject]],
  ["external", ["External", validateExternal]],
  ["pods", ["Pods", validatePods]],
  ["resource", ["Resource", validateResource]],
  ["containerResource", ["ContainerResource", validateContainerResource]],
]);
const TYPES = [...SOURCES.values()].map(([type]) => type).sort();

/**
 * Just the member of the metric's type has to be there. Only the first of several is looked into. Objects that are
 * measured are named by the rule.
 */
export function validateMetric(field: string, metric: JsonObject, described: ApiVersionRule): FieldError[] {
  const type = textAt(metric, "type");
  const present = [...SOURCES.keys()].filter((member) => objectAt(metric, member) !== undefined);
  const expected = [...SOURCES].find(([, [name]]) => name === type)?.[0];
  const errors: FieldError[] = [];
  const unknownType = () => errors.push(notSupported(`${field}.type`, type, TYPES));
  if (type === "") errors.push(required(`${field}.type`, "must specify a metric source type"));
  if (expected === undefined) unknownType();
  const [first] = present;
  if (first !== undefined) {
    const source = objectAt(metric, first) ?? {};
    append(errors, SOURCES.get(first)?.[1](`${field}.${first}`, source, described) ?? []);
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

function validateObject(field: string, source: JsonObject, described: ApiVersionRule): FieldError[] {
  const rule = "must set either a target value or averageValue";
  return [
    ...validateReference(`${field}.describedObject`, objectAt(source, "describedObject") ?? {}, described),
    ...validateIdentifier(`${field}.metric`, objectAt(source, "metric")),
    ...validateTarget(`${field}.target`, objectAt(source, "target")),
    ...(has(source, "value") || has(source, "averageValue")
      ? []
      : [required(`${field}.target.averageValue`, rule)]),
  ];
}

function validateExternal(field: string, source: JsonObject): FieldError[] {
  const errors = [
    ...validateIdentifier(`${field}.metric`, objectAt(source, "metric")),
    ...validateTarget(`${field}.target`, objectAt(source, "target")),
  ];
  const [whole, mean] = [has(source, "value"), has(source, "averageValue")];
  if (!whole && !mean) {
    const rule = "must set either a target value for metric or a per-pod target";
    errors.push(required(`${field}.target.averageValue`, rule));
  }
  if (whole && mean) {
    const rule = "may not set both a target value for metric and a per-pod target";
    errors.push(forbidden(`${field}.target.value`, rule));
  }
  return errors;
}

function validatePods(field: string, source: JsonObject): FieldError[] {
  const rule = "must specify a positive target averageValue";
  return [
    ...validateIdentifier(`${field}.metric`, objectAt(source, "metric")),
    ...validateTarget(`${field}.target`, objectAt(source, "target")),
    ...(has(source, "averageValue") ? [] : [required(`${field}.target.averageValue`, rule)]),
  ];
}

function validateContainerResource(field: string, source: JsonObject): FieldError[] {
  return validateUse(field, source, [NAMED, ["container", "must specify a container"]]);
}

const NAMED = ["name", "must specify a resource name"] as const;

function validateResource(field: string, source: JsonObject): FieldError[] {
  return validateUse(field, source, [NAMED]);
}

/** Of a resource; these members have to be there. */
function validateUse(
  field: string,
  source: JsonObject,
  named: readonly (readonly [member: string, rule: string])[],
): FieldError[] {
  const errors = named.flatMap(([member, rule]) =>
    textAt(source, member) === "" ? [required(`${field}.${member}`, rule)] : [],
  );
  append(errors, validateTarget(`${field}.target`, objectAt(source, "target")));
  const [share, mean] = [has(source, "averageUtilization"), has(source, "averageValue")];
  if (!share && !mean) {
    const rule = "must set either a target raw value or a target utilization";
    errors.push(required(`${field}.target.averageUtilization`, rule));
  }
  if (share && mean) {
    const rule = "may not set both a target raw value and a target utilization";
    errors.push(forbidden(`${field}.target.averageValue`, rule));
  }
  return errors;
}

const validateIdentifier = (field: string, metric: JsonObject | undefined): FieldError[] => {
  const name = textAt(metric, "name");
  return name === ""
    ? [required(`${field}.name`, "must specify a metric name")]
    : validateSegment(`${field}.name`, name);
};

function validateTarget(field: string, target: JsonObject | undefined): FieldError[] {
  const type = textAt(target, "type");
  const share = numberAt(target, "averageUtilization");
  const errors: FieldError[] = [];
  if (type === "") errors.push(required(`${field}.type`, "must specify a metric target type"));
  if (!TARGET_TYPES.includes(type)) {
    errors.push(invalid(`${field}.type`, type, "must be either Utilization, Value, or AverageValue"));
  }
  for (const member of ["value", "averageValue"]) {
    const amount = target?.[member];
    if (amount === undefined || quantityNanos(amount) > 0n) continue;
    errors.push(invalid(`${field}.${member}`, amount, "must be positive"));
  }
  if (share !== undefined && share < 1) {
    errors.push(invalid(`${field}.averageUtilization`, share, "must be greater than 0"));
  }
  return errors;
}

// Request policy of a device's capacity, where several requests share it: one of fixed values, or a value within a range,
// in steps.
import {
  addAmounts,
  amountOf,
  canonicalQuantity,
  NANOS,
  quantityNanos,
  showQuantity,
} from "../../apimachinery/go/quantity.ts";
import { type JsonObject, objectAt } from "../../apimachinery/json/json.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  repeated,
  required,
  tooMany,
} from "../../apimachinery/meta/field-error.ts";

const VALUES_MAX = 10;

/** Request policy of one capacity; a device that is allocated exclusively must not have one. */
export function validateRequestPolicy(field: string, capacity: JsonObject, isShared: boolean): FieldError[] {
  const policy = objectAt(capacity, "requestPolicy");
  if (policy === undefined) return [];
  if (!isShared) return [forbidden(field, "allowMultipleAllocations must be true")];
  const total = shown(capacity["value"]);
  const { default: usual, validValues } = policy;
  const values = Array.isArray(validValues) ? validValues.map(shown) : [];
  const range = objectAt(policy, "validRange");
  if (values.length > 0 && range !== undefined) {
    const rule =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [forbidden(field, rule)];
  }
  const kind = values.length > 0 ? "validValues" : "validRange";
  if (values.length === 0 && range === undefined) return [];
  if (usual === undefined) return [required(`${field}.default`, `required when ${kind} is defined`)];
  return range === undefined
    ? valuesErrors(`${field}.validValues`, values, shown(usual), total)
    : rangeErrors(`${field}.validRange`, range, shown(usual), total);
}

const shown = (quantity: unknown): string => canonicalQuantity(String(quantity ?? "0"));
const isMore = (one: string, other: string): boolean => quantityNanos(one) > quantityNanos(other);

function valuesErrors(field: string, values: readonly string[], usual: string, total: string): FieldError[] {
  const unsorted = values.flatMap((value, index) =>
    index > 0 && isMore(values[index - 1] ?? value, value)
      ? [invalid(`${field}[${index}]`, value, "values must be sorted in ascending order")]
      : [],
  );
  const unknown = invalid(field, usual, "default value is not valid according to the requestPolicy");
  if (values.length > VALUES_MAX) return [...unsorted, tooMany(field, values.length, VALUES_MAX), unknown];
  const isKnown = values.some((value) => quantityNanos(value) === quantityNanos(usual));
  const seen = new Set<unknown>();
  return [
    ...unsorted,
    ...values.flatMap((value, index) =>
      isMore(value, total)
        ? [invalid(`${field}[${index}]`, value, `option is larger than capacity value: ${total}`)]
        : [],
    ),
    ...values.flatMap((value, index) => repeated(seen, `${field}[${index}]`, String(wholeOf(value)))),
    ...(isKnown ? [] : [unknown]),
  ];
}

/** Rounded up to a whole number, as upstream. */
const wholeOf = (quantity: string): bigint => {
  const nanos = quantityNanos(quantity);
  return nanos / NANOS + (nanos % NANOS > 0n ? 1n : 0n);
};

function rangeErrors(field: string, range: JsonObject, usual: string, total: string): FieldError[] {
  if (range["min"] === undefined) return [required(`${field}.min`, "required when validRange is defined")];
  const min = shown(range["min"]);
  const max = range["max"] === undefined ? undefined : shown(range["max"]);
  const errors: FieldError[] = [];
  const unless = (isRight: boolean, member: string, value: string, rule: string): void => {
    if (!isRight) errors.push(invalid(`${field}.${member}`, value, rule));
  };
  unless(!isMore(min, total), "min", min, `min is larger than capacity value: ${total}`);
  unless(!isMore(min, usual), "default", usual, `default is less than min: ${min}`);
  if (max !== undefined) {
    unless(!isMore(min, max), "max", min, `min is larger than max: ${max}`);
    unless(!isMore(max, total), "max", max, `max is larger than capacity value: ${total}`);
    unless(!isMore(usual, max), "default", usual, `default is more than max: ${max}`);
  }
  if (range["step"] === undefined) return errors;
  const step = shown(range["step"]);
  const first = showQuantity(addAmounts(amountOf(min), amountOf(step)));
  unless(!isMore(first, total), "step", step, `one step ${first} is larger than capacity value: ${total}`);
  const size = wholeOf(step);
  for (const value of max === undefined ? [usual] : [usual, max]) {
    const isMultiple = size === 0n || (wholeOf(value) - wholeOf(min)) % size === 0n;
    unless(isMultiple, "step", value, `value is not a multiple of a given step (${step}) from (${min})`);
  }
  return errors;
}

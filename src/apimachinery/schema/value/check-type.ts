// JSON types as in a Go server: a number without a fraction is an int64, any other number is a float64. A format makes
// the type check more lenient in some cases and stricter in others, as upstream.

import { equalJson, isObject, type JsonTypeName, jsonTypeOf } from "../../json/json.ts";
import { type FieldError, invalid, showValue } from "../../meta/field-error.ts";
import type { ValueSchema } from "./value-schema.ts";

export type JsonNumber = number | bigint;

/** A number that a Go server holds as int64; all others are float64 there. */
export const isInt64 = (value: JsonNumber): boolean =>
  typeof value === "bigint" || Number.isSafeInteger(value);

const RELATIVE_ERROR = 1e-9;

/** A double without a fraction, or nearly so, within the integers that doubles hold exactly. */
export function isNearlyInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  if (whole === value) return true;
  if (whole === 0) return false;
  return Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < RELATIVE_ERROR;
}

/**
 * Bounds of numbers, in upstream's order: range, multipleOf, minimum, maximum. An integer is compared with the bound
 * truncated to an integer, all other numbers as doubles. Value and bounds must be within the range of the type; a
 * violation is reported for the object as a whole.
 */
export function numberErrors(
  schema: ValueSchema,
  value: JsonNumber,
  path: string,
  fields: { readonly field: string; readonly whole: string },
): FieldError[] {
  const errors: FieldError[] = [];
  const complain = (text: string): void =>
    void errors.push(invalid(fields.field, value, `${path} in body should be ${text}`));
  const isInRange = (number: JsonNumber, subject: string): boolean => {
    const complaint = rangeComplaint(schema, number, subject, path);
    if (complaint !== undefined) errors.push(invalid(fields.whole, "", complaint));
    return complaint === undefined;
  };
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  isInRange(value, "Checked");
  if (multipleOf !== undefined) {
    const inRange = isInRange(multipleOf, "MultipleOf");
    const bound = shownBound(value, multipleOf, inRange);
    if (!isMultiple(value, multipleOf, inRange)) complain(`a multiple of ${showValue(bound)}`);
  }
  if (minimum !== undefined) {
    const bound = shownBound(value, minimum, isInRange(minimum, "Minimum boundary"));
    if (exclusiveMinimum ? value <= bound : value < bound)
      complain(`greater than ${exclusiveMinimum ? "" : "or equal to "}${showValue(bound)}`);
  }
  if (maximum !== undefined) {
    const bound = shownBound(value, maximum, isInRange(maximum, "Maximum boundary"));
    if (exclusiveMaximum ? value >= bound : value > bound)
      complain(`less than ${exclusiveMaximum ? "" : "or equal to "}${showValue(bound)}`);
  }
  return errors;
}

/** An integer is compared with the truncated bound, as long as the bound is within the range of the type. */
const shownBound = (value: JsonNumber, bound: number, inRange: boolean): JsonNumber =>
  inRange && isInt64(value) ? toInt64(bound) : bound;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** Go's conversion of a double to int64; out of range it results in the smallest value. */
function toInt64(value: number): JsonNumber {
  const whole = Math.trunc(value);
  if (Number.isSafeInteger(whole)) return whole;
  const exact = Number.isFinite(whole) ? BigInt(whole) : INT64_MAX + 1n;
  return exact >= INT64_MIN && exact <= INT64_MAX ? exact : INT64_MIN;
}

function isMultiple(value: JsonNumber, factor: number, inRange: boolean): boolean {
  const whole = toInt64(factor);
  if (inRange && isInt64(value) && BigInt(whole) > 0n) return BigInt(value) % BigInt(whole) === 0n;
  const double = Number(value);
  return isNearlyInteger(factor < 1 ? (1 / factor) * double : double / factor);
}

const INT32_MAX = 2 ** 31 - 1;

/** Error for a value outside of the range of its type and format. */
function rangeComplaint(
  { types, format }: ValueSchema,
  value: JsonNumber,
  subject: string,
  path: string,
): string | undefined {
  const [type = ""] = types.length === 1 ? types : [];
  if (fitsRange(type, format, value)) return undefined;
  const shown = format === "" ? "(default format)" : `with format ${format}`;
  return `${subject} value must be of type ${type} ${shown} in ${path}`;
}

function fitsRange(type: string, format: string, value: JsonNumber): boolean {
  if (type === "integer") {
    if (typeof value === "number" && !Number.isInteger(value)) return false;
    if (format === "int32") return value >= -INT32_MAX - 1 && value <= INT32_MAX;
    return value >= INT64_MIN && value <= INT64_MAX;
  }
  return format !== "float" || Number.isFinite(Math.fround(Number(value)));
}

/**
 * Go's comparison with enum values: the value is first converted to the type of the listed one, if Go can. A null equals
 * nothing, not even a listed null.
 */
export function isEnumerated(values: readonly unknown[], value: unknown): boolean {
  return values.some((listed) => equalsListed(listed, value));
}

function equalsListed(listed: unknown, value: unknown): boolean {
  if (listed === null || value === null || value === undefined) return false;
  if (isNumber(listed)) {
    if (!isNumber(value)) return false;
    if (isInt64(listed) && !isInt64(value)) return Math.trunc(Number(value)) === Number(listed);
    return isInt64(listed) ? BigInt(value) === BigInt(listed) : Number(value) === listed;
  }
  if (Array.isArray(listed) || isObject(listed)) return equalJson(listed, value);
  if (typeof listed === "string" && isNumber(value)) return isLetterOf(listed, value);
  return listed === value;
}

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";

/** Go converts an integer to the string of that code point. */
function isLetterOf(listed: string, value: number | bigint): boolean {
  if (!isInt64(value) || value < 0 || value > 0x10ffff) return false;
  return String.fromCodePoint(Number(value)) === listed;
}

/** JSON type as in a Go server: a number that is no int64 is a float64, whatever its fraction. */
export const kindOf = (value: unknown): JsonTypeName =>
  typeof value === "number" && !isInt64(value) ? "number" : jsonTypeOf(value);

/** Expected and actual type, as messages name them. */
export interface TypeMismatch {
  readonly expected: string;
  readonly found: string;
}

export const checksType = ({ types, format }: ValueSchema): boolean => types.length > 0 || format !== "";

export function typeMismatch(
  schema: ValueSchema,
  value: unknown,
  kind: JsonTypeName,
): TypeMismatch | undefined {
  const { types, format, nullable } = schema;
  if (kind === "null") {
    return types.length === 0 || nullable ? undefined : { expected: types.join(","), found: "null" };
  }
  const fits =
    types.includes(kind) ||
    (kind === "integer" && types.includes("number")) ||
    (kind === "number" && types.includes("integer") && isNearlyInteger(Number(value)));
  if (format !== "") {
    if (kind !== "string" && kind !== "array") {
      return fits ? undefined : { expected: format, found: GO_FORMATS[kind] ?? "" };
    }
    if (!types.includes("integer") && !types.includes("number")) return undefined;
  }
  return fits ? undefined : { expected: types.join(","), found: kind };
}

const GO_FORMATS: Partial<Record<JsonTypeName, string>> = { integer: "int64", number: "float64" };

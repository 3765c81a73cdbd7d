// Bounds of numbers as a real server checks them: an integer against a bound cut to an integer, everything else as
// doubles; the value, and the bounds too, must lie in the range of the type.
import { type FieldError, invalid, showValue } from "../../meta/field-error.ts";
import type { NumberRule } from "./value-schema.ts";

export type JsonNumber = number | bigint;

/** A number that a Go server holds as int64; all others are float64 there. */
export const isInt64 = (value: JsonNumber): boolean =>
  typeof value === "bigint" || Number.isSafeInteger(value);

const RELATIVE_ERROR = 1e-9;

/** A double without a fraction, or almost, within the integers that doubles hold exactly. */
export function isNearlyInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  if (whole === value) return true;
  if (whole === 0) return false;
  return Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < RELATIVE_ERROR;
}

/**
 * What is wrong, in the order of a real server: range, multipleOf, minimum, maximum. What is wrong with the range is told
 * of the object as a whole.
 */
export function numberErrors(
  rule: NumberRule,
  value: JsonNumber,
  path: string,
  fields: { readonly field: string; readonly whole: string },
): FieldError[] {
  const errors: FieldError[] = [];
  const complain = (text: string): void =>
    void errors.push(invalid(fields.field, value, `${path} in body should be ${text}`));
  const isInRange = (number: JsonNumber, subject: string): boolean => {
    const complaint = rangeComplaint(rule, number, subject, path);
    if (complaint !== undefined) errors.push(invalid(fields.whole, "", complaint));
    return complaint === undefined;
  };
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = rule;
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

/** An integer is compared with the bound cut to an integer, as long as the bound lies in the type's range. */
const shownBound = (value: JsonNumber, bound: number, inRange: boolean): JsonNumber =>
  inRange && isInt64(value) ? toInt64(bound) : bound;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** What a conversion to int64 makes of a double; out of range it gives the smallest value. */
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

/** The value does not fit the type and format at all. */
function rangeComplaint(
  { type, format }: NumberRule,
  value: JsonNumber,
  subject: string,
  path: string,
): string | undefined {
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

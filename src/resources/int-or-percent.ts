// Amounts that are either a number or a share of the whole ("25%").
import { type FieldError, invalid } from "../meta/field-error.ts";

const PERCENT = /^[0-9]+%$/;
const PERCENT_RULE =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** The number, of whatever it counts; texts that are no share count nothing. */
export function amountOf(value: unknown): number {
  if (typeof value === "string") return PERCENT.test(value) ? Number.parseInt(value, 10) : 0;
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : 0;
}

export function validateAmount(field: string, value: unknown): FieldError[] {
  if (typeof value === "string") return PERCENT.test(value) ? [] : [invalid(field, value, PERCENT_RULE)];
  const number = amountOf(value);
  return number < 0 ? [invalid(field, number, "must be greater than or equal to 0")] : [];
}

export function validateShare(field: string, value: unknown): FieldError[] {
  if (typeof value !== "string" || amountOf(value) <= 100) return [];
  return [invalid(field, value, "must not be greater than 100%")];
}

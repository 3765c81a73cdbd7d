// Validation errors for one field of an object, worded as in k8s.io/apimachinery's field package. Lists of them are
// returned, never thrown; apimachinery/meta/status.ts converts a list into one 422.
import { goQuote } from "../go/strconv.ts";
import { encodeJson } from "../json/json-encode.ts";

export type FieldErrorReason =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueDuplicate"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueNotFound"
  | "FieldValueTypeInvalid"
  | "InternalError";

export interface FieldError {
  readonly reason: FieldErrorReason;
  /** Dotted path with [index] and [key], as in causes; "" is the object as a whole. */
  readonly field: string;
  /** The text behind the field's name: "Invalid value: …: …". */
  readonly message: string;
  /** The error is dropped if this option allows the value. */
  readonly unlessAllowed?: Allowance;
}

/** What a server forbids unless an option allows it: containers with root-like permissions on their node. */
export type Allowance = "privileged containers";

/**
 * Limit of the total length of validation errors, in characters. A real server has none. Here one process holds all
 * responses, and each finding repeats the path of its field. Collecting stops after the first error beyond the limit.
 */
export const FINDINGS_CHARS_MAX = 4 * 1024 * 1024;

/** Collects validation errors of many values until the limit is reached. */
export class ToldFindings {
  readonly errors: FieldError[] = [];
  #chars = 0;

  /** Further errors would exceed the limit. */
  get isFull(): boolean {
    return this.#chars > FINDINGS_CHARS_MAX;
  }

  add(error: FieldError): void {
    this.errors.push(error);
    this.#chars += error.field.length + error.message.length;
  }
}

const make = (reason: FieldErrorReason, field: string, head: string, detail: string): FieldError => ({
  reason,
  field,
  message: detail ? `${head}: ${detail}` : head,
});

/** Formats a value within a message: text quoted, numbers as Go's %v prints a float64, objects as JSON. */
export function showValue(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return showNumber(value);
  return value === undefined ? "null" : encodeJson(value);
}

/** Go's %v: shortest digits; an exponent of at least two digits below 1e-4 and from 1e21. */
function showNumber(value: number): string {
  const size = Math.abs(value);
  const text = size !== 0 && size < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

export const required = (field: string, detail = ""): FieldError =>
  make("FieldValueRequired", field, "Required value", detail);
export const invalid = (field: string, value: unknown, detail: string): FieldError =>
  make("FieldValueInvalid", field, `Invalid value: ${showValue(value)}`, detail);
export const typeInvalid = (field: string, value: unknown, detail: string): FieldError =>
  make("FieldValueTypeInvalid", field, `Invalid value: ${showValue(value)}`, detail);
export const duplicate = (field: string, value: unknown): FieldError =>
  make("FieldValueDuplicate", field, `Duplicate value: ${showValue(value)}`, "");
/** Returns a Duplicate error if the value, or its key, was seen before; otherwise records it. */
export function repeated(
  seen: Set<unknown>,
  field: string,
  value: unknown,
  key: unknown = value,
): FieldError[] {
  if (seen.has(key)) return [duplicate(field, value)];
  seen.add(key);
  return [];
}
export const forbidden = (field: string, detail: string): FieldError =>
  make("FieldValueForbidden", field, "Forbidden", detail);
export const notFoundValue = (field: string, value: unknown): FieldError =>
  make("FieldValueNotFound", field, `Not found: ${showValue(value)}`, "");
/** Too long, in bytes; the value itself is not shown (it may be huge). */
export const tooLong = (field: string, bytesMax: number): FieldError =>
  make("FieldValueTooLong", field, "Too long", `may not be more than ${bytesMax} bytes`);
export const tooMany = (field: string, count: number, countMax: number): FieldError =>
  make(
    "FieldValueTooMany",
    field,
    `Too many: ${count}`,
    `must have at most ${countMax} ${countMax === 1 ? "item" : "items"}`,
  );
export function notSupported(field: string, value: unknown, supported: readonly unknown[]): FieldError {
  const shown = supported
    .map((item) => (typeof item === "string" ? encodeJson(item) : `"${showValue(item)}"`))
    .join(", ");
  return make(
    "FieldValueNotSupported",
    field,
    `Unsupported value: ${showValue(value)}`,
    `supported values: ${shown}`,
  );
}

/** Formats the error as one line of a Status message. */
export function describeFieldError(error: FieldError): string {
  return `${error.field || "<nil>"}: ${error.message}`;
}

// Checks of single values that several kinds share.
import { type FieldError, type FieldErrorReason, invalid } from "../meta/field-error.ts";
import { equalJson } from "../meta/json.ts";
import { encodeJson } from "../meta/json-encode.ts";
import { isDns1035Label } from "../meta/names.ts";

const PORT_NAME_MAX = 15;

/** A finding for each complaint of the rule about the value. */
export const formErrors = <T>(rule: (value: T) => string[], field: string, value: T): FieldError[] =>
  rule(value).map((complaint) => invalid(field, value, complaint));

/** One finding, with all complaints in a line. */
export function joinedErrors(rule: (value: string) => string[], field: string, value: string): FieldError[] {
  const complaints = rule(value);
  return complaints.length === 0 ? [] : [invalid(field, value, complaints.join(","))];
}

/** The name of a kind is a DNS label once it is in lower case. */
export function kindErrors(field: string, kind: string): FieldError[] {
  const complaints = isDns1035Label(kind.toLowerCase());
  if (complaints.length === 0) return [];
  return [invalid(field, kind, `may have mixed case, but should otherwise match: ${complaints.join(",")}`)];
}

export const isPortNumber = (port: number): string[] =>
  port >= 1 && port <= 65535 ? [] : ["must be between 1 and 65535, inclusive"];

/** The name of a port of a container (IANA service name). */
export function isPortName(name: string): string[] {
  const complaints: string[] = [];
  if (name.length > PORT_NAME_MAX) {
    complaints.push(`must be no more than ${PORT_NAME_MAX} characters`);
  }
  if (!/^[-a-z0-9]+$/.test(name)) {
    complaints.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(name)) complaints.push("must contain at least one letter (a-z)");
  if (name.includes("--")) complaints.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) complaints.push("must not begin or end with a hyphen");
  return complaints;
}

export const validateSame = (field: string, value: unknown, before: unknown): FieldError[] =>
  equalJson(value, before) ? [] : [invalid(field, value, "field is immutable")];

const PERCENT = /^[0-9]+%$/;
const PERCENT_RULE =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Of what is a number or a share of the whole ("25%"): the number, of whatever it counts; other texts count nothing. */
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

/** A value that messages show as a Go struct: its members in the order of the struct, not of the alphabet. */
type Struct = Readonly<Record<string, unknown>>;

const structError =
  (reason: FieldErrorReason, head: string) =>
  (field: string, value: Struct, detail = ""): FieldError => {
    const message = `${head} value: ${JSON.stringify(value)}`;
    return { reason, field, message: detail === "" ? message : `${message}: ${detail}` };
  };

export const duplicateStruct = structError("FieldValueDuplicate", "Duplicate");
export const invalidStruct = structError("FieldValueInvalid", "Invalid");
const unsupportedStruct = structError("FieldValueNotSupported", "Unsupported");

export const notSupportedStruct = (field: string, value: Struct, supported: readonly string[]): FieldError =>
  unsupportedStruct(
    field,
    value,
    `supported values: ${supported.map((item) => encodeJson(item)).join(", ")}`,
  );

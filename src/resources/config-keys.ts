// The rules that ConfigMap and Secret share: what keys may look like, how much fits in, and what immutable means.
import { type FieldError, forbidden, invalid } from "../meta/field-error.ts";
import { equalJson, type JsonObject } from "../meta/json.ts";

const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;
const KEY_LENGTH_MAX = 253;
const KEY_COMPLAINT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** All values of one object together, in bytes. */
export const CONFIG_BYTES_MAX = 1024 * 1024;

/** Keys become file names. */
export function isConfigKey(key: string): string[] {
  const complaints: string[] = [];
  if (Buffer.byteLength(key) > KEY_LENGTH_MAX) {
    complaints.push(`must be no more than ${KEY_LENGTH_MAX} characters`);
  }
  if (!CONFIG_KEY.test(key)) complaints.push(KEY_COMPLAINT);
  if (key === "." || key === "..") complaints.push(`must not be '${key}'`);
  else if (key.startsWith("..")) complaints.push("must not start with '..'");
  return complaints;
}

const NO_ERRORS: readonly FieldError[] = [];

export function validateConfigKey(field: string, key: string): readonly FieldError[] {
  // Nearly all keys are of this kind, and an object may have very many.
  if (key.length <= KEY_LENGTH_MAX && CONFIG_KEY.test(key) && !key.startsWith(".")) return NO_ERRORS;
  return isConfigKey(key).map((text) => invalid(`${field}[${key}]`, key, text));
}

/** The bytes behind a base64 text. */
export const base64Bytes = (text: unknown): number =>
  typeof text === "string" ? Buffer.byteLength(text, "base64") : 0;

/** Once immutable is true, neither it nor the given members may change. */
export function validateImmutable(
  object: Readonly<JsonObject>,
  old: Readonly<JsonObject>,
  members: readonly string[],
): FieldError[] {
  if (old["immutable"] !== true) return [];
  const changed = members.filter((member) => !equalJson(object[member] ?? {}, old[member] ?? {}));
  const fields = object["immutable"] === true ? changed : ["immutable", ...changed];
  return fields.map((field) => forbidden(field, "field is immutable when `immutable` is set"));
}

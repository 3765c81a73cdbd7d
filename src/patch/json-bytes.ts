// How long a value is as JSON, without writing it.
import { encodeJson } from "../meta/json-encode.ts";

const ASCII = /^[\w.\-/: ]*$/;

/** The bytes of encodeJson(value). */
export function jsonBytes(value: unknown): number {
  if (typeof value === "string") {
    return ASCII.test(value) ? value.length + 2 : Buffer.byteLength(encodeJson(value));
  }
  if (typeof value !== "object" || value === null) return encodeJson(value).length;
  let bytes = 1;
  if (Array.isArray(value)) {
    for (const item of value) bytes += jsonBytes(item) + 1;
    return Math.max(bytes, 2);
  }
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) bytes += jsonBytes(key) + 1 + jsonBytes(item) + 1;
  }
  return Math.max(bytes, 2);
}

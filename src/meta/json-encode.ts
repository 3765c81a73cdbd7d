// Canonical JSON: keys sorted, as a Go server writes maps, and integers with every digit. The same value
// always gives the same bytes, which is what the no-change check of a write compares.
import { keysInOrder, type MemberOrder, orderWithin } from "./json/member-order.ts";

const PLAIN_KEY = /^[\w.\-/:]*$/;

/** Encodes decoded JSON, by default with sorted keys; members that are undefined are left out. */
export function encodeJson(value: unknown, order?: MemberOrder): string {
  switch (typeof value) {
    case "string":
      return encodeString(value);
    case "number":
      return Number.isFinite(value) ? String(value) : "null";
    case "bigint":
    case "boolean":
      return String(value);
    case "object":
      if (value === null) return "null";
      if (Array.isArray(value)) return encodeArray(value, order?.items);
      return encodeObject(value as Record<string, unknown>, order); // neither null nor array
    default:
      return "null";
  }
}

function encodeString(value: string): string {
  return PLAIN_KEY.test(value) ? `"${value}"` : JSON.stringify(value);
}

function encodeArray(value: readonly unknown[], order: MemberOrder | undefined): string {
  let out = "[";
  for (let index = 0; index < value.length; index++) {
    if (index > 0) out += ",";
    out += encodeJson(value[index], order);
  }
  return `${out}]`;
}

function encodeObject(value: Record<string, unknown>, order: MemberOrder | undefined): string {
  let out = "{";
  for (const key of keysInOrder(value, order)) {
    const item = value[key];
    if (item === undefined) continue;
    if (out.length > 1) out += ",";
    out += `${encodeString(key)}:${encodeJson(item, orderWithin(order, key))}`;
  }
  return `${out}}`;
}

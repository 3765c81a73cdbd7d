// Canonical JSON: keys sorted, as a Go server writes maps, and integers with every digit. Equal values give equal
// bytes, which the no-op check of an update compares.

import { replaceMany } from "../meta/texts.ts";

const PLAIN_TEXT = /^[\w.\-/:]*$/;

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
    case "symbol":
      return value.description ?? "null"; // see spelled-number.ts
    default:
      return "null";
  }
}

const encodeString = (value: string): string =>
  PLAIN_TEXT.test(value) ? `"${value}"` : JSON.stringify(value);

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

// Order of the members of a value: declaration order for a struct, sorted by name otherwise.

export interface MemberOrder {
  /** Members of a struct; undefined: the keys are sorted. */
  readonly members: ReadonlyMap<string, OrderedMember> | undefined;
  /** Order within the values of a map. */
  readonly values: MemberOrder | undefined;
  /** Order within the items of a list. */
  readonly items: MemberOrder | undefined;
}

export interface OrderedMember {
  readonly place: number;
  /** Order within the member's value. */
  readonly order: MemberOrder | undefined;
}

/** Most objects have sorted keys already, and checking that is cheaper than sorting. */
export function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  for (let index = 1; index < keys.length; index++) {
    if ((keys[index - 1] ?? "") > (keys[index] ?? "")) return keys.sort();
  }
  return keys;
}

/** The keys in the order of the output: declared members first, unknown ones behind them. */
export function keysInOrder(value: object, order: MemberOrder | undefined): string[] {
  const members = order?.members;
  if (members === undefined) return sortedKeys(value);
  const placeOf = (key: string): number => members.get(key)?.place ?? members.size;
  const keys = Object.keys(value);
  for (let index = 1, last = placeOf(keys[0] ?? ""); index < keys.length; index++) {
    const place = placeOf(keys[index] ?? "");
    if (place <= last) return keys.sort((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
    last = place;
  }
  return keys;
}

/** The order within the value of a member. */
export const orderWithin = (order: MemberOrder | undefined, key: string): MemberOrder | undefined =>
  order?.members === undefined ? order?.values : order.members.get(key)?.order;

const HTML = /[<>&\u2028\u2029]/;
const HTML_ESCAPES = ["<", ">", "&", "\u2028", "\u2029"].map(
  (sign) => [sign, `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`] as const,
);

/**
 * Escapes characters as a Go encoder does, so that JSON may be embedded in HTML. In JSON these characters occur in
 * strings only.
 */
export function escapeHtml(json: string): string {
  if (!HTML.test(json)) return json;
  let text = json;
  for (const [sign, escaped] of HTML_ESCAPES) text = replaceMany(text, sign, escaped);
  return text;
}

/** JSON as Go encodes it: keys sorted, and characters escaped that could end a script in HTML. */
export const encodeGoJson = (value: unknown): string =>
  typeof value === "string" && PLAIN_TEXT.test(value) ? `"${value}"` : escapeHtml(encodeJson(value));

// JSON as text for another thread: members keep their order.

/** V8 does not encode integers beyond 2^53 (bigint), nor values that are nested too deeply. */
export function encodeInOrder(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return encodeValue(value);
  }
}

function encodeValue(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(encodeValue).join(",")}]`;
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${encodeValue(item)}`);
  return `{${members.join(",")}}`;
}

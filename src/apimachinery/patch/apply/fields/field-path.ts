// Path elements of managedFields. Each element has one text ("f:spec", `k:{"name":"x"}`, "v:1", "i:0"), the key in a
// field set; equal elements have equal texts. Comparison uses the parsed form.

import { goQuote } from "../../../go/strconv.ts";
import { isObject } from "../../../json/json.ts";
import { decodeJson } from "../../../json/json-decode.ts";
import { encodeGoJson, encodeJson } from "../../../json/json-encode.ts";

export type PathElement =
  | { readonly type: "field"; readonly name: string }
  /** Item of a list map with these keys, sorted by name. */
  | { readonly type: "key"; readonly keys: readonly KeyField[] }
  /** Item of a set. */
  | { readonly type: "value"; readonly value: unknown }
  | { readonly type: "index"; readonly index: number };

export interface KeyField {
  readonly name: string;
  readonly value: unknown;
}

/** Text of a field element. */
export const fieldText = (name: string): string => `f:${name}`;

/** Text of a set item. */
export const valueText = (value: unknown): string => `v:${encodeGoJson(value)}`;

/** Text of a list map item; keys must be sorted by name. */
export function keyText(keys: readonly KeyField[]): string {
  return `k:{${keys.map(({ name, value }) => keyMember(name, value)).join(",")}}`;
}

/** One key in the text of a list map item. */
export const keyMember = (name: string, value: unknown): string =>
  `${encodeGoJson(name)}:${encodeGoJson(value)}`;

/** The text is no path element. */
export class PathElementError extends Error {}

/** Parses a path element of a client; undefined for an unknown type, which is ignored. Throws PathElementError. */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new PathElementError("key must be 2 characters long");
  if (text[1] !== ":") throw new PathElementError(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case "f":
      return { type: "field", name: content };
    case "k":
      return { type: "key", keys: readKeys(content) };
    case "v":
      return { type: "value", value: parseJson(content) };
    case "i":
      if (!/^[+-]?\d+$/.test(content)) throw new PathElementError(`no index: ${content}`);
      return { type: "index", index: Number(content) };
    default:
      return undefined;
  }
}

function readKeys(json: string): KeyField[] {
  const object = parseJson(json);
  if (!isObject(object)) throw new PathElementError(`no keys: ${json}`);
  return Object.entries(object)
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => compareText(a.name, b.name));
}

function parseJson(json: string): unknown {
  try {
    return decodeJson(json).value;
  } catch (cause) {
    throw new PathElementError(`no JSON: ${json}`, { cause });
  }
}

export function pathElementText(element: PathElement): string {
  switch (element.type) {
    case "field":
      return fieldText(element.name);
    case "key":
      return keyText(element.keys);
    case "value":
      return valueText(element.value);
    case "index":
      return `i:${element.index}`;
  }
}

/** A path in conflict messages: `.spec.ports[port=80].name`. */
export const describePath = (path: readonly PathElement[]): string => path.map(describePathElement).join("");

/** A path element in conflicts and errors: `.spec`, `[name="x"]`, `[="x"]`, `[0]`. */
export function describePathElement(element: PathElement): string {
  switch (element.type) {
    case "field":
      return `.${element.name}`;
    case "key":
      return `[${element.keys.map(({ name, value }) => `${name}=${describeValue(value)}`).join(",")}]`;
    case "value":
      return `[=${describeValue(element.value)}]`;
    case "index":
      return `[${element.index}]`;
  }
}

function describeValue(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  if (Array.isArray(value)) return `[${value.map(describeValue).join(",")}]`;
  if (isObject(value)) {
    const members = Object.keys(value).sort();
    return members.map((key) => `${key}=${describeValue(value[key])}`).join("");
  }
  return String(value);
}

const TYPE_ORDER = { field: 0, key: 1, value: 2, index: 3 } as const;

/** Order: fields, keys, values, indexes; numbers by value. */
export function comparePathElements(a: PathElement, b: PathElement): number {
  if (a.type === "field" && b.type === "field") return compareText(a.name, b.name);
  if (a.type === "key" && b.type === "key") return compareKeys(a.keys, b.keys);
  if (a.type === "value" && b.type === "value") return compareValues(a.value, b.value);
  if (a.type === "index" && b.type === "index") return a.index - b.index;
  return TYPE_ORDER[a.type] - TYPE_ORDER[b.type];
}

function compareKeys(a: readonly KeyField[], b: readonly KeyField[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) return 1;
    const order = compareText(left.name, right.name) || compareValues(left.value, right.value);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Order: numbers, text, booleans, the rest (which no key holds in practice, so its order is by text). */
function compareValues(a: unknown, b: unknown): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  if (typeof a === "object" || typeof b === "object") return compareText(encodeJson(a), encodeJson(b));
  return compareText(a as string, b as string); // of one rank, so JavaScript's comparison applies
}

function rankOf(value: unknown): number {
  switch (typeof value) {
    case "number":
    case "bigint":
      return 0;
    case "string":
      return 1;
    case "boolean":
      return 2;
    default:
      return 3;
  }
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

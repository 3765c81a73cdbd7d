// Types and helpers for decoded JSON. Integers beyond 2^53 are bigint, so that no digit is lost (a Go server keeps
// int64); every other number is a double. Decoded input has the type unknown until it is checked.
import { carryNotes } from "../meta/given-empty.ts";

export type JsonObject = { [key: string]: unknown };

export type JsonTypeName = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Source = Readonly<JsonObject> | undefined;

/** The object at the key; undefined if there is none or it has another type. */
export function objectAt(source: Source, key: string): JsonObject | undefined {
  const found = source?.[key];
  return isObject(found) ? found : undefined;
}

/** The result of JSON.parse; undefined for no text and for invalid JSON. */
export function parsedJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** As parsedJson; undefined if the value is no object. */
export function parsedObject(text: string | undefined): JsonObject | undefined {
  const value = parsedJson(text);
  return isObject(value) ? value : undefined;
}

/** The JSON type of a value; a double without a fraction counts as integer, as in OpenAPI. */
export function jsonTypeOf(value: unknown): JsonTypeName {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "bigint":
      return "integer";
    case "number":
      return Number.isInteger(value) ? "integer" : "number";
    case "string":
      return "string";
    case "symbol":
      return "number"; // a number with its spelling
    default:
      return "object";
  }
}

/** The name of a JSON type in error messages of encoding/json. */
export function goJsonType(value: unknown): string {
  const type = jsonTypeOf(value);
  return type === "boolean" ? "bool" : type === "integer" ? "number" : type;
}

/** Sets an own property even for the key `__proto__`, which plain assignment would lose. */
export function setOwn(target: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/** True if the object itself (not its prototype) has the key with a value. */
export function hasOwn(target: JsonObject, key: string): boolean {
  return Object.hasOwn(target, key) && target[key] !== undefined;
}

/** Deep copy of decoded JSON. */
export function cloneJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map(cloneJson) as T; // the copy has the shape of the original
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (value[key] !== undefined) setOwn(out, key, cloneJson(value[key]));
  }
  carryNotes(value, out);
  return out as T; // as above
}

/** The depth of lists and objects: 0 for a scalar, 1 for {}. Uses no recursion. */
export function depthOf(value: unknown): number {
  let depth = 0;
  for (let level = [value].filter(isContainer); level.length > 0; depth++) {
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return depth;
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Deep equality of decoded JSON; an undefined member equals an absent one. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equalJson(item, b[index]));
  }
  if (isObject(a)) {
    if (!isObject(b)) return false;
    for (const key of Object.keys(a))
      if (!equalJson(a[key], Object.hasOwn(b, key) ? b[key] : undefined)) return false;
    for (const key of Object.keys(b)) if (b[key] !== undefined && !hasOwn(a, key)) return false;
    return true;
  }
  return false;
}

/** Freezes decoded JSON at every depth, so that a mutation of shared content fails loudly. */
export function freezeJson<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    for (const item of Object.values(value)) freezeJson(item);
    Object.freeze(value);
  }
  return value;
}

// A member of another type than expected counts as absent, as it would be the zero value in a Go struct.

export const textAt = (source: Source, key: string): string => textOf(source?.[key]);

export function numberAt(source: Source, key: string): number | undefined {
  const value = source?.[key];
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}

/** The items of a list of objects. */
export const objectsAt = (source: Source, key: string): JsonObject[] => objectsOf(source?.[key]);

export const textsAt = (source: Source, key: string): string[] => textsOf(source?.[key]);

/** The text; "" for any other type. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The texts of a list; other items are left out. */
export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

/** The objects of a list; other items are left out. */
export const objectsOf = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

// Lookup tables for words from clients. An object literal also has `constructor` and `__proto__`, which every object
// inherits. A table without a prototype has its own members only.

/** The same members without a prototype. */
export function lookupTable<V>(members: Readonly<Record<string, V>>): Readonly<Record<string, V>> {
  return Object.assign(Object.create(null), members);
}

// CEL values over decoded JSON, created on access by the schema's types.

import { unescapeName } from "../../cel/language/lexer.ts";
import { DataList, DataMap, itemsOf, keysOf } from "../../cel/values/collections.ts";
import { equals } from "../../cel/values/inspect.ts";
import {
  CelError,
  Duration,
  type ListValue,
  type MapValue,
  Timestamp,
  type Value,
} from "../../cel/values/value.ts";
import { parseGoDuration } from "../../go/duration.ts";
import { goTypeOf } from "../../go/format.ts";
import { parseRfc3339 } from "../../go/time.ts";
import { equalJson, isObject, type JsonObject } from "../../json/json.ts";
import type { DeclType } from "./decl-type.ts";

/** CEL value of data with a declared type; throws where the data does not have that type. */
export function toValue(data: unknown, decl: DeclType): Value {
  if (data === null || data === undefined) {
    if (decl.nullable) return null;
    throw new CelError("invalid data, got null for schema with nullable=false");
  }
  switch (decl.kind) {
    case "object":
    case "map":
      if (!isObject(data)) throw mismatch("a map for the provided schema with type=object");
      return decl.kind === "map" ? new DataMap(data, itemReader(decl)) : new DataObject(data, decl);
    case "list":
      if (!Array.isArray(data)) throw mismatch("an array for the provided schema with type=array");
      return decl.listType === "map" || decl.listType === "set"
        ? new UnorderedList(data, decl, itemReader(decl))
        : new DataList(data, itemReader(decl));
    case "bool":
      if (typeof data !== "boolean") throw mismatch("bool", data);
      return data;
    case "int":
      if (!isWhole(data)) throw mismatch("int", data);
      return BigInt(data);
    case "double":
      if (typeof data !== "number" && typeof data !== "bigint") throw mismatch("float", data);
      return Number(data);
    case "intOrString":
      if (typeof data === "string") return data;
      if (!isWhole(data)) throw mismatch("XIntOrString value to be either a string or integer");
      return BigInt(data);
    default:
      if (typeof data !== "string") throw mismatch("string", data);
      return readText(data, decl.kind);
  }
}

/** Lists and maps are declared with their element type. */
const itemReader =
  ({ item }: DeclType) =>
  (data: unknown): Value =>
    item ? toValue(data, item) : null;

const isWhole = (data: unknown): data is number | bigint =>
  typeof data === "bigint" || (typeof data === "number" && Number.isInteger(data));

function mismatch(expected: string, data?: unknown): CelError {
  return new CelError(
    `invalid data, expected ${expected}${data === undefined ? "" : `, got ${goTypeOf(data)}`}`,
  );
}

function readText(text: string, kind: DeclType["kind"]): Value {
  switch (kind) {
    case "bytes":
      return Buffer.from(text, "base64");
    case "duration": {
      const nanos = parseGoDuration(text);
      if (nanos === undefined)
        throw new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
      return new Duration(nanos);
    }
    case "date":
    case "dateTime": {
      const nanos = parseRfc3339(kind === "date" ? `${text}T00:00:00Z` : text);
      const format = kind === "date" ? "date" : "date-time";
      if (nanos === undefined) throw new CelError(`Invalid ${format} formatted string ${text}`);
      return new Timestamp(nanos);
    }
    default:
      return text;
  }
}

/** An object with declared properties. A null property counts as absent, and undeclared ones are invisible. */
class DataObject implements MapValue {
  readonly tag = "map";
  readonly data: JsonObject;
  readonly #decl: DeclType;
  constructor(data: JsonObject, decl: DeclType) {
    this.data = data;
    this.#decl = decl;
  }
  get size(): number {
    return keysOf(this.data).length;
  }
  find(name: Value): Value | undefined {
    const key = typeof name === "string" ? unescapeName(name) : undefined;
    const field = key === undefined ? undefined : this.#decl.byKey.get(key);
    if (key === undefined || !field || !Object.hasOwn(this.data, key)) return undefined;
    const data = this.data[key];
    return data === null || data === undefined ? undefined : toValue(data, field.decl);
  }
  *keys(): Iterable<Value> {
    for (const key of Object.keys(this.data)) {
      const field = this.#decl.byKey.get(key);
      if (field && this.data[key] !== undefined) yield field.name;
    }
  }
  equals(other: MapValue): boolean {
    if (this.size !== other.size) return false;
    for (const key of Object.keys(this.data)) {
      const data = this.data[key];
      if (data === undefined) continue;
      const field = this.#decl.byKey.get(key);
      if (!field) {
        const theirs = other instanceof DataObject ? other.data[key] : undefined;
        if (theirs !== undefined && !equalJson(data, theirs)) return false;
        continue;
      }
      const theirs = other.find(field.name);
      if (theirs === undefined || !equals(toValue(data, field.decl), theirs)) return false;
    }
    return true;
  }
}

/** A set, or a map by keys, equals any permutation of its elements. */
class UnorderedList extends DataList {
  readonly #decl: DeclType;
  constructor(data: readonly unknown[], decl: DeclType, read: (data: unknown) => Value) {
    super(data, read);
    this.#decl = decl;
  }
  override equals(other: ListValue): boolean {
    if (this.size !== other.size) return false;
    const { listType, listMapKeys, item } = this.#decl;
    if (listType === "map") return this.#equalsByKey(other, (value) => fieldsKey(value, listMapKeys));
    if (item && SCALAR_KINDS.has(item.kind)) return this.#equalsByKey(other, scalarKey);
    return itemsOf(other).every((theirs) => itemsOf(this).some((mine) => equals(mine, theirs)));
  }
  #equalsByKey(other: ListValue, keyOf: (item: Value) => string): boolean {
    const mine = new Map(itemsOf(this).map((item): [string, Value] => [keyOf(item), item]));
    return itemsOf(other).every((theirs) => {
      const found = mine.get(keyOf(theirs));
      return found !== undefined && equals(found, theirs);
    });
  }
}

const SCALAR_KINDS = new Set<DeclType["kind"]>(["string", "int", "double", "bool", "intOrString"]);

const scalarKey = (item: Value | undefined): string => `${typeof item}:${String(item)}`;

const fieldsKey = (item: Value, keys: readonly string[]): string =>
  JSON.stringify(keys.map((key) => (item instanceof DataObject ? scalarKey(toScalar(item.data[key])) : "")));

const toScalar = (data: unknown): Value | undefined =>
  typeof data === "string" ||
  typeof data === "boolean" ||
  typeof data === "number" ||
  typeof data === "bigint"
    ? data
    : undefined;

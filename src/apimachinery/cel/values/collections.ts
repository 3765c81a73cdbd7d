// Lists and maps: those that an expression creates, messages, and decoded JSON without a schema; and the conversion of
// values to JSON.
import { formatSeconds } from "../../go/duration.ts";
import { formatRfc3339 } from "../../go/time.ts";
import { hasOwn, isObject, type JsonObject, setOwn } from "../../json/json.ts";
import { equals, numeric, typeOfValue } from "./inspect.ts";
import {
  CelError,
  Duration,
  isList,
  isMap,
  type ListValue,
  type MapValue,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from "./value.ts";

/** The default error of a lookup outside of a list. */
const rangeText = (index: bigint, size: number): string =>
  `index '${index}' out of range in list size '${size}'`;

export function equalItems(a: ListValue, b: ListValue): boolean {
  if (a.size !== b.size) return false;
  for (let index = 0; index < a.size; index++) if (!equals(a.at(index), b.at(index))) return false;
  return true;
}

export function equalEntries(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const left = a.find(key);
    const right = b.find(key);
    if (left === undefined || right === undefined || !equals(left, right)) return false;
  }
  return true;
}

/** A list that a macro is still filling grows in place, so that filter() and map() stay linear. */
export class ArrayList implements ListValue {
  readonly tag = "list";
  readonly items: Value[];
  /** True while a macro fills the list: adding to it changes it. */
  growing: boolean;
  constructor(items: Value[], growing = false) {
    this.items = items;
    this.growing = growing;
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): Value {
    const item = this.items[index];
    if (item === undefined) throw new CelError(rangeText(BigInt(index), this.size));
    return item;
  }
  equals(other: ListValue): boolean {
    return equalItems(this, other);
  }
  outOfRange(index: bigint): string {
    return rangeText(index, this.size);
  }
}

export function itemsOf(list: ListValue): Value[] {
  if (list instanceof ArrayList) return list.items;
  return Array.from({ length: list.size }, (_, index) => list.at(index));
}

/** A hash key for each value that can be a map key; equal numbers have the same. */
function keyText(key: Value): string | undefined {
  const number = numeric(key);
  if (number !== undefined) {
    if (typeof number === "number" && !Number.isInteger(number)) return undefined;
    return `n${BigInt(number)}`;
  }
  if (typeof key === "string") return `s${key}`;
  return typeof key === "boolean" ? `b${key}` : undefined;
}

export class EntryMap implements MapValue {
  readonly tag = "map";
  growing: boolean;
  readonly #entries = new Map<string, readonly [Value, Value]>();
  constructor(growing = false) {
    this.growing = growing;
  }
  get size(): number {
    return this.#entries.size;
  }
  find(key: Value): Value | undefined {
    const text = keyText(key);
    return text === undefined ? undefined : this.#entries.get(text)?.[1];
  }
  /** Adds an entry; throws for a duplicate key, and for a value that cannot be a key. */
  insert(key: Value, value: Value): void {
    if (this.find(key) !== undefined)
      throw new CelError(`insert failed: key ${describeKey(key)} already exists`);
    this.set(key, value);
  }
  /** As insert, for a literal: the last entry of a key counts. */
  set(key: Value, value: Value): void {
    const text = keyText(key);
    if (text === undefined) throw new CelError(`unsupported key type: ${typeOfValue(key).name}`);
    this.#entries.set(text, [key, value]);
  }
  *keys(): Iterable<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }
  equals(other: MapValue): boolean {
    return equalEntries(this, other);
  }
}

/** The format of a key in "no such key". */
export const describeKey = (key: Value): string => String(numeric(key) ?? key);

/** A message that an expression creates: Name{field: value}. It reads like a map of its fields. */
export class MessageValue implements MapValue {
  readonly tag = "map";
  /** The name of its type. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, Value>;
  constructor(name: string, fields: ReadonlyMap<string, Value>) {
    this.name = name;
    this.fields = fields;
  }
  get size(): number {
    return this.fields.size;
  }
  find(key: Value): Value | undefined {
    return typeof key === "string" ? this.fields.get(key) : undefined;
  }
  keys(): Iterable<Value> {
    return this.fields.keys();
  }
  equals(other: MapValue): boolean {
    return other instanceof MessageValue && other.name === this.name && equalEntries(this, other);
  }
}

/** The value of decoded JSON: whole numbers are int and others double, and no member is hidden. */
export function valueOfJson(data: unknown): Value {
  if (Array.isArray(data)) return new DataList(data, valueOfJson);
  if (isObject(data)) return new DataMap(data, valueOfJson);
  if (typeof data === "number") return Number.isInteger(data) ? BigInt(data) : data;
  return typeof data === "string" || typeof data === "boolean" || typeof data === "bigint" ? data : null;
}

/** Converts an item or a member lazily, when an expression reads it. */
type Read = (data: unknown) => Value;

/** A list in decoded JSON. */
export class DataList implements ListValue {
  readonly tag = "list";
  readonly #items: readonly unknown[];
  readonly #read: Read;
  constructor(items: readonly unknown[], read: Read) {
    this.#items = items;
    this.#read = read;
  }
  get size(): number {
    return this.#items.length;
  }
  at(index: number): Value {
    return this.#read(this.#items[index]);
  }
  equals(other: ListValue): boolean {
    return equalItems(this, other);
  }
  outOfRange(index: bigint): string {
    return `index out of bounds: ${index}`;
  }
}

/** An object in decoded JSON with arbitrary keys. */
export class DataMap implements MapValue {
  readonly tag = "map";
  readonly #data: JsonObject;
  readonly #read: Read;
  constructor(data: JsonObject, read: Read) {
    this.#data = data;
    this.#read = read;
  }
  get size(): number {
    return keysOf(this.#data).length;
  }
  find(key: Value): Value | undefined {
    return typeof key === "string" && hasOwn(this.#data, key) ? this.#read(this.#data[key]) : undefined;
  }
  keys(): string[] {
    return keysOf(this.#data).sort();
  }
  equals(other: MapValue): boolean {
    return equalEntries(this, other);
  }
}

/** The members with a value. */
export const keysOf = (data: JsonObject): string[] =>
  Object.keys(data).filter((key) => data[key] !== undefined);

/** The value as JSON. Throws a CelError for values that JSON does not have. */
export function jsonOfValue(value: Value): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "number")
    return value;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value instanceof Uint) return jsonOfValue(value.value);
  if (value instanceof Timestamp) return formatRfc3339(value.nanos);
  if (value instanceof Duration) return formatSeconds(value.nanos);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Optional) return jsonOfValue(value.value ?? null);
  if (isList(value)) return itemsOf(value).map(jsonOfValue);
  if (!isMap(value)) throw notInJson(value);
  const object: JsonObject = {};
  for (const key of value.keys()) {
    const member = value.find(key);
    if (member !== undefined) setOwn(object, memberName(key), jsonOfValue(member));
  }
  return object;
}

function memberName(key: Value): string {
  if (typeof key === "string" || typeof key === "bigint" || typeof key === "boolean") return String(key);
  if (key instanceof Uint) return String(key.value);
  throw notInJson(key);
}

const notInJson = (value: Value): CelError =>
  new CelError(`unsupported conversion from '${typeOfValue(value).name}' to JSON`);

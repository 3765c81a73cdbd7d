// JSON without a schema as values, and values as JSON. Whole numbers are int and others double; nothing is hidden.

import { formatSeconds } from "../../go/duration.ts";
import { formatRfc3339 } from "../../go/time.ts";
import { isObject, type JsonObject, setOwn } from "../../meta/json.ts";
import { CelError } from "./cel-error.ts";
import { equalItems, itemsOf } from "./collections.ts";
import { equals, typeOfValue } from "./inspect.ts";
import {
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

/** The value of decoded JSON. Members are looked at when an expression asks for them. */
export function valueOfJson(data: unknown): Value {
  if (Array.isArray(data)) return new JsonList(data);
  if (isObject(data)) return new JsonMap(data);
  switch (typeof data) {
    case "number":
      return Number.isInteger(data) ? BigInt(data) : data;
    case "string":
    case "boolean":
    case "bigint":
      return data;
    default:
      return null;
  }
}

class JsonList implements ListValue {
  readonly tag = "list";
  readonly #items: readonly unknown[];
  constructor(items: readonly unknown[]) {
    this.#items = items;
  }
  get size(): number {
    return this.#items.length;
  }
  at(index: number): Value {
    return valueOfJson(this.#items[index]);
  }
  equals(other: ListValue): boolean {
    return equalItems(this, other);
  }
  outOfRange(index: bigint): string {
    return `index out of bounds: ${index}`;
  }
}

class JsonMap implements MapValue {
  readonly tag = "map";
  readonly #data: JsonObject;
  constructor(data: JsonObject) {
    this.#data = data;
  }
  get size(): number {
    return this.#names().length;
  }
  find(key: Value): Value | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.#data, key)) return undefined;
    const member = this.#data[key];
    return member === undefined ? undefined : valueOfJson(member);
  }
  keys(): Iterable<Value> {
    return this.#names().sort();
  }
  equals(other: MapValue): boolean {
    if (this.size !== other.size) return false;
    for (const key of this.keys()) {
      const mine = this.find(key);
      const theirs = other.find(key);
      if (mine === undefined || theirs === undefined || !equals(mine, theirs)) return false;
    }
    return true;
  }
  #names(): string[] {
    return Object.keys(this.#data).filter((key) => this.#data[key] !== undefined);
  }
}

/** The value as JSON. Throws a CelError for what JSON cannot hold. */
export function jsonOfValue(value: Value): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
      return value;
    case "bigint":
      return fromInt(value);
    default:
      return value === null ? null : jsonOfObject(value);
  }
}

const fromInt = (value: bigint): unknown => (Number.isSafeInteger(Number(value)) ? Number(value) : value);

function jsonOfObject(value: Exclude<Value, null | string | boolean | number | bigint>): unknown {
  if (value instanceof Uint) return fromInt(value.value);
  if (value instanceof Timestamp) return formatRfc3339(value.nanos);
  if (value instanceof Duration) return formatSeconds(value.nanos);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Optional) return value.value === undefined ? null : jsonOfValue(value.value);
  if (isList(value)) return itemsOf(value).map(jsonOfValue);
  if (!isMap(value)) throw new CelError(`unsupported conversion from '${typeOfValue(value).name}' to JSON`);
  const object: JsonObject = {};
  for (const key of value.keys()) {
    const member = value.find(key);
    if (member !== undefined)
      setOwn(object, typeof key === "string" ? key : keyText(key), jsonOfValue(member));
  }
  return object;
}

function keyText(key: Value): string {
  if (typeof key === "bigint" || typeof key === "boolean") return String(key);
  if (key instanceof Uint) return String(key.value);
  throw new CelError(`unsupported conversion from '${typeOfValue(key).name}' to JSON`);
}

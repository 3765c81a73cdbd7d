// Lists and maps that an expression makes itself. A list that a macro is still filling grows in place, so that
// filter() and map() stay linear.
import { CelError } from "./cel-error.ts";
import { equals, numeric, typeOfValue } from "./inspect.ts";
import type { ListValue, MapValue, Value } from "./value.ts";

/** The default text of a lookup outside of a list. */
const rangeText = (index: bigint, size: number): string =>
  `index '${index}' out of range in list size '${size}'`;

export function equalItems(a: ListValue, b: ListValue): boolean {
  if (a.size !== b.size) return false;
  for (let index = 0; index < a.size; index++) if (!equals(a.at(index), b.at(index))) return false;
  return true;
}

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
  const items: Value[] = [];
  for (let index = 0; index < list.size; index++) items.push(list.at(index));
  return items;
}

/** One text per value that can be a key; numbers that are equal have the same. */
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
  growing = false;
  readonly #entries = new Map<string, readonly [Value, Value]>();
  get size(): number {
    return this.#entries.size;
  }
  find(key: Value): Value | undefined {
    const text = keyText(key);
    return text === undefined ? undefined : this.#entries.get(text)?.[1];
  }
  /** Adds an entry; throws if the key is there already or cannot be a key. */
  insert(key: Value, value: Value): void {
    const text = keyText(key);
    if (text === undefined) throw new CelError(`unsupported key type: ${typeOfValue(key).name}`);
    if (this.#entries.has(text)) throw new CelError(`insert failed: key ${describeKey(key)} already exists`);
    this.#entries.set(text, [key, value]);
  }
  /** As insert, for a literal: the last entry of a key stays. */
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

function equalEntries(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const left = a.find(key);
    const right = b.find(key);
    if (left === undefined || right === undefined || !equals(left, right)) return false;
  }
  return true;
}

/** A key as "no such key" shows it. */
export const describeKey = (key: Value): string => String(numeric(key) ?? key);

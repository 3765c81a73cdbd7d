// Correlation of parts of the new object with parts of the old one, so that invalid values that did not change are
// tolerated (ratcheting, KEP-4008). Members correlate by name, items only in lists of type map.
import { equalJson, isObject, type JsonObject } from "../../json/json.ts";
import { encodeJson } from "../../json/json-encode.ts";
import type { ValueSchema } from "./value-schema.ts";

export class Correlation {
  readonly value: unknown;
  readonly old: unknown;
  /** Structural schema of both, which determines how items correlate. */
  readonly schema: ValueSchema;
  #unchanged: boolean | undefined;

  constructor(value: unknown, old: unknown, schema: ValueSchema) {
    this.value = value;
    this.old = old;
    this.schema = schema;
  }

  /** The member on both sides; undefined if one side has none, or it is not declared. */
  member(key: string): Correlation | undefined {
    const { value, old, schema } = this;
    if (!isObject(value) || !isObject(old) || !Object.hasOwn(value, key) || !Object.hasOwn(old, key))
      return undefined;
    const declared = schema.properties.get(key) ?? schema.additionalProperties;
    return typeof declared === "object" ? new Correlation(value[key], old[key], declared) : undefined;
  }

  /** The item, and the old one with the same keys. */
  item(index: number): Correlation | undefined {
    const { value, old, schema } = this;
    if (!Array.isArray(value) || schema.items === undefined) return undefined;
    const before = oldItem(schema, old, value[index]);
    return before === undefined ? undefined : new Correlation(value[index], before, schema.items);
  }

  /** Equal by the schema: items of a list of type map may be in another order. */
  get unchanged(): boolean {
    this.#unchanged ??= this.#compare();
    return this.#unchanged;
  }

  #compare(): boolean {
    const { value, old, schema } = this;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (schema.listType !== "map") return equalJson(value, old);
      return value.every((_, index) => this.item(index)?.unchanged === true);
    }
    if (!isObject(value) || !isObject(old)) return equalJson(value, old);
    const keys = Object.keys(value);
    if (keys.length !== Object.keys(old).length) return false;
    return keys.every((key) => this.member(key)?.unchanged === true);
  }
}

/** The old item with the same keys; undefined unless the list has type map. */
export function oldItem({ listType, listMapKeys }: ValueSchema, old: unknown, item: unknown): unknown {
  if (listType !== "map" || !Array.isArray(old) || !isObject(item)) return undefined;
  return itemsByKeys(old, listMapKeys).get(keysText(item, listMapKeys));
}

/** Index of each list of an old object, while it is compared. A list has one schema, so its keys are always the same. */
const indexes = new WeakMap<readonly unknown[], ReadonlyMap<string, unknown>>();

function itemsByKeys(list: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> {
  const known = indexes.get(list);
  if (known) return known;
  const items = new Map<string, unknown>();
  for (const item of list) {
    if (!isObject(item)) continue;
    const text = keysText(item, keys);
    if (!items.has(text)) items.set(text, item);
  }
  indexes.set(list, items);
  return items;
}

const keysText = (item: JsonObject, keys: readonly string[]): string =>
  keys.map((key) => (item[key] === undefined ? "" : encodeJson(item[key]))).join();

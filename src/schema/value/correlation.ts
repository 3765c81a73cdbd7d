// Which part of the old object a part of the new one corresponds to, so that what was invalid before and did not change
// is tolerated (KEP-4008): members by name, items only of lists with map keys.
import { equalJson, isObject, type JsonObject } from "../../meta/json.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import type { ValueSchema } from "./value-schema.ts";

export interface Correlation {
  readonly old: unknown;
  /** The structural schema of both, which knows how items correspond. */
  readonly schema: ValueSchema;
}

/** The old value of a member; undefined: there was none, or nothing is known of it. */
export function correlateMember(parent: Correlation | undefined, key: string): Correlation | undefined {
  if (parent === undefined || !isObject(parent.old) || !Object.hasOwn(parent.old, key)) return undefined;
  const schema = memberSchema(parent.schema, key);
  return schema === undefined ? undefined : { old: parent.old[key], schema };
}

function memberSchema(schema: ValueSchema, key: string): ValueSchema | undefined {
  const property = schema.properties.get(key);
  if (property !== undefined) return property;
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** The old item with the same keys. */
export function correlateItem(parent: Correlation | undefined, item: unknown): Correlation | undefined {
  if (parent === undefined || !Array.isArray(parent.old)) return undefined;
  const { items } = parent.schema;
  const old = items === undefined ? undefined : itemWithKeys(parent.schema, parent.old, item);
  return items === undefined || old === undefined ? undefined : { old, schema: items };
}

function itemWithKeys(schema: ValueSchema, list: readonly unknown[], item: unknown): unknown {
  const { listType, listMapKeys } = schema;
  if (listType !== "map" || !isObject(item)) return undefined;
  return itemsByKeys(list, listMapKeys).get(keysText(item, listMapKeys));
}

/** Of each list of an old object, while it is compared. A list is of one schema, so its keys are always the same. */
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

/** Equal as the schema sees it: items of a list with map keys may stand in another order. */
export function isUnchanged({ old, schema }: Correlation, value: unknown): boolean {
  if (Array.isArray(old) && Array.isArray(value)) {
    if (old.length !== value.length) return false;
    if (schema.listType !== "map") return equalJson(old, value);
    return value.every((item) => {
      const before = correlateItem({ old, schema }, item);
      return before !== undefined && isUnchanged(before, item);
    });
  }
  if (isObject(old) && isObject(value)) {
    const keys = Object.keys(value);
    return (
      keys.length === Object.keys(old).length &&
      keys.every((key) => {
        const before = correlateMember({ old, schema }, key);
        return before !== undefined && isUnchanged(before, value[key]);
      })
    );
  }
  return equalJson(old, value);
}

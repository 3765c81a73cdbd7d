// Which part of the old object a part of the new one corresponds to: members by name, items of lists with map keys
// by their keys. Findings about what did not change are tolerated.
import { equalJson, isObject, objectAt } from "../../meta/json.ts";
import type { JsonSchema } from "../schema-node.ts";

export class CorrelatedValue {
  readonly value: unknown;
  readonly old: unknown;
  readonly schema: JsonSchema;
  #unchanged: boolean | undefined;

  constructor(value: unknown, old: unknown, schema: JsonSchema) {
    this.value = value;
    this.old = old;
    this.schema = schema;
  }

  /** The member on both sides; undefined if one side has none, or nothing is declared of it. */
  member(key: string): CorrelatedValue | undefined {
    const { value, old, schema } = this;
    if (!isObject(value) || !isObject(old) || !Object.hasOwn(value, key) || !Object.hasOwn(old, key)) {
      return undefined;
    }
    const declared =
      objectAt(objectAt(schema, "properties"), key) ?? objectAt(schema, "additionalProperties");
    return declared && new CorrelatedValue(value[key], old[key], declared);
  }

  item(index: number): CorrelatedValue | undefined {
    const { value, old, schema } = this;
    const items = objectAt(schema, "items");
    if (!Array.isArray(value) || !Array.isArray(old) || !items) return undefined;
    const before = oldItem(schema, old, value[index]);
    return before === undefined ? undefined : new CorrelatedValue(value[index], before, items);
  }

  /** Equal, with lists of map keys in any order. */
  get unchanged(): boolean {
    this.#unchanged ??= this.#compare();
    return this.#unchanged;
  }

  #compare(): boolean {
    const { value, old } = this;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (this.schema["x-kubernetes-list-type"] !== "map") return equalJson(value, old);
      return value.every((_, index) => this.item(index)?.unchanged === true);
    }
    if (isObject(value) && isObject(old)) {
      const keys = Object.keys(value);
      if (keys.length !== Object.keys(old).length) return false;
      return keys.every((key) => this.member(key)?.unchanged === true);
    }
    return equalJson(value, old);
  }
}

/** The item of the old list with the same keys; undefined unless the list has keys. */
export function oldItem(schema: JsonSchema, old: unknown, item: unknown): unknown {
  const keys = schema["x-kubernetes-list-map-keys"];
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(keys)) return undefined;
  if (!Array.isArray(old) || !isObject(item)) return undefined;
  return old.find((other) => isObject(other) && keys.every((key) => equalJson(other[key], item[key])));
}

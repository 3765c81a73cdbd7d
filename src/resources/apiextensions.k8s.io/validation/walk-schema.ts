// All schemas inside of a schema, itself first.

import { isObject } from "../../../meta/json.ts";
import { sortedKeys } from "../../../meta/json-encode.ts";
import type { JsonSchema } from "../../../schema/schema-node.ts";

/** Whether one of them is as wanted; none behind it is looked at. */
export function someSchema(
  schema: JsonSchema | undefined,
  isWanted: (schema: JsonSchema) => boolean,
): boolean {
  return schema !== undefined && someInside(schema, isWanted, Object.keys);
}

/** As someSchema, with properties in the order of their names, which takes longer. */
export function someSchemaInOrder(
  schema: JsonSchema | undefined,
  isWanted: (schema: JsonSchema) => boolean,
): boolean {
  return schema !== undefined && someInside(schema, isWanted, sortedKeys);
}

type KeysOf = (value: object) => string[];

function someInside(schema: JsonSchema, isWanted: (schema: JsonSchema) => boolean, keysOf: KeysOf): boolean {
  if (isWanted(schema)) return true;
  const some = (part: unknown): boolean => isObject(part) && someInside(part, isWanted, keysOf);
  const { items, allOf, anyOf, oneOf, not, properties, additionalProperties } = schema;
  for (const parts of [items, allOf, anyOf, oneOf]) {
    if (Array.isArray(parts) ? parts.some(some) : some(parts)) return true;
  }
  if (some(not)) return true;
  if (isObject(properties)) {
    for (const key of keysOf(properties)) if (some(properties[key])) return true;
  }
  return some(additionalProperties);
}

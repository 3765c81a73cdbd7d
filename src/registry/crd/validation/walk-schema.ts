// All schemas inside of a schema, itself first.
import { isObject, type JsonObject } from "../../../meta/json.ts";
import type { JsonSchema } from "../../../schema/schema-node.ts";

export function schemasIn(schema: JsonSchema | undefined): JsonSchema[] {
  const found: JsonSchema[] = [];
  if (schema !== undefined) collect(schema, found);
  return found;
}

function collect(schema: JsonSchema, found: JsonSchema[]): void {
  found.push(schema);
  for (const part of partsOf(schema)) collect(part, found);
}

function partsOf(schema: JsonSchema): JsonObject[] {
  const { items, allOf, anyOf, oneOf, not, properties, additionalProperties } = schema;
  const lists = [items, allOf, anyOf, oneOf].flatMap((value) => (Array.isArray(value) ? value : [value]));
  const names = isObject(properties) ? Object.keys(properties).sort() : [];
  const members = names.map((name) => (isObject(properties) ? properties[name] : undefined));
  return [...lists, not, ...members, additionalProperties].filter(isObject);
}

// All schemas inside of a schema, itself first.
import { isObject } from "../../../meta/json.ts";
import type { JsonSchema } from "../../../schema/schema-node.ts";

export function schemasIn(schema: JsonSchema | undefined): JsonSchema[] {
  const found: JsonSchema[] = [];
  if (schema !== undefined) collect(schema, found);
  return found;
}

function collect(schema: JsonSchema, found: JsonSchema[]): void {
  found.push(schema);
  const { items, allOf, anyOf, oneOf, not, properties, additionalProperties } = schema;
  for (const parts of [items, allOf, anyOf, oneOf]) {
    if (Array.isArray(parts)) for (const part of parts) collectPart(part, found);
    else collectPart(parts, found);
  }
  collectPart(not, found);
  if (isObject(properties))
    for (const key of Object.keys(properties).sort()) collectPart(properties[key], found);
  collectPart(additionalProperties, found);
}

function collectPart(part: unknown, found: JsonSchema[]): void {
  if (isObject(part)) collect(part, found);
}

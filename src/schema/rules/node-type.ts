// The types of objects by their compiled schema, for looking at expressions without running them. Types refer to each
// other, so that a field's type is made when an expression asks for it.

import { escapeName } from "../../cel/language/lexer.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  TIMESTAMP,
} from "../../cel/language/types.ts";
import type { SchemaNode } from "../schema-node.ts";

const FORMATS = new Map<string | undefined, CelType>([
  ["byte", BYTES],
  ["duration", DURATION],
  ["date", TIMESTAMP],
  ["date-time", TIMESTAMP],
]);

/** The type of a position; undefined where expressions see nothing. `name` is how messages call it. */
export function typeOfNode(node: SchemaNode, name: string): CelType | undefined {
  if (node.intOrString) return DYN;
  switch (node.type) {
    case "boolean":
      return BOOL;
    case "integer":
      return INT;
    case "number":
      return DOUBLE;
    case "string":
      return FORMATS.get(node.format) ?? STRING;
    case "array": {
      const item = node.items && typeOfNode(node.items, `${name}.@idx`);
      return item && listOf(item);
    }
    case "object":
      return typeOfObject(node, name);
    default:
      return undefined;
  }
}

function typeOfObject(node: SchemaNode, name: string): CelType | undefined {
  const { additionalProperties: values } = node;
  if (values !== undefined && values !== true) {
    const value = typeOfNode(values, `${name}.@elem`);
    return value && mapOf(STRING, value);
  }
  const properties = new Map<string, SchemaNode>();
  for (const [key, property] of node.properties) {
    const escaped = escapeName(key);
    if (escaped !== undefined) properties.set(escaped, property);
  }
  return struct(name, (field) => {
    const property = properties.get(field);
    return property && typeOfNode(property, `${name}.${field}`);
  });
}

// A null in a field that is not nullable counts as absent: it goes, unless a default will take its place. Items of lists
// stay, since dropping one would move the others. Done where an object is decoded and after a patch, but not after a
// server-side apply, where such a null is refused.
import { isObject } from "../meta/json.ts";
import { objectMetaNode } from "./compile-schema.ts";
import type { SchemaNode } from "./schema-node.ts";

/** Removes the nulls that a custom resource may not hold. Mutates. */
export function dropNulls(node: SchemaNode, value: unknown): void {
  if (node.typeName === objectMetaNode().typeName) return; // read as ObjectMeta instead
  if (Array.isArray(value)) {
    if (node.items === undefined) return;
    for (const item of value) dropNulls(node.items, item);
    return;
  }
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    const property = node.properties.get(key) ?? node.additionalProperties;
    if (typeof property !== "object") continue;
    const item = value[key];
    if (item !== null) dropNulls(property, item);
    else if (!property.nullable && !hasDefault(property)) delete value[key];
  }
}

const hasDefault = (node: SchemaNode): boolean => node.default !== undefined && node.default !== null;

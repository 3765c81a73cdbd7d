// Schemas as they are written: what they hold, and the paths of fields and of what is inside of a schema
// (spec…openAPIV3Schema.properties[spec].items).
import { isObject, objectAt } from "../meta/json.ts";
import type { JsonSchema } from "./schema-node.ts";

export const childPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
export const propertyPath = (path: string, key: string): string => `${childPath(path, "properties")}[${key}]`;
export const branchPath = (path: string, keyword: string, index: number): string =>
  `${childPath(path, keyword)}[${index}]`;

/** The properties, or other schemas by name. */
export const membersOf = (raw: JsonSchema, keyword = "properties"): [string, JsonSchema][] =>
  Object.entries(objectAt(raw, keyword) ?? {}).filter((entry): entry is [string, JsonSchema] =>
    isObject(entry[1]),
  );

/** Of allOf, anyOf and oneOf. */
export const branchesOf = (raw: JsonSchema, keyword: string): JsonSchema[] =>
  Array.isArray(raw[keyword]) ? raw[keyword].filter(isObject) : [];

/** The schemas for what a value holds; apart, those for the same value: alternatives. */
export function* partsOf(raw: JsonSchema): Generator<{ part: JsonSchema; isBranch: boolean }> {
  const { not, items, additionalProperties } = raw;
  for (const keyword of ["allOf", "anyOf", "oneOf"])
    for (const part of branchesOf(raw, keyword)) yield { part, isBranch: true };
  if (isObject(not)) yield { part: not, isBranch: true };
  for (const [, part] of membersOf(raw)) yield { part, isBranch: false };
  for (const part of [items, additionalProperties]) if (isObject(part)) yield { part, isBranch: false };
}

export const isEmbedded = (raw: JsonSchema): boolean => raw["x-kubernetes-embedded-resource"] === true;

/** A null is none. */
export const hasDefault = (schema: { readonly default?: unknown }): boolean =>
  schema.default !== undefined && schema.default !== null;

export const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

export const listMapKeysOf = (raw: JsonSchema): string[] => stringsOf(raw["x-kubernetes-list-map-keys"]);

/** A bound that the schema sets. */
export function limitOf(raw: JsonSchema, keyword: string): number | undefined {
  const value = raw[keyword];
  return typeof value === "number" || typeof value === "bigint" ? Math.max(0, Number(value)) : undefined;
}

// Schemas as they are written: what they hold, and the paths of fields and of what is inside of a schema
// (spec…openAPIV3Schema.properties[spec].items).
import { isObject, objectAt } from "../meta/json.ts";
import type { JsonSchema } from "./schema-node.ts";

export const childPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
export const propertyPath = (path: string, key: string): string => `${childPath(path, "properties")}[${key}]`;

/** The properties, or other schemas by name. */
export const membersOf = (raw: JsonSchema, keyword = "properties"): [string, JsonSchema][] =>
  Object.entries(objectAt(raw, keyword) ?? {}).filter((entry): entry is [string, JsonSchema] =>
    isObject(entry[1]),
  );

/** Of allOf, anyOf and oneOf. */
export const branchesOf = (raw: JsonSchema, keyword: string): JsonSchema[] =>
  Array.isArray(raw[keyword]) ? raw[keyword].filter(isObject) : [];

interface SchemaPart {
  readonly part: JsonSchema;
  /** Under which it stands. */
  readonly keyword: string;
  /** Of a property: its name. */
  readonly key: string;
  readonly path: string;
}

/** Schemas for the same value: alternatives. */
export const BRANCHES: readonly string[] = ["not", "allOf", "anyOf", "oneOf"];
/** Schemas for what a value holds. */
export const INNER: readonly string[] = ["properties", "items", "additionalProperties"];

/** The schemas that stand under these keywords, in this order. */
export function* partsOf(
  raw: JsonSchema,
  keywords: readonly string[] = [...BRANCHES, ...INNER],
  path = "",
): Generator<SchemaPart> {
  for (const keyword of keywords) {
    const value = raw[keyword];
    if (keyword === "properties" || keyword === "definitions") {
      for (const [key, part] of membersOf(raw, keyword))
        yield { part, keyword, key, path: `${childPath(path, keyword)}[${key}]` };
    } else if (isObject(value)) yield { part: value, keyword, key: "", path: childPath(path, keyword) };
    else {
      for (const [index, part] of branchesOf(raw, keyword).entries())
        yield { part, keyword, key: "", path: `${childPath(path, keyword)}[${index}]` };
    }
  }
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

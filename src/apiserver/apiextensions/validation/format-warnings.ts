// Warnings about formats in the schemas of a CRD that are not validated.

import { goQuote } from "../../../apimachinery/go/strconv.ts";
import { isObject, type JsonObject, lookupTable, textOf } from "../../../apimachinery/json/json.ts";
import { sortedKeys } from "../../../apimachinery/json/json-encode.ts";
import { formatCheck } from "../../../apimachinery/schema/formats.ts";
import type { JsonSchema } from "../../../apimachinery/schema/schema-node.ts";
import { schemaOf, specForm } from "./spec-form.ts";

const NUMBER_FORMATS: Readonly<Record<string, readonly string[]>> = lookupTable({
  integer: ["int32", "int64"],
  number: ["float", "double"],
});

/** Limit of warnings, because the response headers are limited. */
const TOLD_MAX = 500;

/** A warning for each unknown format that the old CRD does not have, in schema order. */
export function formatWarnings(crd: Readonly<JsonObject>, old: Readonly<JsonObject> | undefined): string[] {
  const found = unknownFormats(crd);
  if (found.size > 0 && old !== undefined) for (const format of unknownFormats(old)) found.delete(format);
  const told = found.size > 1 ? firstOf(found, crd) : found;
  return [...told].map((format) => `unrecognized format ${goQuote(format)}`);
}

function unknownFormats(crd: Readonly<JsonObject>): Set<string> {
  const unknown = new Set<string>();
  const known = new Set<string>();
  const look = (schema: JsonSchema): false => {
    const format = textOf(schema["format"]);
    if (format === "" || unknown.has(format)) return false;
    const type = textOf(schema["type"]);
    const use = `${type} ${format}`;
    if (known.has(use)) return false;
    if (isKnown(format, type)) known.add(use);
    else unknown.add(format);
    return false;
  };
  for (const schema of schemasOf(crd)) someSchema(schema, look);
  return unknown;
}

/** The formats in the order of the schemas that have them, up to the limit. */
function firstOf(formats: ReadonlySet<string>, crd: Readonly<JsonObject>): Set<string> {
  const first = new Set<string>();
  const wanted = Math.min(formats.size, TOLD_MAX);
  const look = (schema: JsonSchema): boolean => {
    const format = textOf(schema["format"]);
    if (formats.has(format) && !isKnown(format, textOf(schema["type"]))) first.add(format);
    return first.size >= wanted;
  };
  for (const schema of schemasOf(crd)) if (someSchema(schema, look, sortedKeys)) break;
  return first;
}

function schemasOf(crd: Readonly<JsonObject>): (JsonSchema | undefined)[] {
  const form = specForm(crd);
  return [form, ...form.versions].map(schemaOf);
}

function isKnown(format: string, type: string): boolean {
  if (type === "" || type === "string") return formatCheck(format) !== undefined;
  return NUMBER_FORMATS[type]?.includes(format) === true;
}

/**
 * Reports whether the schema or one inside of it satisfies the predicate, and stops there. Visiting properties sorted by
 * name (sortedKeys) would take longer.
 */
export const someSchema = (
  schema: JsonSchema | undefined,
  isWanted: (schema: JsonSchema) => boolean,
  keysOf: KeysOf = Object.keys,
): boolean => schema !== undefined && someInside(schema, isWanted, keysOf);

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

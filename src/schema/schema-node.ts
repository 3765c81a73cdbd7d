// Schemas as they are written, with the paths of what is inside of them (spec…openAPIV3Schema.properties[spec].items), and
// as they are compiled: one node per position in an object, made once per kind and shared by every walker (default, prune,
// strict fields, validate, CEL, and patch/ for list and map types). Built-in kinds and custom resources have the same
// nodes; built-in types refer to each other by name, so nodes may form cycles.
import { isObject, type JsonObject, objectAt, objectsAt, textsAt } from "../meta/json.ts";

/** OpenAPI v3 as it stands in a CRD or under components; read once by compileSchema. */
export type JsonSchema = JsonObject;

export const childPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
export const propertyPath = (path: string, key: string): string => `${childPath(path, "properties")}[${key}]`;

/** The properties, or other schemas by name. */
export const membersOf = (raw: JsonSchema, keyword = "properties"): [string, JsonSchema][] =>
  Object.entries(objectAt(raw, keyword) ?? {}).filter((entry): entry is [string, JsonSchema] =>
    isObject(entry[1]),
  );

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
      for (const [index, part] of objectsAt(raw, keyword).entries())
        yield { part, keyword, key: "", path: `${childPath(path, keyword)}[${index}]` };
    }
  }
}

export const isEmbedded = (raw: JsonSchema): boolean => raw["x-kubernetes-embedded-resource"] === true;

/** A null is none. */
export const hasDefault = (schema: { readonly default?: unknown }): boolean =>
  schema.default !== undefined && schema.default !== null;

export const listMapKeysOf = (raw: JsonSchema): string[] => textsAt(raw, "x-kubernetes-list-map-keys");

/** A bound that the schema sets. */
export function limitOf(raw: JsonSchema, keyword: string): number | undefined {
  const value = raw[keyword];
  return typeof value === "number" || typeof value === "bigint" ? Math.max(0, Number(value)) : undefined;
}

/** What the keywords say of a position by itself. */
export function keywordsOf(raw: JsonSchema) {
  const intOrString = raw["x-kubernetes-int-or-string"] === true;
  return {
    /** undefined: any type (x-kubernetes-int-or-string, or unknown fields preserved without a type). */
    type: intOrString ? undefined : typeOf(raw["type"]),
    format: stringOf(raw["format"]),
    required: textsAt(raw, "required"),
    nullable: raw["nullable"] === true,
    /** undefined when there is none; null is a default too. */
    default: raw["default"],
    intOrString,
    preserveUnknownFields: raw["x-kubernetes-preserve-unknown-fields"] === true,
    embeddedResource: isEmbedded(raw),
    listType: listTypeOf(raw["x-kubernetes-list-type"]),
    listMapKeys: listMapKeysOf(raw),
    mapType: mapTypeOf(raw["x-kubernetes-map-type"]),
    /** Built-in kinds only: strategic merge. */
    patchStrategies: stringOf(raw["x-kubernetes-patch-strategy"])?.split(",") ?? [],
    patchMergeKey: stringOf(raw["x-kubernetes-patch-merge-key"]),
  };
}

/** One of some words; undefined: none of them. */
function oneOf<Word extends string>(...words: readonly Word[]): (value: unknown) => Word | undefined {
  const known = new Map<unknown, Word>(words.map((word) => [word, word]));
  return (value) => known.get(value);
}

const typeOf = oneOf("object", "array", "string", "integer", "number", "boolean");
const listTypeOf = oneOf("atomic", "set", "map");
const mapTypeOf = oneOf("granular", "atomic");
const stringOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export interface SchemaNode extends Readonly<ReturnType<typeof keywordsOf>> {
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** What keys outside of properties hold; true: anything; undefined: there are no such keys. */
  readonly additionalProperties: SchemaNode | true | undefined;
  readonly items: SchemaNode | undefined;
  /** Built-in kinds only: the name of the Go struct, as decoding errors show it ("ConfigMap"). */
  readonly goType: string | undefined;
  /** Built-in kinds only: the type's full name ("io.k8s.api.core.v1.ConfigMap"), which tells apart types of one goType. */
  readonly typeName?: string;
  /** Built-in types only: the facts of the Go struct that the schema does not tell. */
  readonly go?: GoStruct;
  /** The whole schema of this position as written, for value validation (enum, pattern, allOf, CEL rules …). */
  readonly raw: JsonSchema;
}

/** What go-struct.ts reads of a property. */
export interface GoField {
  /** Its number, behind those of the embedded messages that it stands in; empty: apiVersion and kind of an object. */
  readonly path: readonly number[];
  readonly isPointer: boolean;
  readonly isValue: boolean;
  /** What stands in the JSON when the field has no value; undefined: nothing. */
  readonly zero: unknown;
  readonly omitsZero: boolean;
  /** Its Go type where the schema does not tell it. */
  readonly type: string | undefined;
}

export interface GoStruct {
  readonly fields: ReadonlyMap<string, GoField>;
  /** The names of embedded messages by their path ("2", "2.2"). */
  readonly embeds: ReadonlyMap<string, string>;
  /**
   * One group is stored as JSON, so that an empty list stays one; every other built-in kind passes through protobuf,
   * which has none. In other types that say so it lasts until ownership is recorded.
   */
  readonly keepsEmptyLists: boolean;
}

/**
 * Whether it is so of a node or of one below it, asked once for each; what contains itself holds nothing new. Nothing is
 * looked for inside of nodes that are not `open`.
 */
export function isSomewhere(
  isSo: (node: SchemaNode) => boolean,
  isOpen: (node: SchemaNode) => boolean = () => true,
): (node: SchemaNode) => boolean {
  const known = new WeakMap<SchemaNode, boolean>();
  const isInside = (node: SchemaNode): boolean => {
    const answer = known.get(node);
    if (answer !== undefined) return answer;
    known.set(node, false);
    const { properties, additionalProperties, items } = node;
    let found = isSo(node);
    for (const part of [...properties.values(), additionalProperties, items])
      if (typeof part === "object" && isOpen(part)) found = isInside(part) || found;
    known.set(node, found);
    return found;
  };
  return isInside;
}

// Schemas as written, with the paths of their parts (spec…openAPIV3Schema.properties[spec].items), and compiled: one node
// per position in an object. Nodes are built once per kind and shared by all walkers (defaulting, pruning, strict fields,
// validation, CEL, and patch/ for list and map types). Built-in kinds and custom resources have the same nodes. Built-in
// types refer to each other by name, so nodes may form cycles.
import { isObject, type JsonObject, objectAt, objectsAt, textsAt } from "../json/json.ts";

/** OpenAPI v3 schema of a CRD or of components; read once by compileSchema. */
export type JsonSchema = JsonObject;

export const childPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
export const propertyPath = (path: string, key: string): string => `${childPath(path, "properties")}[${key}]`;

/** Properties, or other schemas by name. */
export const membersOf = (raw: JsonSchema, keyword = "properties"): [string, JsonSchema][] =>
  Object.entries(objectAt(raw, keyword) ?? {}).filter((entry): entry is [string, JsonSchema] =>
    isObject(entry[1]),
  );

interface SchemaPart {
  readonly part: JsonSchema;
  /** Keyword that contains the schema. */
  readonly keyword: string;
  /** Name of a property. */
  readonly key: string;
  readonly path: string;
}

/** Keywords with schemas for the same value: alternatives. */
export const BRANCHES: readonly string[] = ["not", "allOf", "anyOf", "oneOf"];
/** Keywords with schemas for parts of a value. */
export const INNER: readonly string[] = ["properties", "items", "additionalProperties"];

/** The schemas under these keywords, in this order. */
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

/** A null counts as no default. */
export const hasDefault = (schema: { readonly default?: unknown }): boolean =>
  schema.default !== undefined && schema.default !== null;

export const listMapKeysOf = (raw: JsonSchema): string[] => textsAt(raw, "x-kubernetes-list-map-keys");

/** A numeric limit of the schema. */
export function limitOf(raw: JsonSchema, keyword: string): number | undefined {
  const value = raw[keyword];
  return typeof value === "number" || typeof value === "bigint" ? Math.max(0, Number(value)) : undefined;
}

/** Keywords of a position itself, without its parts. */
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
    /** Built-in kinds only: strategic merge patch. */
    patchStrategies: stringOf(raw["x-kubernetes-patch-strategy"])?.split(",") ?? [],
    patchMergeKey: stringOf(raw["x-kubernetes-patch-merge-key"]),
  };
}

/** One of these words; undefined: none of them. */
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
  /** Schema of keys outside of properties; true: any value; undefined: such keys are unknown. */
  readonly additionalProperties: SchemaNode | true | undefined;
  readonly items: SchemaNode | undefined;
  /** Built-in kinds only: name of the Go struct in decoding errors ("ConfigMap"). */
  readonly goType: string | undefined;
  /**
   * Built-in kinds only: full type name ("io.k8s.api.core.v1.ConfigMap"), which distinguishes types with the same goType.
   */
  readonly typeName?: string;
  /** Built-in types only: properties of the Go struct that the schema lacks. */
  readonly go?: GoStruct;
  /** The whole schema of this position as written, for value validation (enum, pattern, allOf, CEL rules …). */
  readonly raw: JsonSchema;
}

/** Properties of a Go field, as go-struct.ts reads them. */
export interface GoField {
  /**
   * Protobuf field number, preceded by those of the embedded messages that contain it; empty: apiVersion and kind of an
   * object.
   */
  readonly path: readonly number[];
  readonly isPointer: boolean;
  readonly isValue: boolean;
  /** JSON value of an unset field; undefined: it is omitted. */
  readonly zero: unknown;
  readonly omitsZero: boolean;
  /** Go type where it does not follow from the schema. */
  readonly type: string | undefined;
}

export interface GoStruct {
  readonly fields: ReadonlyMap<string, GoField>;
  /** Names of embedded messages by their path ("2", "2.2"). */
  readonly embeds: ReadonlyMap<string, string>;
  /**
   * One group is stored as JSON, which keeps empty lists. All other built-in kinds are stored as protobuf, which has
   * none. Other types with this flag keep them until ownership is recorded.
   */
  readonly keepsEmptyLists: boolean;
}

/**
 * Reports whether a predicate holds for a node or one below it, memoized per node. Recursive references and nodes that
 * are not `open` are skipped.
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

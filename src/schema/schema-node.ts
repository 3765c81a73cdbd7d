// A compiled structural schema: one node per position in an object, made once per kind and shared by every walker
// (default, prune, strict fields, validate, CEL, and patch/ for list and map types). Built-in kinds and custom
// resources have the same nodes; built-in types refer to each other by name, so nodes may form cycles.
import type { JsonObject } from "../meta/json.ts";

/** OpenAPI v3 as it stands in a CRD or under components; read once by compileSchema. */
export type JsonSchema = JsonObject;

export interface SchemaNode {
  /** undefined: any type (x-kubernetes-int-or-string, or unknown fields preserved without a type). */
  readonly type: "object" | "array" | "string" | "integer" | "number" | "boolean" | undefined;
  readonly format: string | undefined;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** What keys outside of properties hold; true: anything; undefined: there are no such keys. */
  readonly additionalProperties: SchemaNode | true | undefined;
  readonly items: SchemaNode | undefined;
  readonly required: readonly string[];
  readonly nullable: boolean;
  /** undefined when there is none; null is a default too. */
  readonly default: unknown;
  readonly intOrString: boolean;
  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  readonly listType: "atomic" | "set" | "map" | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: "granular" | "atomic" | undefined;
  /** Built-in kinds only: strategic merge. */
  readonly patchStrategies: readonly string[];
  readonly patchMergeKey: string | undefined;
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

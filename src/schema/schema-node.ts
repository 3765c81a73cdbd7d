// A compiled structural schema: one node per position in an object, made once per kind and shared by every walker
// (default, prune, strict fields, validate, CEL, and patch/ for list and map types). Built-in kinds and custom
// resources have the same nodes; built-in types refer to each other by name, so nodes may form cycles.
import type { JsonObject } from "../meta/json.ts";
import type { GoStruct } from "./go/go-struct.ts";

/** OpenAPI v3 as it stands in a CRD or under components; read once by compileSchema. */
export type JsonSchema = JsonObject;

export type ListType = "atomic" | "set" | "map";
export type MapType = "granular" | "atomic";

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
  readonly listType: ListType | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: MapType | undefined;
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

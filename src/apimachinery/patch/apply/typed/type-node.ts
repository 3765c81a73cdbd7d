// Schema view of server-side apply, compiled once per SchemaNode: the forms that a value may have, and whether it is
// owned as a whole or by its children. A value of another form is always owned as a whole.
import type { SchemaNode } from "../../../schema/schema-node.ts";

export type ScalarForm = "string" | "numeric" | "boolean" | "any";

export interface TypeNode {
  readonly scalar: ScalarForm | undefined;
  readonly list: ListForm | undefined;
  readonly map: MapForm | undefined;
}

/** A node under construction. */
type Draft = { -readonly [K in keyof TypeNode]: TypeNode[K] };

export interface ListForm {
  /** x-kubernetes-list-type. atomic: owned as a whole; set: items by value; map: items by keys. */
  readonly kind: "atomic" | "set" | "map";
  readonly item: TypeNode;
  /** Keys of a list map, sorted by name, with the default of each key. */
  readonly keys: readonly KeyDeclaration[];
  /** The same keys in the order of the schema. */
  readonly declaredKeys: readonly string[];
}

export interface KeyDeclaration {
  readonly name: string;
  readonly default: unknown;
}

export interface MapForm {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, TypeNode>;
  /** Type of undeclared keys; undefined: the schema allows none. */
  readonly item: TypeNode | undefined;
  /** Fields that no manager can own. */
  readonly untracked: ReadonlySet<string> | undefined;
}

/** Any value: lists are owned as a whole. */
function anything(atomicMaps: boolean, items?: TypeNode): TypeNode {
  const type: Draft = { scalar: "any", list: undefined, map: undefined };
  type.list = { kind: "atomic", item: items ?? type, keys: [], declaredKeys: [] };
  type.map = { atomic: atomicMaps, fields: new Map(), item: type, untracked: undefined };
  return type;
}

/**
 * Values without a schema (deduced type): objects are owned key by key at every depth, lists are atomic with their items.
 */
export const DEDUCED: TypeNode = anything(false, anything(true));

/** Type of the value at a key. */
export function fieldType(map: MapForm, key: string): TypeNode {
  return map.fields.get(key) ?? map.item ?? DEDUCED;
}

const roots = new WeakMap<SchemaNode, TypeNode>();

/** Type of the objects of a kind. */
export function typeOfKind(node: SchemaNode): TypeNode {
  let type = roots.get(node);
  if (type === undefined) {
    type = asKind(new Compiler().compile(node, false));
    roots.set(node, type);
  }
  return type;
}

const IDENTITY: ReadonlySet<string> = new Set(["apiVersion", "kind"]);
const SYSTEM_METADATA: ReadonlySet<string> = new Set([
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "generation",
  "managedFields",
  "resourceVersion",
]);

/** System metadata has no owner. */
function asKind(type: TypeNode): TypeNode {
  if (type.map === undefined) return type;
  const fields = new Map(type.map.fields);
  const metadata = fields.get("metadata");
  if (metadata?.map !== undefined) {
    fields.set("metadata", { ...metadata, map: { ...metadata.map, untracked: SYSTEM_METADATA } });
  }
  return { ...type, map: { ...type.map, fields, untracked: IDENTITY } };
}

/** Nodes may form cycles: each is compiled once, and registered before the nodes that it refers to. */
class Compiler {
  readonly #plain = new Map<SchemaNode, TypeNode>();
  /** Below x-kubernetes-preserve-unknown-fields every position preserves unknown fields. */
  readonly #preserving = new Map<SchemaNode, TypeNode>();

  compile(node: SchemaNode, preserves: boolean): TypeNode {
    const inside = preserves || node.preserveUnknownFields;
    const known = inside ? this.#preserving : this.#plain;
    const found = known.get(node);
    if (found !== undefined) return found;
    const type: Draft = { scalar: scalarForm(node), list: undefined, map: undefined };
    known.set(node, type);
    if (node.goType === "Quantity") return type;
    if (node.type === undefined || node.type === "array") type.list = this.#listForm(node, inside);
    if (node.type === undefined || node.type === "object") type.map = this.#mapForm(node, inside);
    return type;
  }

  #listForm(node: SchemaNode, preserves: boolean): ListForm {
    const item = node.items === undefined ? DEDUCED : this.compile(node.items, preserves);
    const { kind, keys } = listOwnership(node);
    return {
      kind,
      item,
      keys: keys
        .toSorted()
        .map((name) => ({ name, default: node.items?.properties.get(name)?.default ?? undefined })),
      declaredKeys: keys,
    };
  }

  #mapForm(node: SchemaNode, preserves: boolean): MapForm {
    const fields = new Map<string, TypeNode>();
    for (const [name, property] of node.properties) fields.set(name, this.compile(property, preserves));
    return {
      atomic: node.mapType === "atomic" || node.goType === "RawExtension",
      fields,
      item: this.#otherFields(node, preserves),
      untracked: undefined,
    };
  }

  /** Type of undeclared keys; undefined: there are none. */
  #otherFields(node: SchemaNode, preserves: boolean): TypeNode | undefined {
    const other = node.additionalProperties;
    if (other === true) return DEDUCED;
    if (other !== undefined) return this.compile(other, preserves);
    return preserves || node.properties.size === 0 ? DEDUCED : undefined;
  }
}

function scalarForm(node: SchemaNode): ScalarForm | undefined {
  switch (node.type) {
    case "object":
    case "array":
      return undefined;
    case "integer":
    case "number":
      return "numeric";
    case "boolean":
      return "boolean";
    case "string":
      return node.format === undefined || node.format === "" || node.format === "byte" ? "string" : "any";
    default:
      return "any";
  }
}

/** Built-in lists without a list type are owned by their patch merge strategy. */
function listOwnership(node: SchemaNode): { kind: ListForm["kind"]; keys: readonly string[] } {
  if (node.listType === "map") return { kind: "map", keys: node.listMapKeys };
  if (node.listType !== undefined) return { kind: node.listType, keys: [] };
  if (!node.patchStrategies.includes("merge")) return { kind: "atomic", keys: [] };
  return node.patchMergeKey === undefined
    ? { kind: "set", keys: [] }
    : { kind: "map", keys: [node.patchMergeKey] };
}

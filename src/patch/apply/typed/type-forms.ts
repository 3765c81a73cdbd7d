// The forms that a value may take at one position of an object.

export type ScalarForm = "string" | "numeric" | "boolean" | "any";

export interface TypeNode {
  readonly scalar: ScalarForm | undefined;
  readonly list: ListForm | undefined;
  readonly map: MapForm | undefined;
}

export interface ListForm {
  /** atomic: owned as a whole; set: by value; map: by keys. */
  readonly kind: "atomic" | "set" | "map";
  readonly item: TypeNode;
  /** The keys of a list map, sorted by name, with the value an item has that leaves the key out. */
  readonly keys: readonly KeyDeclaration[];
  /** The same keys as the schema orders them. */
  readonly declaredKeys: readonly string[];
}

export interface KeyDeclaration {
  readonly name: string;
  readonly default: unknown;
}

export interface MapForm {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, TypeNode>;
  /** What keys hold that are not among fields; undefined: the schema knows no such keys. */
  readonly item: TypeNode | undefined;
  /** Fields that nobody can own. */
  readonly untracked: ReadonlySet<string> | undefined;
}

/** Anything, with itself as the type of all parts. */
function anything(
  atomicMaps: boolean,
  partsOf: (self: TypeNode) => { item: TypeNode; value: TypeNode },
): TypeNode {
  const type: { -readonly [K in keyof TypeNode]: TypeNode[K] } = {
    scalar: "any",
    list: undefined,
    map: undefined,
  };
  const { item, value } = partsOf(type);
  type.list = { kind: "atomic", item, keys: [], declaredKeys: [] };
  type.map = { atomic: atomicMaps, fields: new Map(), item: value, untracked: undefined };
  return type;
}

const UNTYPED = anything(true, (self) => ({ item: self, value: self }));

/** What no schema describes: objects are owned key by key at every depth, lists as a whole. */
export const DEDUCED: TypeNode = anything(false, (self) => ({ item: UNTYPED, value: self }));

/** The type of the value at a key. */
export function fieldType(map: MapForm, key: string): TypeNode {
  return map.fields.get(key) ?? map.item ?? DEDUCED;
}

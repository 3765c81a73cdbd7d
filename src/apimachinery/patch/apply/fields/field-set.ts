// Field sets as trees: one node per field, with its children by the text of their path element.
//
//   {spec.a, spec.b, spec}  =  ∅ ─ f:spec● ─ f:a●      (● is in the set itself)
//                                          └ f:b●
//
// Sets are immutable. Operations share unchanged nodes, and return an operand itself when nothing changes.
// A node is kept only if it or one of its descendants is in the set.
import { type PathElement, pathElementText } from "./field-path.ts";

export interface FieldSet {
  /** The field itself is in the set. Never true at the root: no manager owns a whole object. */
  readonly member: boolean;
  readonly children: ReadonlyMap<string, FieldSet> | undefined;
}

export const EMPTY: FieldSet = { member: false, children: undefined };
/** A field in the set without children. */
export const LEAF: FieldSet = { member: true, children: undefined };

/** Builds a node; the caller leaves out empty children. */
export function fieldSet(member: boolean, children: ReadonlyMap<string, FieldSet> | undefined): FieldSet {
  if (children === undefined || children.size === 0) return member ? LEAF : EMPTY;
  return { member, children };
}

export function isEmpty(set: FieldSet): boolean {
  return !set.member && set.children === undefined;
}

/** Fields of either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  if (isEmpty(a)) return b;
  let children: Map<string, FieldSet> | undefined;
  if (b.children !== undefined) {
    for (const [step, right] of b.children) {
      const left = a.children?.get(step);
      const both = left === undefined ? right : union(left, right);
      if (both === left) continue;
      children ??= new Map(a.children);
      children.set(step, both);
    }
  }
  if (children === undefined && (a.member || !b.member)) return a;
  return fieldSet(a.member || b.member, children ?? a.children);
}

/** Fields of both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  return keepChildren(a, a.member && b.member, (step, child) => {
    const other = b.children?.get(step);
    return other === undefined ? EMPTY : intersection(child, other);
  });
}

/** Fields of a that are not in b; children of a field of b stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(b)) return a;
  return keepChildren(a, a.member && !b.member, (step, child) => {
    const other = b.children?.get(step);
    return other === undefined ? child : difference(child, other);
  });
}

/** Fields of a that are neither in b nor below a field of b. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(b)) return a;
  return keepChildren(a, a.member && !b.member, (step, child) => {
    const other = b.children?.get(step);
    if (other === undefined) return child;
    return other.member ? EMPTY : recursiveDifference(child, other);
  });
}

/** The set with each child replaced by the result of `keep`. */
export function keepChildren(
  set: FieldSet,
  member: boolean,
  keep: (step: string, child: FieldSet) => FieldSet,
): FieldSet {
  let children: Map<string, FieldSet> | undefined;
  if (set.children !== undefined) {
    for (const [step, child] of set.children) {
      const kept = keep(step, child);
      if (kept === child) continue;
      children ??= new Map(set.children);
      if (isEmpty(kept)) children.delete(step);
      else children.set(step, kept);
    }
  }
  if (children === undefined && member === set.member) return set;
  return fieldSet(member, children ?? set.children);
}

/** True if b is a subset of a. */
export function contains(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (b.member && !a.member) return false;
  if (b.children === undefined) return true;
  for (const [step, child] of b.children) {
    const own = a.children?.get(step);
    if (own === undefined || !contains(own, child)) return false;
  }
  return true;
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  return contains(a, b) && contains(b, a);
}

/** The set of the fields at the paths. */
export function setOfPaths(paths: Iterable<readonly PathElement[]>): FieldSet {
  let set = EMPTY;
  for (const path of paths) set = union(set, path.reduceRight<FieldSet>(below, LEAF));
  return set;
}

/** The set of the fields at these paths of field names. */
export const setOfFields = (paths: readonly (readonly string[])[]): FieldSet =>
  setOfPaths(paths.map((path) => path.map((name) => ({ type: "field", name }))));

const below = (set: FieldSet, element: PathElement): FieldSet => ({
  member: false,
  children: new Map([[pathElementText(element), set]]),
});

/**
 * Children of a wide map that are all leaves, such as the data of a ConfigMap. Most are never looked up one by one. They
 * are kept as a list, which takes half the time of a map, until the first lookup.
 */
export class LeafFields implements ReadonlyMap<string, FieldSet> {
  /** Unique path elements. */
  readonly steps: readonly string[];
  #map: ReadonlyMap<string, FieldSet> | undefined;

  constructor(steps: readonly string[]) {
    this.steps = steps;
  }

  get size(): number {
    return this.steps.length;
  }

  get(step: string): FieldSet | undefined {
    return this.#known().get(step);
  }

  has(step: string): boolean {
    return this.#known().has(step);
  }

  keys(): MapIterator<string> {
    return this.#known().keys();
  }

  values(): MapIterator<FieldSet> {
    return this.#known().values();
  }

  entries(): MapIterator<[string, FieldSet]> {
    return this.#known().entries();
  }

  [Symbol.iterator](): MapIterator<[string, FieldSet]> {
    return this.#known().entries();
  }

  forEach(visit: (field: FieldSet, step: string, all: ReadonlyMap<string, FieldSet>) => void): void {
    for (const step of this.steps) visit(LEAF, step, this);
  }

  #known(): ReadonlyMap<string, FieldSet> {
    this.#map ??= new Map(this.steps.map((step) => [step, LEAF]));
    return this.#map;
  }
}

// Sets of fields, as trees: one node per field, its children by the text of the step to them.
//
//   {spec.a, spec.b, spec}  =  ∅ ─ f:spec● ─ f:a●      (● is in the set itself)
//                                          └ f:b●
//
// Sets are never changed; operations share what stays the same, and return an operand itself when nothing changes.
// No node is kept that neither is in the set nor has anything below it in the set.
import { type PathElement, pathElementText } from "./field-path.ts";

export interface FieldSet {
  /** The field at this place is in the set. The root never is: nobody owns a whole object. */
  readonly member: boolean;
  readonly children: ReadonlyMap<string, FieldSet> | undefined;
}

export const EMPTY: FieldSet = { member: false, children: undefined };
/** A field in the set with nothing below it. */
export const LEAF: FieldSet = { member: true, children: undefined };

/** A node from its parts; children that are empty must have been left out. */
export function fieldSet(member: boolean, children: ReadonlyMap<string, FieldSet> | undefined): FieldSet {
  if (children === undefined || children.size === 0) return member ? LEAF : EMPTY;
  return { member, children };
}

export function isEmpty(set: FieldSet): boolean {
  return !set.member && set.children === undefined;
}

/** What is in either. */
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

/** What is in both. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  return keepChildren(a, a.member && b.member, (step, child) => {
    const other = b.children?.get(step);
    return other === undefined ? EMPTY : intersection(child, other);
  });
}

/** What is in a but not in b; what lies below a field of b stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(b)) return a;
  return keepChildren(a, a.member && !b.member, (step, child) => {
    const other = b.children?.get(step);
    return other === undefined ? child : difference(child, other);
  });
}

/** What is in a but neither in b nor below a field of b. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(b)) return a;
  return keepChildren(a, a.member && !b.member, (step, child) => {
    const other = b.children?.get(step);
    if (other === undefined) return child;
    return other.member ? EMPTY : recursiveDifference(child, other);
  });
}

/** The set with each child replaced by what `keep` makes of it. */
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

/** True if all of b is in a. */
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

/** The set of the fields with these names on the way to them. */
export const setOfFields = (paths: readonly (readonly string[])[]): FieldSet =>
  setOfPaths(paths.map((path) => path.map((name) => ({ type: "field", name }))));

const below = (set: FieldSet, element: PathElement): FieldSet => ({
  member: false,
  children: new Map([[pathElementText(element), set]]),
});

/**
 * The members of a wide map that have nothing below them, such as the data of a ConfigMap. Most of them are never asked for
 * one by one: they are kept as a list, which takes half the time of a map, until somebody does.
 */
export class LeafFields implements ReadonlyMap<string, FieldSet> {
  /** Each once. */
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

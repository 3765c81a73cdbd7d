// The members of a wide map that have nothing below them, such as the data of a ConfigMap. Most of them are never asked
// for one by one: they are kept as a list, which takes half the time of a map, until somebody does.
import { type FieldSet, LEAF } from "./field-set.ts";

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

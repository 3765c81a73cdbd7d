// Index of items with a label selector. matching() evaluates only selectors anchored on a label key or key=value of the
// given labels.
import { type LabelSelector, readLabelSelector } from "../../apimachinery/meta/label-selector.ts";
import { labelKey } from "./model.ts";
import type { Labels } from "./records.ts";

/** Index key of selectors that require no particular label. */
const ANYWHERE = "";

/** A missing or invalid selector selects nothing. */
export function selectorOf(written: unknown): LabelSelector {
  const read = readLabelSelector(written);
  return read instanceof Error ? NOTHING : read;
}

const NOTHING = selectorOf(undefined);

/**
 * Index keys (labelKey of model.ts) of which every selected object has at least one. Undefined: the selector requires no
 * particular label.
 */
export function labelsAsked({ anchor }: LabelSelector): readonly string[] | undefined {
  if (anchor === undefined) return undefined;
  const { key, values } = anchor;
  return values ? values.list().map((value) => labelKey(key, value)) : [key];
}

export class Anchored<T> {
  readonly #selectorOf: (item: T) => LabelSelector;
  readonly #items = new Map<string, Set<T>>();

  constructor(selectorOf: (item: T) => LabelSelector) {
    this.#selectorOf = selectorOf;
  }

  add(item: T): void {
    for (const anchor of this.#anchorsOf(item)) {
      const items = this.#items.get(anchor);
      if (items) items.add(item);
      else this.#items.set(anchor, new Set([item]));
    }
  }

  delete(item: T): void {
    for (const anchor of this.#anchorsOf(item)) {
      const items = this.#items.get(anchor);
      if (items?.delete(item) && items.size === 0) this.#items.delete(anchor);
    }
  }

  /** The items whose selector matches, in no defined order. */
  matching(labels: Labels): T[] {
    const found: T[] = [];
    this.#tryAt(ANYWHERE, labels, found);
    for (const [key, value] of Object.entries(labels)) {
      this.#tryAt(key, labels, found);
      this.#tryAt(labelKey(key, value), labels, found);
    }
    return found;
  }

  #tryAt(anchor: string, labels: Labels, found: T[]): void {
    for (const item of this.#items.get(anchor) ?? [])
      if (this.#selectorOf(item).matches(labels)) found.push(item);
  }

  #anchorsOf(item: T): readonly string[] {
    const selector = this.#selectorOf(item);
    if (selector === NOTHING) return [];
    return labelsAsked(selector) ?? [ANYWHERE];
  }
}

// The merge of one list by the rule of its field, in parts: between those of a long list others can have their turn. Old
// and given lists are both used up.

import { formatGoValue, goTypeOf } from "../../go/format.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import { plainError, type StatusError } from "../../meta/status.ts";
import { patchDoesNotApply } from "../patch-errors.ts";
import { hasPatchDirective, PATCH, unknownDirective, withoutDirectives } from "./directives.ts";
import type { ListRule } from "./field-rule.ts";
import { checkNamesItems, keyOf, orderItems } from "./list-order.ts";

/** A list that is merged, and what the patch says of it. */
export interface ListInput {
  readonly old: unknown[] | undefined;
  /** undefined: the patch says nothing but the order. */
  readonly given: unknown[] | undefined;
  readonly rule: ListRule;
  /** The given scalars are taken out instead of added. */
  readonly deletes?: boolean;
  /** The items in their order; the others stand where they stood. */
  readonly order?: readonly unknown[];
  mergeItem(found: JsonObject, patch: JsonObject): JsonObject;
  /** Takes the merged list. */
  done(list: unknown[]): void;
}

/** Items that are merged at once. */
const ITEMS_AT_ONCE = 2000;

export class ListMerge {
  readonly #input: ListInput;
  readonly #parts = [this.#checkOrder, this.#sortOut, this.#mergeItems, this.#orderMerged, this.#obeyOrder];
  #merged: unknown[] = [];
  /** Of lists of objects, once they are sorted out. */
  #items: Items | undefined;
  #next = 0;

  constructor(input: ListInput) {
    this.#input = input;
  }

  get length(): number {
    const { old, given, order } = this.#input;
    return (old?.length ?? 0) + (given?.length ?? 0) + (order?.length ?? 0);
  }

  /** Does the next part; false when the merged list has been handed over. */
  step(): boolean {
    const part = this.#parts[0];
    if (part === undefined) return false;
    if (part.call(this) === "again") return true;
    this.#parts.shift();
    if (this.#parts.length > 0) return true;
    this.#input.done(this.#merged);
    return false;
  }

  #checkOrder(): undefined {
    const { order, given, rule } = this.#input;
    if (order !== undefined) checkNamesItems(order, given ?? [], rule.mergeKey);
  }

  #sortOut(): undefined {
    const { old, given, rule, deletes = false } = this.#input;
    if (given === undefined) this.#merged = old ?? [];
    else if (old === undefined)
      this.#merged = withoutDirectives(given) as unknown[]; // a list is never left out
    else if (!deletes && rule.strategy !== "merge") this.#merged = given;
    else if (old.length === 0 && given.length === 0) this.#merged = old;
    else if (elementKind(old, given) === "map") {
      this.#items = itemsOf(old, given, rule);
      this.#merged = [...this.#items.existing];
    } else if (deletes) {
      const unwanted = new Set(given);
      this.#merged = old.filter((item) => !unwanted.has(item));
    } else {
      const merged = [...new Set([...old, ...given])];
      this.#merged = orderItems(merged, { wanted: given, existing: old, mergeKey: rule.mergeKey });
    }
  }

  #mergeItems(): "again" | undefined {
    if (this.#items === undefined) return undefined;
    const merged = this.#merged;
    const { mergeKey, places, wanted } = this.#items;
    const until = Math.min(wanted.length, this.#next + ITEMS_AT_ONCE);
    for (; this.#next < until; this.#next++) {
      const patch = wanted[this.#next];
      const key = keyOf(patch, mergeKey);
      const at = places.get(key);
      const found = at === undefined ? undefined : merged[at];
      if (at !== undefined && isObject(found) && isObject(patch)) {
        merged[at] = this.#input.mergeItem(found, patch);
      } else places.set(key, merged.push(patch) - 1);
    }
    return until < wanted.length ? "again" : undefined;
  }

  #orderMerged(): undefined {
    if (this.#items !== undefined) this.#merged = orderItems(this.#merged, this.#items);
  }

  #obeyOrder(): undefined {
    const { order, old = [], given = [], rule } = this.#input;
    if (order === undefined) return undefined;
    elementKind(old, given);
    this.#merged = orderItems(this.#merged, { wanted: order, existing: old, mergeKey: rule.mergeKey });
  }
}

/** Throws unless all elements are of one type. */
function elementKind(old: readonly unknown[], given: readonly unknown[]): "map" | "scalar" {
  const type = goTypeOf(old.length > 0 ? old[0] : given[0]);
  if (old.length + given.length === 0) throw plainError("no elements in any of the given slices");
  if (type === "[]interface {}") throw patchDoesNotApply();
  const isOther = (item: unknown) => goTypeOf(item) !== type;
  if (old.some(isOther) || given.some(isOther)) {
    throw plainError(`list element types are not identical: ${formatGoValue([old, given])}`);
  }
  return type === "map[string]interface {}" ? "map" : "scalar";
}

interface Items {
  readonly mergeKey: string;
  /** Items that stay. */
  readonly existing: readonly unknown[];
  /** Where the first of each key stands. */
  readonly places: Map<unknown, number>;
  /** Items to merge in, without those that were directives. */
  readonly wanted: readonly unknown[];
}

function itemsOf(old: readonly unknown[], given: readonly unknown[], { mergeKey }: ListRule): Items {
  if (mergeKey === undefined) throw plainError("cannot merge lists without merge key for type struct");
  const deleted = new Set<unknown>();
  let replaces = false;
  const patches: unknown[] = [];
  for (const item of given) {
    if (!hasPatchDirective(item)) {
      patches.push(item);
      continue;
    }
    switch (item[PATCH]) {
      case "delete":
        deleted.add(keyOf(item, mergeKey));
        break;
      case "replace":
        replaces = true;
        break;
      default:
        throw itemDirectiveError(item);
    }
  }
  const isDeleted = (item: unknown) =>
    isObject(item) && Object.hasOwn(item, mergeKey) && deleted.has(item[mergeKey]);
  const existing = replaces ? patches : deleted.size === 0 ? old : old.filter((item) => !isDeleted(item));
  return { mergeKey, existing, places: placesByKey(existing, mergeKey), wanted: replaces ? [] : patches };
}

function placesByKey(items: readonly unknown[], mergeKey: string): Map<unknown, number> {
  const places = new Map<unknown, number>();
  let at = 0;
  for (const item of items) {
    if (isObject(item) && Object.hasOwn(item, mergeKey) && !places.has(item[mergeKey])) {
      places.set(item[mergeKey], at);
    }
    at++;
  }
  return places;
}

function itemDirectiveError(item: JsonObject): StatusError {
  return item[PATCH] === "merge"
    ? plainError("merging lists cannot yet be specified in the patch")
    : unknownDirective(item[PATCH], item);
}

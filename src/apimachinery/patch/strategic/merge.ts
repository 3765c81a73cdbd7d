// Strategic merge: objects member by member, lists by the rule of their field. Both arguments, original and patch, are
// consumed.

import { formatGoValue, goTypeOf } from "../../go/format.ts";
import { isObject, type JsonObject, setOwn } from "../../json/json.ts";
import { plainError, type StatusError } from "../../meta/status.ts";
import { type Coroutine, runSync } from "../../scheduling/coroutine.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import { patchDoesNotApply } from "../patch-errors.ts";
import { checkNamesItems, keyOf, orderItems, ranks } from "./list-order.ts";
import {
  addedValue,
  deletedField,
  fieldRule,
  followRetainKeys,
  hasPatchDirective,
  isDeleteList,
  isElementOrder,
  type ListRule,
  listRule,
  orderedField,
  PATCH,
  unknownDirective,
  withoutDirectives,
} from "./merge-rules.ts";

/** Shorter lists are merged without yielding. */
const LONG_LIST = 1000;
/** Items of a longer list that are merged per step. */
const ITEMS_AT_ONCE = 2000;

/**
 * The merged object. Directives are removed from the patch as they are processed. Merges of long lists are appended to
 * `later`, if given, for the caller to finish.
 */
export function mergeObject(
  original: JsonObject,
  patch: JsonObject,
  node: SchemaNode,
  later?: Coroutine<void>[],
): JsonObject {
  if (hasPatchDirective(patch)) return followDirective(patch);
  followRetainKeys(original, patch);
  // Where a list has both additions and deletions, one merge needs the result of the other.
  const runYielding = later !== undefined && !Object.keys(patch).some(isDeleteList) ? later : undefined;
  for (const key of Object.keys(patch)) {
    if (isElementOrder(key)) mergeInOrder(original, patch, key, node, runYielding);
  }
  for (const [key, value] of Object.entries(patch)) mergeMember(original, key, value, node, runYielding);
  return original;
}

function followDirective(patch: JsonObject): JsonObject {
  const directive = patch[PATCH];
  if (directive === "delete") return {};
  if (directive !== "replace") throw unknownDirective(directive, patch);
  delete patch[PATCH];
  return patch;
}

function mergeMember(
  original: JsonObject,
  patchKey: string,
  value: unknown,
  node: SchemaNode,
  later: Coroutine<void>[] | undefined,
): void {
  const deletes = isDeleteList(patchKey);
  const key = deletes ? deletedField(patchKey) : patchKey;
  if (value === null) {
    delete original[key];
    return;
  }
  const old = Object.hasOwn(original, key) ? original[key] : undefined;
  if (Array.isArray(old) && Array.isArray(value)) {
    const rule = listRule(node, key);
    if (!deletes && rule.strategy !== "merge") setOwn(original, key, value);
    else mergeListAt(original, key, { old, given: value, rule, deletes }, later);
  } else if (deletes) {
    // There is nothing to delete from.
  } else if (isObject(old) && isObject(value)) {
    const rule = fieldRule(node, key);
    setOwn(original, key, rule.strategy === "replace" ? value : mergeObject(old, value, rule.node, later));
  } else {
    const added = addedValue(value);
    if (added === undefined) delete original[key];
    else setOwn(original, key, added);
  }
}

/** Merges the list of an element order directive, and sorts it by that order. */
function mergeInOrder(
  original: JsonObject,
  patch: JsonObject,
  orderKey: string,
  node: SchemaNode,
  later: Coroutine<void>[] | undefined,
): void {
  const order = listOf(patch[orderKey]);
  delete patch[orderKey];
  const key = orderedField(orderKey);
  const old = Object.hasOwn(original, key) ? listOf(original[key]) : undefined;
  const given = Object.hasOwn(patch, key) ? listOf(patch[key]) : undefined;
  const rule = listRule(node, key);
  if (old === undefined && given === undefined) return;
  delete patch[key];
  mergeListAt(original, key, { old, given, rule, order }, later);
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  const type = value === null ? "%!s(<nil>)" : goTypeOf(value);
  throw plainError(`expected a []interface {}, but received a ${type}`);
}

/** A list to merge, and its patch. */
interface ListInput {
  readonly old: unknown[] | undefined;
  /** undefined: the patch has an element order only. */
  readonly given: unknown[] | undefined;
  readonly rule: ListRule;
  /** The given scalars are removed instead of added. */
  readonly deletes?: boolean;
  /** Element order of the items; other items keep their relative positions. */
  readonly order?: readonly unknown[];
}

function mergeListAt(
  owner: JsonObject,
  key: string,
  list: ListInput,
  later: Coroutine<void>[] | undefined,
): void {
  const { old, given, order } = list;
  const merge = putMerged(owner, key, list, later);
  const length = (old?.length ?? 0) + (given?.length ?? 0) + (order?.length ?? 0);
  if (later !== undefined && length > LONG_LIST) later.push(merge);
  else runSync(merge);
}

function* putMerged(
  owner: JsonObject,
  key: string,
  list: ListInput,
  later: Coroutine<void>[] | undefined,
): Coroutine<void> {
  setOwn(owner, key, yield* mergeList(list, later));
}

export function* mergeList(input: ListInput, later?: Coroutine<void>[]): Coroutine<unknown[]> {
  const { old = [], given = [], rule, order } = input;
  const { mergeKey } = rule;
  if (order !== undefined) checkNamesItems(order, given, mergeKey);
  yield;
  let merged = mergedAtOnce(input);
  if (merged === undefined) {
    const items = itemsOf(old, given, rule);
    merged = [...items.existing];
    yield;
    for (let from = 0; from < items.wanted.length; from += ITEMS_AT_ONCE) {
      if (from > 0) yield;
      mergeItems(merged, items, from, rule.item, later);
    }
    yield;
    merged = orderItems(merged, items);
  }
  yield;
  if (order === undefined) return merged;
  elementKind(old, given);
  return orderItems(merged, { wanted: order, existing: old, mergeKey });
}

/** undefined: two lists of objects, which are merged item by item. */
function mergedAtOnce({ old, given, rule, deletes = false }: ListInput): unknown[] | undefined {
  if (given === undefined) return old ?? [];
  if (old === undefined) return withoutDirectives(given) as unknown[]; // a list is never left out
  if (!deletes && rule.strategy !== "merge") return given;
  if (old.length === 0 && given.length === 0) return old;
  if (elementKind(old, given) === "map") return undefined;
  if (deletes) {
    const unwanted = new Set(given);
    return old.filter((item) => !unwanted.has(item));
  }
  const merged = [...new Set([...old, ...given])];
  return orderItems(merged, { wanted: given, existing: old, mergeKey: rule.mergeKey });
}

/** Throws unless all elements have one type. */
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
  /** Index of the first item with each key. */
  readonly places: Map<unknown, number>;
  /** Items to merge in, without directives. */
  readonly wanted: readonly unknown[];
}

function itemsOf(old: readonly unknown[], given: readonly unknown[], { mergeKey }: ListRule): Items {
  if (mergeKey === undefined) throw plainError("cannot merge lists without merge key for type struct");
  const deleted = new Set<unknown>();
  let replaces = false;
  const patches: unknown[] = [];
  for (const item of given) {
    if (!hasPatchDirective(item)) patches.push(item);
    else if (item[PATCH] === "delete") deleted.add(keyOf(item, mergeKey));
    else if (item[PATCH] === "replace") replaces = true;
    else throw itemDirectiveError(item);
  }
  const keyIn = (item: unknown): unknown =>
    isObject(item) && Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined;
  const existing = replaces ? patches : old.filter((item) => !deleted.has(keyIn(item)));
  return { mergeKey, existing, places: ranks(existing, keyIn), wanted: replaces ? [] : patches };
}

function itemDirectiveError(item: JsonObject): StatusError {
  return item[PATCH] === "merge"
    ? plainError("merging lists cannot yet be specified in the patch")
    : unknownDirective(item[PATCH], item);
}

function mergeItems(
  merged: unknown[],
  { mergeKey, places, wanted }: Items,
  from: number,
  node: SchemaNode,
  later: Coroutine<void>[] | undefined,
): void {
  for (const patch of wanted.slice(from, from + ITEMS_AT_ONCE)) {
    const key = keyOf(patch, mergeKey);
    const at = places.get(key);
    const found = at === undefined ? undefined : merged[at];
    if (at !== undefined && isObject(found) && isObject(patch)) {
      merged[at] = mergeObject(found, patch, node, later);
    } else places.set(key, merged.push(patch) - 1);
  }
}

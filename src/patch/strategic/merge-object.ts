// Strategic merge: objects member by member, lists by the rule of their field. Original and patch are both used up.

import { goTypeOf } from "../../go/format.ts";
import { isObject, type JsonObject, setOwn } from "../../meta/json.ts";
import { plainError } from "../../meta/status.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import {
  addedValue,
  deletedField,
  followRetainKeys,
  hasPatchDirective,
  isDeleteList,
  isElementOrder,
  orderedField,
  PATCH,
  unknownDirective,
} from "./directives.ts";
import { fieldRule, listRule } from "./field-rule.ts";
import { type ListInput, ListMerge } from "./list-merge.ts";

/** Shorter lists are merged at once. */
const LONG_LIST = 1000;

/**
 * What the original becomes. Directives are taken out of the patch as they are followed. Merges of long lists are put into
 * `later`, where there is one, for the caller to finish.
 */
export function mergeObject(
  original: JsonObject,
  patch: JsonObject,
  node: SchemaNode,
  later?: ListMerge[],
): JsonObject {
  if (hasPatchDirective(patch)) return followDirective(patch);
  followRetainKeys(original, patch);
  // Of a list that both gives and deletes, one merge needs the outcome of the other.
  const inTurns = later !== undefined && !Object.keys(patch).some(isDeleteList) ? later : undefined;
  for (const key of Object.keys(patch)) {
    if (isElementOrder(key)) mergeInOrder(original, patch, key, node, inTurns);
  }
  for (const [key, value] of Object.entries(patch)) mergeMember(original, key, value, node, inTurns);
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
  later: ListMerge[] | undefined,
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
    else mergeList(original, key, { old, given: value, rule, deletes }, later);
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

/** Merges the list that an element order is for, and puts it into this order. */
function mergeInOrder(
  original: JsonObject,
  patch: JsonObject,
  orderKey: string,
  node: SchemaNode,
  later: ListMerge[] | undefined,
): void {
  const order = listOf(patch[orderKey]);
  delete patch[orderKey];
  const key = orderedField(orderKey);
  const old = Object.hasOwn(original, key) ? listOf(original[key]) : undefined;
  const given = Object.hasOwn(patch, key) ? listOf(patch[key]) : undefined;
  const rule = listRule(node, key);
  if (old === undefined && given === undefined) return;
  delete patch[key];
  mergeList(original, key, { old, given, rule, order }, later);
}

function mergeList(
  owner: JsonObject,
  key: string,
  list: Pick<ListInput, "old" | "given" | "rule" | "deletes" | "order">,
  later: ListMerge[] | undefined,
): void {
  const merge = new ListMerge({
    ...list,
    mergeItem: (found, patch) => mergeObject(found, patch, list.rule.item, later),
    done: (merged) => setOwn(owner, key, merged),
  });
  if (later !== undefined && merge.length > LONG_LIST) later.push(merge);
  else while (merge.step());
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  const type = value === null ? "%!s(<nil>)" : goTypeOf(value);
  throw plainError(`expected a []interface {}, but received a ${type}`);
}

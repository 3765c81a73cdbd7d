// Strategic merge: objects member by member, lists by the rule of their field. Original and patch are both used up.
import { isObject, type JsonObject, setOwn } from "../../meta/json.ts";
import { plainError, type StatusError } from "../../meta/status.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import { formatGoValue, goTypeOf } from "../go-format.ts";
import { patchDoesNotApply } from "../patch-errors.ts";
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
  withoutDirectives,
} from "./directives.ts";
import { fieldRule, type ListRule, listRule } from "./field-rule.ts";
import { checkNamesItems, keyOf, orderItems } from "./list-order.ts";

/** What the original becomes. Directives are taken out of the patch as they are followed. */
export function mergeObject(original: JsonObject, patch: JsonObject, node: SchemaNode): JsonObject {
  if (hasPatchDirective(patch)) return followDirective(patch);
  followRetainKeys(original, patch);
  for (const key of Object.keys(patch)) if (isElementOrder(key)) mergeInOrder(original, patch, key, node);
  for (const [key, value] of Object.entries(patch)) mergeMember(original, key, value, node);
  return original;
}

function followDirective(patch: JsonObject): JsonObject {
  const directive = patch[PATCH];
  if (directive === "delete") return {};
  if (directive !== "replace") throw unknownDirective(directive, patch);
  delete patch[PATCH];
  return patch;
}

function mergeMember(original: JsonObject, patchKey: string, value: unknown, node: SchemaNode): void {
  const deletes = isDeleteList(patchKey);
  const key = deletes ? deletedField(patchKey) : patchKey;
  if (value === null) {
    delete original[key];
    return;
  }
  const old = Object.hasOwn(original, key) ? original[key] : undefined;
  if (Array.isArray(old) && Array.isArray(value)) {
    const rule = listRule(node, key);
    const merges = deletes || rule.strategy === "merge";
    setOwn(original, key, merges ? mergeList(old, value, rule, deletes) : value);
  } else if (deletes) {
    // There is nothing to delete from.
  } else if (isObject(old) && isObject(value)) {
    const rule = fieldRule(node, key);
    setOwn(original, key, rule.strategy === "replace" ? value : mergeObject(old, value, rule.node));
  } else {
    const added = addedValue(value);
    if (added === undefined) delete original[key];
    else setOwn(original, key, added);
  }
}

/** Merges the list that an element order is for, and puts it into this order. */
function mergeInOrder(original: JsonObject, patch: JsonObject, orderKey: string, node: SchemaNode): void {
  const order = listOf(patch[orderKey]);
  delete patch[orderKey];
  const key = orderedField(orderKey);
  const old = Object.hasOwn(original, key) ? listOf(original[key]) : undefined;
  const given = Object.hasOwn(patch, key) ? listOf(patch[key]) : undefined;
  const rule = listRule(node, key);
  checkNamesItems(order, given ?? [], rule.mergeKey);
  const merged = mergeGiven(old, given, rule);
  if (merged === undefined) return;
  elementKind(old ?? [], given ?? []);
  setOwn(original, key, orderItems(merged, { wanted: order, existing: old ?? [], mergeKey: rule.mergeKey }));
  delete patch[key];
}

function mergeGiven(
  old: unknown[] | undefined,
  given: unknown[] | undefined,
  rule: ListRule,
): unknown[] | undefined {
  if (given === undefined) return old;
  if (old === undefined) return listOf(withoutDirectives(given));
  return rule.strategy === "merge" ? mergeList(old, given, rule, false) : given;
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  const type = value === null ? "%!s(<nil>)" : goTypeOf(value);
  throw plainError(`expected a []interface {}, but received a ${type}`);
}

/** `deletes`: the given scalars are taken out instead of added. */
function mergeList(old: unknown[], given: unknown[], rule: ListRule, deletes: boolean): unknown[] {
  if (old.length === 0 && given.length === 0) return old;
  if (elementKind(old, given) === "map") return mergeItems(old, given, rule);
  if (deletes) {
    const unwanted = new Set(given);
    return old.filter((item) => !unwanted.has(item));
  }
  const merged = [...new Set([...old, ...given])];
  return orderItems(merged, { wanted: given, existing: old, mergeKey: rule.mergeKey });
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

function mergeItems(old: unknown[], given: unknown[], rule: ListRule): unknown[] {
  const { mergeKey } = rule;
  if (mergeKey === undefined) throw plainError("cannot merge lists without merge key for type struct");
  const { existing, patches, replaces } = followItemDirectives(old, given, mergeKey);
  const items = replaces ? patches : existing;
  const wanted = replaces ? [] : patches;
  const merged = [...items];
  const places = placesByKey(merged, mergeKey);
  for (const patch of wanted) {
    const key = keyOf(patch, mergeKey);
    const at = places.get(key);
    const found = at === undefined ? undefined : merged[at];
    if (at !== undefined && isObject(found) && isObject(patch)) {
      merged[at] = mergeObject(found, patch, rule.item);
    } else places.set(key, merged.push(patch) - 1);
  }
  return orderItems(merged, { wanted, existing: items, mergeKey });
}

/** Where the first item of each key stands. */
function placesByKey(items: readonly unknown[], mergeKey: string): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [at, item] of items.entries()) {
    if (!isObject(item) || !Object.hasOwn(item, mergeKey)) continue;
    if (!places.has(item[mergeKey])) places.set(item[mergeKey], at);
  }
  return places;
}

interface ItemPatches {
  readonly existing: unknown[];
  /** Items without a directive. */
  readonly patches: unknown[];
  readonly replaces: boolean;
}

function followItemDirectives(old: unknown[], given: unknown[], mergeKey: string): ItemPatches {
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
  return { existing: old.filter((item) => !isDeleted(item)), patches, replaces };
}

function itemDirectiveError(item: JsonObject): StatusError {
  return item[PATCH] === "merge"
    ? plainError("merging lists cannot yet be specified in the patch")
    : unknownDirective(item[PATCH], item);
}

// Directives of a strategic merge patch: keys that control the merge instead of holding values.
import { formatGoValue } from "../../go/format.ts";
import { isObject, type JsonObject } from "../../json/json.ts";
import { badRequest, plainError, type StatusError } from "../../meta/status.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";

/** Merge mode of the map or list item that contains it: replace, delete or merge. */
export const PATCH = "$patch";
const RETAIN_KEYS = "$retainKeys";
const ELEMENT_ORDER = "$setElementOrder";
const DELETE_LIST = "$deleteFromPrimitiveList";

export const hasPatchDirective = (value: unknown): value is JsonObject =>
  isObject(value) && Object.hasOwn(value, PATCH);

export const unknownDirective = (directive: unknown, holder: JsonObject): StatusError =>
  plainError(`unknown patch type: ${formatGoValue(directive)} in map: ${formatGoValue(holder)}`);

export const isElementOrder = (key: string): boolean => key.startsWith(ELEMENT_ORDER);
export const isDeleteList = (key: string): boolean => key.startsWith(DELETE_LIST);

/** Field of an element order directive. */
export const orderedField = (key: string): string => fieldAfter(key, ELEMENT_ORDER, "setElementOrder list");

/** Field of a delete-from-primitive-list directive. */
export const deletedField = (key: string): string => fieldAfter(key, DELETE_LIST, "primitive list");

/** "$directive/field" */
function fieldAfter(key: string, directive: string, what: string): string {
  const prefix = `${directive}/`;
  if (!key.startsWith(prefix)) throw badRequest(`invalid patch format of ${what}`);
  return key.slice(prefix.length) || key;
}

/** Removes members that the $retainKeys directive does not list. */
export function followRetainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return;
  const listed = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  if (!Array.isArray(listed)) throw malformedRetainKeys();
  const retained: ReadonlySet<unknown> = new Set(listed);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || isElementOrder(key) || isDeleteList(key)) continue;
    if (!retained.has(key)) throw malformedRetainKeys();
  }
  for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key];
}

const malformedRetainKeys = (): StatusError => badRequest("invalid patch format of retainKeys");

/** A value that a patch adds: without nulls, and without values marked by a directive. */
export const addedValue = (value: unknown): unknown => withoutMarked(value, true);

/** undefined when the value itself is marked. */
export const withoutDirectives = (value: unknown): unknown => withoutMarked(value, false);

function withoutMarked(value: unknown, dropsNulls: boolean): unknown {
  if (Array.isArray(value))
    return value.map((item) => withoutMarked(item, dropsNulls)).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, PATCH)) return undefined;
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (typeof item !== "object") continue;
    const kept = item === null && dropsNulls ? undefined : withoutMarked(item, dropsNulls);
    if (kept === undefined) delete value[key];
    else if (kept !== item) value[key] = kept;
  }
  return value;
}

// Merge rule of a field of a built-in kind.

export interface FieldRule {
  readonly node: SchemaNode;
  readonly strategy: "merge" | "replace" | "default";
  readonly mergeKey: string | undefined;
}

export interface ListRule extends FieldRule {
  readonly item: SchemaNode;
}

/** Values of a map field have no rules of their own. */
export function fieldRule(owner: SchemaNode, key: string): FieldRule {
  const node = fieldNode(owner, key);
  const strategy = isStruct(owner) ? node.patchStrategies.find((name) => name !== "retainKeys") : undefined;
  return {
    node,
    strategy: strategy === "merge" || strategy === "replace" ? strategy : "default",
    mergeKey: isStruct(owner) ? node.patchMergeKey : undefined,
  };
}

export function listRule(owner: SchemaNode, key: string): ListRule {
  const rule = fieldRule(owner, key);
  const item = rule.node.items;
  if (item === undefined) {
    throw plainError(`expected slice or array type, but got: ${isStruct(owner) ? "struct" : "map"}`);
  }
  return { ...rule, item };
}

const isStruct = (node: SchemaNode): boolean => typeof node.additionalProperties !== "object";

function fieldNode(owner: SchemaNode, key: string): SchemaNode {
  if (typeof owner.additionalProperties === "object") return owner.additionalProperties;
  const found = owner.properties.get(key) ?? foldedField(owner, key);
  if (found !== undefined) return found;
  const struct = owner.goType ?? "";
  throw plainError(`unable to find api field in struct ${struct} for the json field "${key}"`);
}

/** Go matches a field whose name differs in case only. */
function foldedField(owner: SchemaNode, key: string): SchemaNode | undefined {
  const folded = key.toLowerCase();
  for (const [name, node] of owner.properties) if (name.toLowerCase() === folded) return node;
  return undefined;
}

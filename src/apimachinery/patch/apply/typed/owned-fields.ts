// Field sets of values.
import { isObject, type JsonObject } from "../../../json/json.ts";
import { fieldText, keyMember, valueText } from "../fields/field-path.ts";
import {
  EMPTY,
  type FieldSet,
  fieldSet,
  isEmpty,
  keepChildren,
  LEAF,
  LeafFields,
} from "../fields/field-set.ts";
import { DEDUCED, fieldType, type ListForm, type MapForm, type TypeNode } from "./type-node.ts";

/** Reason why a list item has no unique path element. */
export class ListItemError extends Error {}

/** Path element of an item in a non-atomic list. Throws ListItemError. */
export function itemStep(list: ListForm, item: unknown): string {
  return list.kind === "map" ? keyedItemStep(list, item) : setItemStep(item);
}

function keyedItemStep(list: ListForm, item: unknown): string {
  if (item === null || item === undefined) {
    throw new ListItemError("associative list with keys may not have a null element");
  }
  if (!isObject(item)) throw new ListItemError("associative list with keys may not have non-map elements");
  let members = "";
  for (const key of list.keys) {
    const own = Object.hasOwn(item, key.name) ? item[key.name] : undefined;
    const value = own === undefined ? key.default : own;
    if (value === undefined) continue;
    members += members === "" ? keyMember(key.name, value) : `,${keyMember(key.name, value)}`;
  }
  if (members !== "") return `k:{${members}}`;
  const names = list.declaredKeys.map((name) => JSON.stringify(name)).join(" ");
  throw new ListItemError(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  );
}

function setItemStep(item: unknown): string {
  if (item === null || item === undefined) {
    throw new ListItemError("associative list without keys has an element that's an explicit null");
  }
  if (Array.isArray(item)) {
    throw new ListItemError("not supported: associative list with lists as elements");
  }
  if (isObject(item)) {
    throw new ListItemError("associative list without keys has an element that's a map type");
  }
  return valueText(item);
}

/** Children of a value that are owned separately; undefined: it is owned as a whole. */
export type Parts =
  | { readonly form: MapForm; readonly map: JsonObject }
  | { readonly form: ListForm; readonly list: readonly unknown[] };

export function partsOf(type: TypeNode, value: unknown): Parts | undefined {
  if (Array.isArray(value)) {
    return type.list === undefined || type.list.kind === "atomic"
      ? undefined
      : { form: type.list, list: value };
  }
  return isObject(value) && type.map !== undefined && !type.map.atomic
    ? { form: type.map, map: value }
    : undefined;
}

/** Field set of an applied configuration: the fields that its manager owns. */
export function appliedFields(type: TypeNode, value: unknown): FieldSet {
  const parts = partsOf(type, value);
  if (parts === undefined) return LEAF;
  return "map" in parts ? appliedMapFields(parts.form, parts.map) : appliedListFields(parts.form, parts.list);
}

function appliedMapFields(map: MapForm, value: JsonObject): FieldSet {
  const keys = Object.keys(value);
  const leaves = keys.length > FEW_MEMBERS ? leafFields(map, value, keys) : undefined;
  if (leaves !== undefined) return fieldSet(false, leaves);
  const children = new Map<string, FieldSet>();
  for (const key of keys) {
    const item = value[key];
    if (item === undefined || map.untracked?.has(key)) continue;
    const type = fieldType(map, key);
    const below = appliedFields(type, item);
    // A declared field with an object value is not in the set itself: several managers may own its children.
    const member = below.member || !map.fields.has(key) || isNothing(item);
    if (member || !isEmpty(below)) children.set(fieldText(key), fieldSet(member, below.children));
  }
  return fieldSet(false, children);
}

const isNothing = (value: unknown): boolean =>
  value === null || (isObject(value) && Object.keys(value).length === 0);

function appliedListFields(list: ListForm, items: readonly unknown[]): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const item of items) {
    const step = itemStep(list, item);
    // Of items with the same key only the key itself is owned.
    const below = children.has(step) ? EMPTY : appliedFields(list.item, item);
    children.set(step, fieldSet(true, below.children));
  }
  return fieldSet(false, children);
}

/** All fields of a value that a write adds or removes as a whole: its leaves and all containers. */
export function allFields(type: TypeNode, value: unknown): FieldSet {
  const parts = partsOf(type, value);
  if (parts === undefined) return LEAF;
  return fieldSet(true, childFields(parts));
}

/** The children of the value in allFields. */
export function childFields(parts: Parts): ReadonlyMap<string, FieldSet> {
  if ("map" in parts) return memberFields(parts.form, parts.map);
  const children = new Map<string, FieldSet>();
  for (const item of parts.list) {
    const step = itemStep(parts.form, item);
    children.set(step, children.has(step) ? LEAF : allFields(parts.form.item, item));
  }
  return children;
}

/** Larger maps are first checked for having leaves only, in which case LeafFields is cheaper. */
const FEW_MEMBERS = 1000;

function memberFields(form: MapForm, map: JsonObject): ReadonlyMap<string, FieldSet> {
  const keys = Object.keys(map);
  const leaves = keys.length > FEW_MEMBERS ? leafFields(form, map, keys) : undefined;
  if (leaves !== undefined) return leaves;
  const children = new Map<string, FieldSet>();
  for (const key of keys) {
    const item = map[key];
    if (item === undefined || form.untracked?.has(key)) continue;
    children.set(fieldText(key), allFields(fieldType(form, key), item));
  }
  return children;
}

/** undefined: a member is no leaf. */
function leafFields(form: MapForm, map: JsonObject, keys: readonly string[]): LeafFields | undefined {
  const steps: string[] = [];
  for (const key of keys) {
    const item = map[key];
    if (item === undefined || form.untracked?.has(key)) continue;
    if (partsOf(fieldType(form, key), item) !== undefined) return undefined;
    steps.push(fieldText(key));
  }
  return new LeafFields(steps);
}

/** The set with each declared field that has a descendant in the set. */
export function withDeclaredParents(type: TypeNode, set: FieldSet): FieldSet {
  return addDeclared(type, set, set.member);
}

function addDeclared(type: TypeNode, set: FieldSet, member: boolean): FieldSet {
  return keepChildren(set, member, (step, child) => {
    const declared = step.startsWith("f:") ? type.map?.fields.get(step.slice(2)) : undefined;
    const below = declared ?? typeAt(type, step) ?? DEDUCED;
    return addDeclared(below, child, child.member || declared !== undefined);
  });
}

/** Type of the value at a path element; undefined when the schema has no such field. */
function typeAt(type: TypeNode, step: string): TypeNode | undefined {
  if (step.startsWith("f:")) return type.map?.fields.get(step.slice(2)) ?? type.map?.item;
  return type.list?.item;
}

/** The set by the current schema, where a field became atomic after the set was written. */
export function followSchema(type: TypeNode, set: FieldSet): FieldSet {
  if (set.children === undefined) return set;
  if (type.map !== undefined) {
    if (type.map.item === DEDUCED && type.map.fields.size === 0) return set;
    if (type.map.atomic) return LEAF;
  } else if (type.list?.kind === "atomic") {
    return LEAF;
  }
  return keepChildren(set, set.member, (step, child) => {
    const below = typeAt(type, step);
    return below === undefined ? child : followSchema(below, child);
  });
}

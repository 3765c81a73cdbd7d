// Field-by-field comparison of a write. Both values are walked together; of a part that only one of them has, all fields
// count as changed without further comparison.
import { equalJson, hasOwn, isObject, type JsonObject } from "../../../json/json.ts";
import { fieldText } from "../fields/field-path.ts";
import {
  EMPTY,
  type FieldSet,
  fieldSet,
  isEmpty,
  LEAF,
  recursiveDifference,
  union,
} from "../fields/field-set.ts";
import { allFields, childFields, itemStep, partsOf } from "./owned-fields.ts";
import { fieldType, type ListForm, type MapForm, type TypeNode } from "./type-node.ts";

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export const SAME: Comparison = { added: EMPTY, modified: EMPTY, removed: EMPTY };
const ADDED_HERE: Comparison = { ...SAME, added: LEAF };
const MODIFIED_HERE: Comparison = { ...SAME, modified: LEAF };
const REMOVED_HERE: Comparison = { ...SAME, removed: LEAF };

export const isSame = ({ added, modified, removed }: Comparison): boolean =>
  isEmpty(added) && isEmpty(modified) && isEmpty(removed);

/** The comparison without these fields and their children. */
export function withoutFields(comparison: Comparison, fields: FieldSet): Comparison {
  if (isEmpty(fields)) return comparison;
  return {
    added: recursiveDifference(comparison.added, fields),
    modified: recursiveDifference(comparison.modified, fields),
    removed: recursiveDifference(comparison.removed, fields),
  };
}

/** Compares `next` with `live`. Throws ListItemError. */
export function compareValues(type: TypeNode, live: unknown, next: unknown): Comparison {
  if (live === next) return SAME;
  const before = partsOf(type, live);
  const after = partsOf(type, next);
  if (before === undefined && after === undefined) return equalJson(live, next) ? SAME : MODIFIED_HERE;
  if (before !== undefined && after !== undefined) {
    if ("map" in before && "map" in after) return compareMaps(before.form, before.map, after.map);
    if ("list" in before && "list" in after) return compareLists(before.form, before.list, after.list);
  }
  // The form changed. Null fits every form: against it only children are added or removed, unless there are none.
  const noParts = (before === undefined || isVoid(live)) && (after === undefined || isVoid(next));
  const oneIsWhole = before === undefined || after === undefined;
  return {
    added: after === undefined ? EMPTY : fieldSet(false, childFields(after)),
    modified: noParts || (oneIsWhole && live !== null && next !== null) ? LEAF : EMPTY,
    removed: before === undefined ? EMPTY : fieldSet(false, childFields(before)),
  };
}

const isVoid = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

function compareMaps(map: MapForm, live: JsonObject, next: JsonObject): Comparison {
  const parts = new ComparisonParts();
  for (const key of Object.keys(next)) {
    const after = next[key];
    if (after === undefined || map.untracked?.has(key)) continue;
    const before = Object.hasOwn(live, key) ? live[key] : undefined;
    if (before === after) continue;
    const type = fieldType(map, key);
    if (before === undefined) parts.add("added", fieldText(key), allFields(type, after));
    else parts.put(fieldText(key), compareValues(type, before, after));
  }
  for (const key of Object.keys(live)) {
    const before = live[key];
    if (before === undefined || hasOwn(next, key) || map.untracked?.has(key)) continue;
    parts.add("removed", fieldText(key), allFields(fieldType(map, key), before));
  }
  return parts.finish();
}

function compareLists(list: ListForm, live: readonly unknown[], next: readonly unknown[]): Comparison {
  if (equalJson(live, next)) return SAME; // most lists, and much cheaper than matching their items
  const parts = new ComparisonParts();
  const steps = live.map((item) => itemStep(list, item));
  const nextSteps = next.map((item) => itemStep(list, item));
  if (areAligned(steps, nextSteps)) {
    for (const [at, step] of steps.entries()) parts.put(step, compareValues(list.item, live[at], next[at]));
    return parts.finish();
  }
  const before = itemsByStep(steps, live);
  const after = itemsByStep(nextSteps, next);
  for (const [step, items] of before) parts.put(step, compareItems(list.item, items, after.get(step) ?? []));
  for (const [step, items] of after) {
    if (!before.has(step)) parts.put(step, compareItems(list.item, [], items));
  }
  return parts.finish();
}

/** Same items in the same order, each once: true where items change, but none is added, removed or moved. */
function areAligned(steps: readonly string[], others: readonly string[]): boolean {
  if (steps.length !== others.length) return false;
  for (let at = 0; at < steps.length; at++) if (steps[at] !== others[at]) return false;
  return new Set(steps).size === steps.length;
}

/** Compares the items of one key. Existing lists may hold a key more than once; such items are owned as a whole. */
function compareItems(type: TypeNode, live: readonly unknown[], next: readonly unknown[]): Comparison {
  if (live.length > 1 && next.length > 1) return equalJson(live, next) ? SAME : MODIFIED_HERE;
  if (live.length > 1) {
    return { ...REMOVED_HERE, added: next.length === 0 ? EMPTY : allFields(type, next[0]) };
  }
  if (next.length > 1) {
    return { ...ADDED_HERE, removed: live.length === 0 ? EMPTY : allFields(type, live[0]) };
  }
  if (live.length === 0) return { ...SAME, added: allFields(type, next[0]) };
  if (next.length === 0) return { ...SAME, removed: allFields(type, live[0]) };
  return compareValues(type, live[0], next[0]);
}

function itemsByStep(steps: readonly string[], items: readonly unknown[]): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const [at, step] of steps.entries()) {
    const item = items[at];
    const known = found.get(step);
    if (known === undefined) found.set(step, [item]);
    else known.push(item);
  }
  return found;
}

/** Collects the comparisons of children; allocates nothing for equal ones. */
class ComparisonParts {
  readonly #found: { -readonly [Kind in keyof Comparison]?: Map<string, FieldSet> } = {};

  put(step: string, part: Comparison): void {
    if (part === SAME) return;
    for (const kind of ["added", "modified", "removed"] as const)
      if (!isEmpty(part[kind])) this.add(kind, step, part[kind]);
  }

  add(kind: keyof Comparison, step: string, fields: FieldSet): void {
    this.#found[kind] ??= new Map();
    this.#found[kind].set(step, fields);
  }

  finish(): Comparison {
    const { added, modified, removed } = this.#found;
    if (added === undefined && modified === undefined && removed === undefined) return SAME;
    return {
      added: fieldSet(false, added),
      modified: fieldSet(false, modified),
      removed: fieldSet(false, removed),
    };
  }
}

/** Fields that the write set. */
export const writtenFields = ({ added, modified }: Comparison): FieldSet => union(modified, added);

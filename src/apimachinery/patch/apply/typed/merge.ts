// Merges an applied configuration into the live object. Nothing is removed; where both have a value, the configuration's
// wins.
import { hasOwn, type JsonObject, setOwn } from "../../../json/json.ts";
import { fieldText } from "../fields/field-path.ts";
import type { FieldSet } from "../fields/field-set.ts";
import { itemStep, partsOf } from "./owned-fields.ts";
import { fieldType, type ListForm, type MapForm, type TypeNode } from "./type-node.ts";

/** The merged value; it shares parts with both. Throws ListItemError. */
export function mergeValues(type: TypeNode, live: unknown, applied: unknown): unknown {
  const before = partsOf(type, live);
  const after = partsOf(type, applied);
  if (before !== undefined && after !== undefined) {
    if ("map" in before && "map" in after) return mergeMaps(before.form, before.map, after.map);
    if ("list" in before && "list" in after) return mergeLists(before.form, before.list, after.list);
  }
  // Null removes no children of the live value; it is kept only where the live value has none.
  if (applied === null && before !== undefined && hasParts(live)) return live;
  return applied;
}

const hasParts = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;

function mergeMaps(map: MapForm, live: JsonObject, applied: JsonObject): JsonObject {
  const out: JsonObject = { ...live };
  for (const key of Object.keys(applied)) {
    const value = applied[key];
    if (value === undefined) continue;
    setOwn(out, key, hasOwn(live, key) ? mergeValues(fieldType(map, key), live[key], value) : value);
  }
  return out;
}

/**
 * Merges the items of both lists. The order of the applied list is kept, and that of the live list as far as the applied one
 * leaves it open:
 *
 *   live [a b c d], applied [d x b]  →  [a c d x b]
 */
function mergeLists(list: ListForm, live: readonly unknown[], applied: readonly unknown[]): unknown[] {
  const liveSteps = live.map((item) => itemStep(list, item));
  const appliedSteps = applied.map((item) => itemStep(list, item));
  const liveItems = uniqueItems(liveSteps, live);
  const appliedItems = new Map(appliedSteps.map((step, index) => [step, applied[index]]));
  const shared = appliedSteps.filter((step) => liveItems.has(step));
  let nextShared = 0;
  const merged = new Set<string>();
  const out: unknown[] = [];
  const takeApplied = (step: string): void => {
    merged.add(step);
    const known = liveItems.get(step);
    const item = appliedItems.get(step);
    out.push(known === undefined || known === DUPLICATE ? item : mergeValues(list.item, known, item));
  };
  let l = 0;
  let a = 0;
  while (l < liveSteps.length || a < appliedSteps.length) {
    const liveStep = liveSteps[l];
    const appliedStep = appliedSteps[a];
    if (liveStep !== undefined && liveStep === appliedStep) {
      takeApplied(liveStep);
      nextShared++;
      l++;
      a++;
      continue;
    }
    if (liveStep !== undefined) {
      if (!appliedItems.has(liveStep)) {
        out.push(live[l]);
        l++;
        continue;
      }
      // Both lists have the item, but another one is next in the applied list.
      const turn = shared[nextShared];
      if (appliedStep !== undefined && turn !== undefined && turn !== liveStep) {
        l++;
        continue;
      }
      if (merged.has(liveStep)) l++;
    }
    if (appliedStep !== undefined) {
      takeApplied(appliedStep);
      if (shared[nextShared] === appliedStep) nextShared++;
      a++;
    }
  }
  return out;
}

/** Marks live items with a duplicate key: they are replaced, not merged. */
const DUPLICATE = Symbol("duplicate");

function uniqueItems(steps: readonly string[], items: readonly unknown[]): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [index, step] of steps.entries()) found.set(step, found.has(step) ? DUPLICATE : items[index]);
  return found;
}

/**
 * The value without the fields of the set. A container that loses its last child becomes null, as does one that is owned
 * as a whole or was empty. Shares parts with the value. Throws ListItemError.
 */
export function removeFields(type: TypeNode, value: unknown, set: FieldSet): unknown {
  if (set.children === undefined) return value;
  const parts = partsOf(type, value);
  if (parts === undefined) return typeof value === "object" ? null : value;
  return "map" in parts
    ? removeFromMap(parts.form, parts.map, set.children)
    : removeFromList(parts.form, parts.list, set.children);
}

type Children = ReadonlyMap<string, FieldSet>;

function removeFromMap(map: MapForm, value: JsonObject, removed: Children): JsonObject | null {
  const out: JsonObject = {};
  let kept = 0;
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item === undefined) continue;
    const below = removed.get(fieldText(key));
    if (below?.member) continue;
    setOwn(out, key, below === undefined ? item : removeFields(fieldType(map, key), item, below));
    kept++;
  }
  return kept === 0 ? null : out;
}

function removeFromList(list: ListForm, items: readonly unknown[], removed: Children): unknown[] | null {
  const out: unknown[] = [];
  for (const item of items) {
    const below = removed.get(itemStep(list, item));
    if (below?.member) continue;
    out.push(below === undefined ? item : removeFields(list.item, item, below));
  }
  return out.length === 0 ? null : out;
}

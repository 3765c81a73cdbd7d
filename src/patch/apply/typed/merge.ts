// An applied configuration laid over the live object. Nothing goes away by this; what both have is the configuration's.
import { hasOwn, type JsonObject, setOwn } from "../../../meta/json.ts";
import { itemStep } from "./list-items.ts";
import { partsOf } from "./owned-fields.ts";
import { fieldType, type ListForm, type MapForm, type TypeNode } from "./type-forms.ts";

/** The merged value; it shares parts with both. Throws ListItemError. */
export function mergeValues(type: TypeNode, live: unknown, applied: unknown): unknown {
  const before = partsOf(type, live);
  const after = partsOf(type, applied);
  if (before !== undefined && after !== undefined) {
    if ("map" in before && "map" in after) return mergeMaps(before.form, before.map, after.map);
    if ("list" in before && "list" in after) return mergeLists(before.form, before.list, after.list);
  }
  // Null takes away no part of what is there; only applied over nothing it stays.
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
 * Items of both lists in an order that keeps the order of the applied list, and that of the live list as far as the
 * applied one leaves it open:
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
      // Both lists have it, but its turn in the applied list is another one.
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

/** Stands for live items whose key comes more than once: they are replaced, not merged. */
const DUPLICATE = Symbol("duplicate");

function uniqueItems(steps: readonly string[], items: readonly unknown[]): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [index, step] of steps.entries()) found.set(step, found.has(step) ? DUPLICATE : items[index]);
  return found;
}

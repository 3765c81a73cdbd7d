// Member order of a patch result in errors. Upstream decodes only the objects that a patch enters, and encodes those with
// sorted keys. Everything else keeps Go's struct order.
import { isObject, type JsonObject } from "../json/json.ts";
import { type MemberOrder, orderWithin, sortedKeys } from "../json/json-encode.ts";
import type { JsonPatchOperation } from "./json-patch.ts";
import { pointerSteps } from "./json-pointer.ts";

/** Objects that a patch enters, by key. */
export interface Opened extends ReadonlyMap<string, Opened> {}

/** `order` is that of the structs. */
export function orderOfPatched(
  value: JsonObject,
  order: MemberOrder | undefined,
  opened: Opened,
): MemberOrder {
  const within = (key: string): MemberOrder | undefined => {
    const [item, inner, own] = [value[key], opened.get(key), orderWithin(order, key)];
    return inner !== undefined && isObject(item) ? orderOfPatched(item, own, inner) : own;
  };
  const members = sortedKeys(value).map((key, place) => [key, { place, order: within(key) }] as const);
  return { members: new Map(members), values: undefined, items: undefined };
}

/** Objects that contain the paths of the operations. */
export function openedByOperations(operations: readonly JsonPatchOperation[]): Opened {
  const root: Growing = new Map();
  for (const { path, from } of operations) {
    for (const pointer of [path, from]) {
      let at = root;
      for (const step of pointerSteps(pointer).slice(0, -1)) at = openedAt(at, step);
    }
  }
  return root;
}

interface Growing extends Map<string, Growing> {}

function openedAt(holder: Growing, step: string): Growing {
  const known = holder.get(step) ?? new Map();
  holder.set(step, known);
  return known;
}

/** Objects that a merge patch has members for. */
export function openedByMerge(patch: Readonly<JsonObject>): Opened {
  const members = Object.entries(patch).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
  return new Map(members.map(([key, value]) => [key, openedByMerge(value)]));
}

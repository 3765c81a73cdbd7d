// The order in which the result of a patch is shown. A real server takes apart only what a patch goes into, and writes that
// with sorted keys; everything else stays as Go has written it, in the order of its structs.
import { isObject, type JsonObject } from "../meta/json.ts";
import { type MemberOrder, orderWithin, sortedKeys } from "../meta/json-encode.ts";
import type { JsonPatchOperation } from "./json-patch.ts";

/** What a patch goes into, by key. */
export interface Opened {
  readonly [key: string]: Opened;
}

/** `order` is that of the structs. */
export function orderOfPatched(
  value: JsonObject,
  order: MemberOrder | undefined,
  opened: Opened,
): MemberOrder {
  const within = (key: string): MemberOrder | undefined => {
    const [item, inner, own] = [value[key], opened[key], orderWithin(order, key)];
    return inner !== undefined && isObject(item) ? orderOfPatched(item, own, inner) : own;
  };
  const members = sortedKeys(value).map((key, place) => [key, { place, order: within(key) }] as const);
  return { members: new Map(members), values: undefined, items: undefined };
}

/** The objects that hold what the operations name. */
export function openedByOperations(operations: readonly JsonPatchOperation[]): Opened {
  const root: Record<string, Opened> = {};
  for (const { path, from } of operations) {
    for (const pointer of [path, from]) {
      let at: Record<string, Opened> = root;
      for (const step of (pointer ?? "").split("/").slice(1, -1)) at = at[step] ??= {};
    }
  }
  return root;
}

/** The objects that a merge patch has members for. */
export function openedByMerge(patch: Readonly<JsonObject>): Opened {
  const members = Object.entries(patch).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
  return Object.fromEntries(members.map(([key, value]) => [key, openedByMerge(value)]));
}

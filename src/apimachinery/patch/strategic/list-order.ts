// Order of a merged list: items of the patch are in the patch's order. The others keep their relative order, and are
// inserted between them by their previous index.

import { formatGoValue, goTypeOf } from "../../go/format.ts";
import { isObject } from "../../json/json.ts";
import { plainError } from "../../meta/status.ts";
import { hasPatchDirective } from "./merge-rules.ts";

/** Merge key value of an item. Throws when the item has none. */
export function keyOf(item: unknown, mergeKey: string): unknown {
  if (!isObject(item)) {
    throw plainError(`expected a map[string]interface {}, but received a ${goTypeOf(item)}`);
  }
  if (!Object.hasOwn(item, mergeKey)) {
    throw plainError(`map: ${formatGoValue(item)} does not contain declared merge key: ${mergeKey}`);
  }
  return item[mergeKey];
}

export interface ListOrder {
  /** Items that the patch names, in its order. */
  readonly wanted: readonly unknown[];
  /** The previous list. */
  readonly existing: readonly unknown[];
  readonly mergeKey: string | undefined;
}

export function orderItems(merged: readonly unknown[], order: ListOrder): unknown[] {
  const { mergeKey } = order;
  const identify = (item: unknown) => (mergeKey === undefined ? item : keyOf(item, mergeKey));
  const wanted = ranks(order.wanted, identify);
  const existing = ranks(order.existing, identify);
  const named: Ranked[] = [];
  const others: Ranked[] = [];
  for (const item of merged) {
    const key = identify(item);
    const turn = wanted.get(key);
    const place = existing.get(key);
    if (turn === undefined) others.push({ item, place, rank: place ?? 0 });
    else named.push({ item, place, rank: turn });
  }
  named.sort(byRank);
  others.sort(byRank);
  return interleave(named, others);
}

interface Ranked {
  readonly item: unknown;
  /** Rank within its group (patch items or others). */
  readonly rank: number;
  /** Index in the previous list; undefined: it is new. */
  readonly place: number | undefined;
}

const byRank = (a: Ranked, b: Ranked): number => a.rank - b.rank;

/** The first index of each item. */
export function ranks(items: readonly unknown[], identify: (item: unknown) => unknown): Map<unknown, number> {
  const ranked = new Map<unknown, number>();
  let at = 0;
  for (const item of items) {
    const key = identify(item);
    if (!ranked.has(key)) ranked.set(key, at);
    at++;
  }
  return ranked;
}

function interleave(named: readonly Ranked[], others: readonly Ranked[]): unknown[] {
  const out: unknown[] = [];
  let next = 0;
  const takeOthers = (before: number) => {
    for (; next < others.length; next++) {
      const { item, place = before } = others[next] ?? { item: undefined };
      if (place >= before) return;
      out.push(item);
    }
  };
  for (const { item, place } of named) {
    if (place !== undefined) takeOthers(place);
    out.push(item);
  }
  for (; next < others.length; next++) out.push(others[next]?.item);
  return out;
}

/** Throws unless the element order contains the items of the patch, in their order. */
export function checkNamesItems(
  order: readonly unknown[],
  given: readonly unknown[],
  mergeKey: string | undefined,
): void {
  const identify = (item: unknown) => (mergeKey !== undefined && isObject(item) ? item[mergeKey] : item);
  const items = given.filter((item) => mergeKey === undefined || !hasPatchDirective(item));
  let next = 0;
  for (const named of order) {
    if (next < items.length && identify(items[next]) === identify(named)) next++;
  }
  if (next < items.length) {
    const shown = [given, order].map(formatGoValue);
    throw plainError(
      `The order in patch list:\n${shown[0]}\n doesn't match $setElementOrder list:\n${shown[1]}\n`,
    );
  }
}

// The order of a merged list: items that the patch names stand in the patch's order, the others keep theirs, and are put
// between them where they stood before.
import { isObject } from "../../meta/json.ts";
import { plainError } from "../../meta/status.ts";
import { formatGoValue, goTypeOf } from "../go-format.ts";
import { hasPatchDirective } from "./directives.ts";

/** What an item is known by. Throws when it lacks the merge key. */
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
  /** The items that the patch names, in its order. */
  readonly wanted: readonly unknown[];
  /** The list before. */
  readonly existing: readonly unknown[];
  readonly mergeKey: string | undefined;
}

export function orderItems(merged: readonly unknown[], order: ListOrder): unknown[] {
  const { mergeKey } = order;
  const identify = (item: unknown) => (mergeKey === undefined ? item : keyOf(item, mergeKey));
  const wanted = ranks(order.wanted.map(identify));
  const existing = ranks(order.existing.map(identify));
  const rank = (of: ReadonlyMap<unknown, number>, item: unknown) => of.get(identify(item)) ?? 0;
  const named = merged.filter((item) => wanted.has(identify(item)));
  const others = merged.filter((item) => !wanted.has(identify(item)));
  named.sort((a, b) => rank(wanted, a) - rank(wanted, b));
  others.sort((a, b) => rank(existing, a) - rank(existing, b));
  return interleave(named, others, (item) => existing.get(identify(item)));
}

/** The first place of each. */
function ranks(keys: readonly unknown[]): ReadonlyMap<unknown, number> {
  const ranked = new Map<unknown, number>();
  for (const [at, key] of keys.entries()) if (!ranked.has(key)) ranked.set(key, at);
  return ranked;
}

function interleave(
  named: readonly unknown[],
  others: readonly unknown[],
  placeOf: (item: unknown) => number | undefined,
): unknown[] {
  const out: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const before = placeOf(item);
    while (next < others.length && before !== undefined) {
      const place = placeOf(others[next]);
      if (place === undefined || place >= before) break;
      out.push(others[next++]);
    }
    out.push(item);
  }
  return [...out, ...others.slice(next)];
}

/** Throws unless the element order names the items of the patch, in their order. */
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

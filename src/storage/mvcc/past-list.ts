// List of a range at an older revision: merges both maps in key order. A key with a history counts by its history, any
// other by its live value. The cost is that of the returned items, plus one step per key of the range that has a
// history.
import type { Revision } from "../../apimachinery/meta/revision.ts";
import type { KeyRange, KeyValue, ListPage } from "../store.ts";
import { type KeyHistory, versionAt } from "./key-history.ts";
import type { SortedMap } from "./sorted-map.ts";

export interface PastList {
  readonly live: SortedMap<KeyValue>;
  readonly history: SortedMap<KeyHistory>;
  readonly range: KeyRange;
  readonly at: Revision;
  readonly limit: number;
}

/** The page of a list at an older revision. */
export function listPast(input: PastList): ListPage {
  const { live, history, range, at, limit } = input;
  const items: KeyValue[] = [];
  const past = history.items(range);
  let next = past.next();
  const addHistories = (before: string): void => {
    for (; !next.done && next.value.key < before && items.length < limit; next = past.next()) {
      const kv = versionAt(next.value, at);
      if (kv !== undefined) items.push(kv);
    }
  };
  for (const kv of live.items(range)) {
    addHistories(kv.key);
    if (items.length >= limit) break;
    if (next.done || next.value.key !== kv.key) items.push(kv);
  }
  addHistories(range.to);
  // The appended "\0" makes the smallest key behind the last item.
  const from = items.length === 0 ? range.from : `${items.at(-1)?.key}\0`;
  return { items, revision: at, remaining: countPast({ ...input, range: { from, to: range.to } }) };
}

function countPast({ live, history, range, at }: PastList): number {
  let count = live.count(range);
  for (const past of history.items(range)) {
    if (versionAt(past, at) !== undefined) count++;
    if (live.has(past.key)) count--;
  }
  return count;
}

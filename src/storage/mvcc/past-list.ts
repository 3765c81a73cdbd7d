// Reading a range as it was at an older revision: both maps in key order, as one. A key with a history counts by its
// history, any other by its live value. The cost is that of the items returned plus one step per key of the range that
// has a history.
import { leading } from "../../meta/lists.ts";
import type { Revision } from "../../meta/revision.ts";
import { eventRevision, type KeyRange, type KeyValue, type ListPage, type StoreEvent } from "../store.ts";
import type { SortedMap } from "./sorted-map.ts";

export interface PastList {
  readonly live: SortedMap<KeyValue>;
  readonly history: SortedMap<StoreEvent[]>;
  readonly range: KeyRange;
  readonly at: Revision;
  readonly limit: number;
}

/** The page of a list as it was at an older revision. */
export function listPast(input: PastList): ListPage {
  const { live, history, range, at, limit } = input;
  const items: KeyValue[] = [];
  const past = history.entries(range);
  let next = past.next();
  const addHistories = (before: string): void => {
    for (; !next.done && next.value.key < before && items.length < limit; next = past.next()) {
      const kv = versionAt(next.value.value, at);
      if (kv !== undefined) items.push(kv);
    }
  };
  for (const { key, value } of live.entries(range)) {
    addHistories(key);
    if (items.length >= limit) break;
    if (next.done || next.value.key !== key) items.push(value);
  }
  addHistories(range.to);
  // "\0" makes the smallest key behind the last item.
  const from = items.length === 0 ? range.from : `${items.at(-1)?.key}\0`;
  return { items, revision: at, remaining: countPast({ ...input, range: { from, to: range.to } }) };
}

function countPast({ live, history, range, at }: PastList): number {
  let count = live.count(range);
  for (const { key, value: events } of history.entries(range)) {
    if (versionAt(events, at) !== undefined) count++;
    if (live.has(key)) count--;
  }
  return count;
}

/** What a key was at a revision, by its events. */
export function versionAt(events: readonly StoreEvent[], at: Revision): KeyValue | undefined {
  const event = events[leading(events, (event) => eventRevision(event) <= at) - 1];
  if (event === undefined) return events[0]?.prev;
  return event.type === "put" ? event.kv : undefined;
}

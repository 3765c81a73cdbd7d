// Reading a range as it was at an older revision, by laying the histories of its keys over the live keys. The cost is that
// of the items returned plus one step per key of the range that has a history.
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
  const { range, at, limit } = input;
  const items: KeyValue[] = [];
  let lastKey: string | undefined;
  for (const kv of versions(input)) {
    if (items.length >= limit) break;
    items.push(kv);
    lastKey = kv.key;
  }
  if (items.length < limit) return { items, revision: at, remaining: 0 };
  // "\0" makes the smallest key behind the last item.
  const rest = lastKey === undefined ? range : { from: `${lastKey}\0`, to: range.to };
  return { items, revision: at, remaining: countPast({ ...input, range: rest }) };
}

/** What a key was at a revision, by its events. */
export function versionAt(events: readonly StoreEvent[], at: Revision): KeyValue | undefined {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const event = events[middle];
    if (event !== undefined && eventRevision(event) <= at) low = middle + 1;
    else high = middle;
  }
  const event = events[low - 1];
  if (event === undefined) return events[0]?.prev;
  return event.type === "put" ? event.kv : undefined;
}

/** Both maps in key order, as one: a key with a history counts by its history, any other by its live value. */
function* versions({ live, history, range, at }: PastList): Generator<KeyValue, undefined> {
  const past = history.entries(range);
  let next = past.next();
  for (const { key, value } of live.entries(range)) {
    while (!next.done && next.value.key < key) {
      const kv = versionAt(next.value.value, at); // a key that is gone now
      if (kv !== undefined) yield kv;
      next = past.next();
    }
    if (!next.done && next.value.key === key) {
      const kv = versionAt(next.value.value, at);
      if (kv !== undefined) yield kv;
      next = past.next();
    } else {
      yield value;
    }
  }
  for (; !next.done; next = past.next()) {
    const kv = versionAt(next.value.value, at);
    if (kv !== undefined) yield kv;
  }
}

function countPast({ live, history, range, at }: PastList): number {
  let count = live.count(range);
  for (const { key, value: events } of history.entries(range)) {
    if (versionAt(events, at) !== undefined) count++;
    if (live.has(key)) count--;
  }
  return count;
}

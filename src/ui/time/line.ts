// Sorts entries and assigns each a time. Revisions order the changes but carry no time. Times of objects and requests are
// fitted into that order. Pure.
import type { Entry, Placed } from "./entries.ts";

const SECOND_MS = 1_000;

/** Limit of the timeline; the oldest entries beyond it are dropped. */
export const ENTRIES_MAX = 20_000;

/** Returns the entries in order. Duplicates by key are merged. */
export function placed(entries: readonly Entry[]): Placed[] {
  const told = new Map(entries.map((entry) => [entry.key, entry]));
  const all = [...told.values()];
  const changes = timed(all.filter(({ revision }) => revision !== undefined));
  const others = all
    .filter(({ revision }) => revision === undefined)
    .map((entry) => ({ ...entry, atMs: entry.toldMs ?? 0 }))
    .sort((a, b) => a.atMs - b.atMs);
  return merged(changes, others);
}

/** Entries without a revision get the revision that was current at their time. */
function merged(
  changes: readonly Placed[],
  others: readonly (Entry & { readonly atMs: number })[],
): Placed[] {
  const all: Placed[] = [];
  let next = 0;
  let at = changes[0] ? changes[0].at - 1 : 0;
  for (const other of others) {
    for (let change = changes[next]; change && change.atMs <= other.atMs; change = changes[++next]) {
      all.push(change);
      at = change.at;
    }
    all.push({ ...other, at: Math.max(1, at) });
  }
  return [...all, ...changes.slice(next)];
}

/** A revision that a request created has an exact time. Others have whole seconds and are spread within the second. */
function timed(changes: readonly Entry[]): Placed[] {
  const exact = new Map<number, number>();
  for (const { revision = 0, toldMs, isExact } of changes)
    if (isExact && toldMs !== undefined) exact.set(revision, toldMs);
  const sorted = changes.map((entry) => ({ entry, at: entry.revision ?? 0 })).sort((a, b) => a.at - b.at);
  const told = sorted.map(({ entry, at }) => exact.get(at) ?? entry.toldMs);
  const times = spread(
    rising(told),
    sorted.map(({ at }) => at),
    exact,
  );
  return sorted.map(({ entry, at }, index) => ({ ...entry, at, atMs: times[index] ?? 0 }));
}

/**
 * Makes times non-decreasing. An entry without a time gets that of the entry before it; leading ones get the first known
 * time.
 */
function rising(told: readonly (number | undefined)[]): number[] {
  let last = told.find((ms) => ms !== undefined) ?? 0;
  return told.map((ms) => {
    last = Math.max(last, ms ?? last);
    return last;
  });
}

/** Distributes revisions with equal times over one second, or until the next known time if that is earlier. */
function spread(
  times: readonly number[],
  revisions: readonly number[],
  exact: ReadonlyMap<number, number>,
): number[] {
  const found = [...times];
  for (let from = 0; from < times.length; ) {
    let to = from + 1;
    while (to < times.length && times[to] === times[from]) to++;
    const begin = times[from] ?? 0;
    const span = Math.min(SECOND_MS, (times[to] ?? Number.POSITIVE_INFINITY) - begin);
    const states = [...new Set(revisions.slice(from, to))];
    const stepMs = exact.has(states[0] ?? 0) && states.length === 1 ? 0 : span / states.length;
    let state = 0;
    for (let index = from; index < to; index++) {
      if (index > from && revisions[index] !== revisions[index - 1]) state++;
      found[index] = begin + Math.floor(stepMs * state);
    }
    from = to;
  }
  return found;
}

/** The newest revision at a time; undefined if all entries are later. */
export function stateAt(entries: readonly Placed[], ms: number): number | undefined {
  return entries[countUntil(entries, ms) - 1]?.at;
}

/** Number of entries up to and including a time, by binary search. */
export function countUntil(entries: readonly Placed[], ms: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.atMs ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The time at which a revision was created: that of the last change up to it. Requests do not count. */
export function timeOf(entries: readonly Placed[], at: number): number | undefined {
  let found: number | undefined;
  for (const entry of entries) {
    if (entry.at > at) break;
    if (entry.revision !== undefined) found = entry.atMs;
  }
  return found;
}

/** Whether the entry moves or releases an assigned address. A first assignment is no move. */
export const isMove = ({ move }: Pick<Entry, "move">): boolean => move !== undefined && move.from !== "";

/** The next move after a revision, or the last one before it; `at` undefined: now. */
export function moveFrom(entries: readonly Placed[], at: number | undefined, by: 1 | -1): Placed | undefined {
  if (by === 1) return at === undefined ? undefined : entries.find((entry) => isMove(entry) && entry.at > at);
  return entries.findLast((entry) => isMove(entry) && entry.at < (at ?? Number.POSITIVE_INFINITY));
}

// All entries in their order, each with its moment. Changes are ordered by their revisions, which say nothing of time; what
// objects and requests say of it is brought into that order. Pure.
import type { Entry, Placed } from "./entries.ts";

const SECOND_MS = 1_000;

/** So many are kept; of more the newest. */
export const ENTRIES_MAX = 20_000;

/** In order; the same entry may be given twice. */
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

/** What has changed nothing stands in the state that was there at its time. */
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

/** Of a state that a request led to the time is known exactly; others share a second, and spread over it. */
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

/** No later state has an earlier time. What says nothing has the time of what comes before it, or at the beginning after it. */
function rising(told: readonly (number | undefined)[]): number[] {
  let last = told.find((ms) => ms !== undefined) ?? 0;
  return told.map((ms) => {
    last = Math.max(last, ms ?? last);
    return last;
  });
}

/** States that have the same time stand one behind the other within a second, and before the next time that is known. */
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

/** The state at a time: the last one that came to be until then; undefined: all that is known came later. */
export function stateAt(entries: readonly Placed[], ms: number): number | undefined {
  return entries[countUntil(entries, ms) - 1]?.at;
}

/** How many entries there are until a time. */
export function countUntil(entries: readonly Placed[], ms: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.atMs ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** When a state came to be: the time of the last change until then, whatever was asked of it later. */
export function timeOf(entries: readonly Placed[], at: number): number | undefined {
  let found: number | undefined;
  for (const entry of entries) {
    if (entry.at > at) break;
    if (entry.revision !== undefined) found = entry.atMs;
  }
  return found;
}

/** An address that went from a node, or came back to one; its first node is no move. */
export const isMove = ({ move }: Pick<Entry, "move">): boolean => move !== undefined && move.from !== "";

/** The next move behind a state, or the one before it; `undefined` stands for now. */
export function moveFrom(entries: readonly Placed[], at: number | undefined, by: 1 | -1): Placed | undefined {
  if (by === 1) return at === undefined ? undefined : entries.find((entry) => isMove(entry) && entry.at > at);
  return entries.findLast((entry) => isMove(entry) && entry.at < (at ?? Number.POSITIVE_INFINITY));
}

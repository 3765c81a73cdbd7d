// Functions for long lists. A call takes its arguments from the stack, so `list.push(...more)` and `Math.max(...more)`
// fail with a RangeError once a client's list is long enough (about 100,000 items). These take a list as one argument.
import { yieldIfDue } from "../scheduling/event-loop.ts";

/** Appends the items of each list to the first. The lists may have any length. */
export function append<T>(list: T[], ...more: readonly Iterable<T>[]): void {
  for (const items of more) for (const item of items) list.push(item);
}

/** The greatest number of a list of any length, and of `least`, the result for an empty list. */
export function greatest(numbers: Iterable<number>, least: number): number {
  let found = least;
  for (const number of numbers) found = Math.max(found, number);
  return found;
}

/** The smallest number of a list of any length, and of `most`, the result for an empty list. */
export function smallest(numbers: Iterable<number>, most: number): number {
  let found = most;
  for (const number of numbers) found = Math.min(found, number);
  return found;
}

/** Groups items by key; groups and items keep their order. */
export function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = found.get(key);
    if (group === undefined) found.set(key, [item]);
    else group.push(item);
  }
  return found;
}

/** Binary search: the number of leading items that pass a test, which all later items fail. */
export function leading<T>(items: readonly T[], passes: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && passes(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether two lists have the very same items in the same order. */
export const sameItems = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

/** V8 reserves capacity for so many items with the first push. */
const ROOM = 16;

/** Returns the list without spare capacity, which saves two thirds of the memory of a million lists with one item. */
export const trimmed = <T>(list: T[]): T[] => (list.length > 0 && list.length < ROOM ? list.slice() : list);

/** Number of common items at the start of two lists, and behind these at their end. */
export function unlike<T>(
  before: readonly T[],
  after: readonly T[],
): { readonly start: number; readonly end: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { start, end };
}

// Long loops in slices, which yield to the event loop: a store can hold a hundred thousand objects.

/** Handles a short array at once. */
export async function mapInSlices<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  await inSlices(items, (item) => results.push(map(item)));
  return results;
}

/** The items must not change before the end. */
export async function inSlices<T>(items: Iterable<T>, act: (item: T) => void): Promise<void> {
  for (const item of items) {
    act(item);
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
}

const BATCH_MAX = 64;

/**
 * Calls act for every item, at most `runSync` of them concurrently, which bounds the queue of commits. Rejects with the
 * first failure and then starts no other batch.
 */
export async function inBatches<T>(
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
  runSync = BATCH_MAX,
): Promise<void> {
  for (let start = 0; start < items.length; start += runSync) {
    await Promise.all(items.slice(start, start + runSync).map(act));
  }
}

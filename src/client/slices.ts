// Long work in slices, between which the process answers requests: a store can hold a hundred thousand objects.
import { nextTurn } from "../meta/clock.ts";

/** Some ten milliseconds, when each item is an object to be decoded. */
const SLICE = 1000;

/** Does all of a short array at once. */
export async function mapInSlices<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  await inSlices(items, (item) => results.push(map(item)));
  return results;
}

export async function inSlices<T>(items: readonly T[], act: (item: T) => void): Promise<void> {
  for (let from = 0; from < items.length; from += SLICE) {
    if (from > 0) await nextTurn();
    for (const item of items.slice(from, from + SLICE)) act(item);
  }
}

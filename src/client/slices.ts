// Long work in slices, between which the process answers requests: a store can hold a hundred thousand objects.
import { pauseForOthers } from "../meta/clock.ts";

/** Does all of a short array at once. */
export async function mapInSlices<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  await inSlices(items, (item) => results.push(map(item)));
  return results;
}

export async function inSlices<T>(items: readonly T[], act: (item: T) => void): Promise<void> {
  for (const item of items) {
    act(item);
    const pause = pauseForOthers();
    if (pause !== undefined) await pause;
  }
}

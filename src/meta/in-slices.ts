// Long work in slices, between which the process answers requests: a store can hold a hundred thousand objects.
import { pauseForOthers } from "./clock.ts";

/** Does all of a short array at once. */
export async function mapInSlices<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  await inSlices(items, (item) => results.push(map(item)));
  return results;
}

/** What is gone through must stay as it is until it is done. */
export async function inSlices<T>(items: Iterable<T>, act: (item: T) => void): Promise<void> {
  for (const item of items) {
    act(item);
    const pause = pauseForOthers();
    if (pause !== undefined) await pause;
  }
}

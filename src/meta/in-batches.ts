// Many writes at once, but not all at once: what waits to be committed stays bounded.
const BATCH_MAX = 64;

/** Calls act for every item; rejects with the first failure, and does not begin another batch then. */
export async function inBatches<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += BATCH_MAX) {
    await Promise.all(items.slice(start, start + BATCH_MAX).map(act));
  }
}

// How often long work lets others have their turn, without the work having to be long.
import { vi } from "vitest";
import { nextTurn } from "../../src/meta/turns.ts";

/**
 * Does the work on a clock of which every look takes a millisecond, and counts the turns of the process until it is done.
 */
export async function countTurns<T>(
  work: () => Promise<T>,
): Promise<{ readonly turns: number; readonly done: T }> {
  await nextTurn();
  let now = performance.now(); // times from before stay in the past
  const looks = vi.spyOn(performance, "now").mockImplementation(() => ++now);
  let turns = 0;
  let working = true;
  setImmediate(function count() {
    turns++;
    if (working) setImmediate(count);
  });
  try {
    const done = await work();
    return { turns, done };
  } finally {
    working = false;
    looks.mockRestore();
  }
}

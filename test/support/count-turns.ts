// Counts how often long work yields to the event loop, without the work having to be long.
import { vi } from "vitest";
import { nextTurn } from "../../src/apimachinery/scheduling/event-loop.ts";

/**
 * Runs the work on a clock that advances by a millisecond at each reading. Returns the number of event-loop turns until it
 * is done.
 */
export async function countTurns<T>(
  work: () => Promise<T>,
): Promise<{ readonly turns: number; readonly done: T }> {
  await nextTurn();
  let now = performance.now(); // earlier readings stay in the past
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

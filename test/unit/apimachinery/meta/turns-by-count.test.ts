// With a seed the length of a time slice is counted in calls of turnIsLong(), independent of the machine's speed.
import { afterEach, expect, test, vi } from "vitest";
import {
  turnIsLong,
  turnsByCount,
  yieldToEventLoop,
} from "../../../../src/apimachinery/scheduling/event-loop.ts";

let end = () => {};
afterEach(() => {
  end();
  vi.restoreAllMocks();
});

/** Returns the number of calls until turnIsLong() returns true. */
function asksUntilLong(): number {
  for (let asks = 1; asks <= 20_000; asks++) if (turnIsLong()) return asks;
  return Number.POSITIVE_INFINITY;
}

test("a turn that stands still for a second is not long yet, and one that asks often is", async () => {
  await yieldToEventLoop();
  end = turnsByCount();
  const now = performance.now();
  expect(turnIsLong()).toBe(false);
  const later = vi.spyOn(performance, "now").mockReturnValue(now + 1000);
  expect(turnIsLong()).toBe(false);
  later.mockRestore();
  const asks = asksUntilLong();
  expect(asks).toBeGreaterThan(1000);
  await yieldToEventLoop();
  await yieldToEventLoop();
  expect(asksUntilLong()).toBe(asks + 2);
});

test("time counts again once the last of several has ended, each once", async () => {
  const [first, second] = [turnsByCount(), turnsByCount()];
  end = second;
  first();
  first();
  await yieldToEventLoop();
  const now = performance.now();
  turnIsLong();
  vi.spyOn(performance, "now").mockReturnValue(now + 1000);
  expect(turnIsLong()).toBe(false);
  second();
  expect(turnIsLong()).toBe(true);
});

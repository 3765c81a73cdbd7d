import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Timer } from "../../../../src/apimachinery/meta/clock.ts";
import { Deadlines } from "../../../../src/apiserver/http/deadlines.ts";

/** A clock that records the timers that are started on it. */
function countingClock() {
  const started: { delayMs: number; callback: () => void; cancelled: boolean }[] = [];
  const after = (delayMs: number, callback: () => void): Timer => {
    const timer = { delayMs, callback, cancelled: false };
    started.push(timer);
    return {
      cancel() {
        timer.cancelled = true;
      },
    };
  };
  return { started, clock: { after, now: () => 0, sleep: () => Promise.resolve() } };
}

test("what is done within the turn never costs a timer", async () => {
  const { started, clock } = countingClock();
  const deadlines = new Deadlines(clock);
  for (let count = 0; count < 3; count++) deadlines.after(100, () => {}).cancel();
  await turn();
  expect(started).toEqual([]);
});

test("what still waits at the end of the turn has a timer, which can be cancelled", async () => {
  const { started, clock } = countingClock();
  const deadlines = new Deadlines(clock);
  let late = 0;
  const timer = deadlines.after(100, () => late++);
  deadlines.after(200, () => late++);
  expect(started).toEqual([]);
  await turn();
  expect(started.map(({ delayMs }) => delayMs)).toEqual([100, 200]);
  started[1]?.callback();
  expect(late).toBe(1);
  timer.cancel();
  expect(started.map(({ cancelled }) => cancelled)).toEqual([true, false]);
});

// Paused work resumes one task at a time, after work of connections that were just accepted.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  isAnyPaused,
  noteNewRequest,
  ownTurn,
  pauseOneTurn,
  turnIsLong,
  yieldIfDue,
  yieldToEventLoop,
} from "../../../../src/apimachinery/scheduling/event-loop.ts";

let nowMs = 0;
beforeEach(async () => {
  await yieldToEventLoop();
  nowMs = Math.max(nowMs, performance.now()) + 100;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
});
afterEach(async () => {
  vi.restoreAllMocks();
  while (isAnyPaused()) await yieldToEventLoop();
});

/** Begins a turn and has it last so long. */
function turnOf(ms: number): void {
  turnIsLong();
  nowMs += ms;
}

/** Pauses, and notes when it goes on. */
function pausing(name: string, went: string[]): void {
  const pause = yieldIfDue();
  expect(pause, name).toBeDefined();
  void pause?.then(() => went.push(name));
}

test("a turn lasts ten milliseconds", () => {
  turnOf(10);
  expect(yieldIfDue()).toBeUndefined();
  nowMs += 1;
  expect(yieldIfDue()).toBeDefined();
});

test("each of those who wait gets one of them", async () => {
  turnOf(11);
  const sliceMs: number[] = [];
  for (const _ of ["a", "b", "c"]) {
    void yieldIfDue()?.then(() => {
      const beganMs = nowMs;
      while (!turnIsLong() && nowMs < beganMs + 100) nowMs++;
      sliceMs.push(nowMs - beganMs);
    });
  }
  while (isAnyPaused()) await yieldToEventLoop();
  expect(sliceMs).toEqual([2, 2, 7]); // no other task waits behind the last
});

test("who pauses goes on in the order of pauses, as many in a turn as it has time for", async () => {
  turnOf(11);
  const went: string[] = [];
  for (const name of ["a", "b", "c", "d"]) {
    void yieldIfDue()?.then(() => {
      went.push(name);
      nowMs += name === "d" ? 1 : 6;
    });
  }
  expect(went).toEqual([]);
  const seen: string[] = [];
  while (isAnyPaused()) {
    await yieldToEventLoop();
    seen.push(went.join(""));
  }
  expect(seen).toEqual(["ab", "abcd"]);
});

test("who pauses again goes on in the next turn", async () => {
  turnOf(11);
  const seen: number[] = [];
  let turns = 0;
  void ownTurn().then(async () => {
    seen.push(turns);
    await ownTurn();
    seen.push(turns);
  });
  for (turns = 1; isAnyPaused(); turns++) await yieldToEventLoop();
  expect(seen).toEqual([1, 2]);
});

test("who holds up others goes on in the next turn, before all who pause", async () => {
  turnOf(11);
  const went: string[] = [];
  for (const name of ["a", "b", "c"]) pausing(name, went);
  void pauseOneTurn()?.then(() => went.push("writer"));
  await yieldToEventLoop();
  expect(went).toContain("writer");
});

test("nobody goes on until nobody has come for a turn", async () => {
  turnOf(11);
  const went: string[] = [];
  pausing("a", went);
  for (let turns = 0; turns < 5; turns++) {
    noteNewRequest();
    await yieldToEventLoop();
  }
  expect(went).toEqual([]);
  await yieldToEventLoop();
  await yieldToEventLoop();
  expect(went).toEqual(["a"]);
});

test("clients who come for ever hold up the others for thirty milliseconds at a time", async () => {
  turnOf(11);
  const went: string[] = [];
  for (const name of ["a", "b", "c"]) {
    void yieldIfDue()?.then(() => {
      went.push(name);
      nowMs += 2;
    });
  }
  const wentAtMs: number[] = [];
  for (let ms = 0; ms < 110; ms++) {
    noteNewRequest();
    const before = went.length;
    await yieldToEventLoop();
    if (went.length > before) wentAtMs.push(ms);
    nowMs++;
  }
  expect(went).toEqual(["a", "b", "c"]);
  for (const [index, ms] of wentAtMs.entries()) {
    const since = ms - (wentAtMs[index - 1] ?? 0);
    expect(since).toBeGreaterThanOrEqual(28);
    expect(since).toBeLessThan(34);
  }
});

test("work that begins while clients connect pauses at once", async () => {
  noteNewRequest();
  expect(yieldIfDue()).toBeDefined();
  await yieldToEventLoop();
  await yieldToEventLoop();
  await yieldToEventLoop();
  expect(yieldIfDue()).toBeUndefined();
});

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { distinctNanoseconds, formatTime, systemClock } from "../../../../src/apimachinery/meta/clock.ts";
import { ManualClock } from "../../storage/manual-clock.ts";

describe("the machine's clock", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const DAY_MS = 24 * 3_600_000;

  test("waits for longer than setTimeout can count", () => {
    let came = 0;
    systemClock.after(60 * DAY_MS, () => came++);
    vi.advanceTimersByTime(60 * DAY_MS - 1);
    expect(came).toBe(0);
    vi.advanceTimersByTime(1);
    expect(came).toBe(1);
  });

  test("never comes after a delay without an end", () => {
    const timer = systemClock.after(Number.POSITIVE_INFINITY, () => expect.unreachable());
    vi.advanceTimersByTime(100 * DAY_MS);
    timer.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a long delay can be cancelled in any of its parts", () => {
    const timer = systemClock.after(60 * DAY_MS, () => expect.unreachable());
    vi.advanceTimersByTime(30 * DAY_MS);
    timer.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a sleep ends in time, or with its signal and its reason", async () => {
    const slept = systemClock.sleep(1000);
    vi.advanceTimersByTime(1000);
    await slept;
    const abort = new AbortController();
    const ended = systemClock.sleep(1000, abort.signal);
    abort.abort(new Error("enough"));
    await expect(ended).rejects.toThrow("enough");
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("nanoseconds of one clock are given once, also while it stands or is set back", () => {
  const clock = new ManualClock();
  clock.advance(5);
  const given = [distinctNanoseconds(clock), distinctNanoseconds(clock)];
  expect(given).toEqual([5_000_000n, 5_000_001n]);
  clock.advance(1);
  expect(distinctNanoseconds(clock)).toBe(6_000_000n);
  const another = new ManualClock();
  expect(distinctNanoseconds(another)).not.toBe(5_000_000n);
  expect(distinctNanoseconds({ ...systemClock, now: () => 7 })).toBe(7_000_000n);
});

test("a time is written with whole seconds, whichever came before", () => {
  const texts = [999, 1000, 1999, 0, 1000].map(formatTime);
  expect(texts.map((text) => text.slice(17))).toEqual(["00Z", "01Z", "01Z", "00Z", "01Z"]);
});

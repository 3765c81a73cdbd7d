import { beforeEach, expect, test } from "vitest";
import { Alarm } from "../../../src/controller/alarm.ts";
import { ManualClock } from "../kube/controllers/support.ts";

let clock: ManualClock;
let told: string[][];
let abort: AbortController;
let alarm: Alarm;
beforeEach(() => {
  [clock, told, abort] = [new ManualClock(), [], new AbortController()];
  alarm = new Alarm({ clock, signal: abort.signal, look: (keys) => void told.push(keys.map(String)) });
});
const inMs = (ms: number): number => clock.now() + ms;

test("keys come at their times, those of one time together, by one timer", () => {
  alarm.set("late", inMs(500));
  for (const key of ["a", "b", "c"]) alarm.set(key, inMs(100));
  expect(clock.pending).toBe(1);
  clock.advance(99);
  expect(told).toEqual([]);
  clock.advance(1);
  expect(told).toEqual([["a", "b", "c"]]);
  clock.advance(400);
  expect(told).toEqual([["a", "b", "c"], ["late"]]);
  expect(clock.pending).toBe(0);
});

test("a key has one time, and may have none any more", () => {
  for (const key of ["a", "b", "c"]) alarm.set(key, inMs(100));
  alarm.set("a", inMs(50));
  alarm.set("b", inMs(300));
  alarm.set("c", undefined);
  clock.advance(200);
  expect(told.flat()).toEqual(["a"]);
  clock.advance(200);
  expect(told.flat()).toEqual(["a", "b"]);
});

test("nothing comes after the end", () => {
  alarm.set("a", inMs(100));
  abort.abort();
  alarm.set("b", inMs(10));
  clock.advance(1000);
  expect(told).toEqual([]);
});

import { describe, expect, test } from "vitest";
import { Chance } from "../../../../src/apimachinery/meta/ids.ts";
import { UsageError } from "../../../../src/server/errors.ts";
import { historyLimits, openChance, openClock } from "../../../../src/server/options/time-and-chance.ts";
import { createMemoryEngine } from "../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import { create } from "../../../contract/store-harness.ts";
import { ManualClock } from "../../storage/manual-clock.ts";

describe("--clock", () => {
  test.each([
    ["real", false, 5],
    ["frozen", true, 5],
    ["2030-01-02T03:04:05.678Z", true, Date.parse("2030-01-02T03:04:05.678Z")],
    ["2030-01-02T03:04:05+02:00", true, Date.parse("2030-01-02T01:04:05Z")],
  ])("%s", (text, frozen, nowMs) => {
    const machine = new ManualClock();
    machine.advance(5);
    const clock = openClock(text, machine);
    expect([clock.frozen, clock.now()]).toEqual([frozen, nowMs]);
  });

  test.each(["", "now", "2030-01-02", "2030-02-30T00:00:00Z"])("%j is refused", (text) => {
    expect(() => openClock(text, new ManualClock())).toThrow(UsageError);
  });
});

describe("--retain", () => {
  test("says how long, or for ever", () => {
    expect(historyLimits(undefined)).toEqual({});
    expect(historyLimits("1h30m")).toEqual({ retainMs: 5_400_000 });
    expect(Object.values(historyLimits("all"))).toEqual([Infinity, Infinity, Infinity]);
  });

  test.each(["forever", "5", "-5m"])("%s is refused", (text) => {
    expect(() => historyLimits(text)).toThrow(UsageError);
  });
});

test("--seed draws the same on the same store, and something else on one that has been written to", async () => {
  const store = await openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
  const uidOf = () => openChance("one", store).ids.uid();
  const fresh = uidOf();
  expect([fresh, openChance(undefined, store).seed]).toEqual([new Chance("one").ids.uid(), undefined]);
  await store.commit([create("/a")]);
  expect(uidOf()).not.toBe(fresh);
  expect(uidOf()).toBe(uidOf());
});

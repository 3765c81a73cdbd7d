import { describe, expect, test } from "vitest";
import { createMemoryEngine, type StoreFailpoint } from "../../../../src/storage/engine.ts";
import { openMvccStore, type StoreOptions } from "../../../../src/storage/mvcc/mvcc-store.ts";
import { type HistoryLimits, UNLIMITED_HISTORY } from "../../../../src/storage/mvcc/retention.ts";
import { create, update } from "../../../contract/store-harness.ts";
import { ManualClock } from "../manual-clock.ts";

async function open(history: Partial<HistoryLimits>, options: Partial<StoreOptions> = {}) {
  const clock = new ManualClock();
  const store = await openMvccStore(createMemoryEngine(), { clock, history, ...options });
  let number = 0;
  return {
    store,
    clock,
    async pass(ms: number) {
      clock.advance(ms);
      await new Promise(setImmediate); // the compaction that was set off has run
    },
    async commit(times: number) {
      for (let turn = 0; turn < times; turn++) await store.commit([create(`/${number++}`)]);
      await new Promise(setImmediate);
    },
  };
}

describe("retention", () => {
  test("a state is kept for its time, then forgotten", async () => {
    const { store, pass, commit } = await open({ retainMs: 300_000 });
    await commit(4); // 2 to 5, at 0:00
    await pass(60_000);
    await commit(4); // 6 to 9, at 1:00
    await pass(239_000);
    expect(store.compactedRevision).toBe(1);
    await pass(61_000); // 6:00
    expect(store.compactedRevision).toBe(5);
    await pass(60_000);
    expect([store.compactedRevision, store.revision]).toEqual([9, 9]);
  });

  test.each([
    [300_000, 60_000],
    [2000, 1000],
  ])("what is kept for %i ms is marked every %i ms", async (retainMs, interval) => {
    const { store, pass, commit } = await open({ retainMs });
    await pass(interval / 2);
    await commit(1);
    await pass(interval / 2 + retainMs - 1);
    expect(store.compactedRevision).toBe(1);
    await pass(1);
    expect(store.compactedRevision).toBe(2);
  });

  test("one compaction runs at a time, and another follows when too much was written meanwhile", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked: StoreFailpoint[] = [];
    const failpoints = (point: StoreFailpoint) => {
      if (point !== "beforeCompaction") return;
      asked.push(point);
      return held;
    };
    const { store, commit } = await open({ revisionsMax: 10 }, { failpoints });
    await commit(30);
    expect([asked.length, store.compactedRevision]).toEqual([1, 1]);
    release();
    await commit(0);
    await commit(0);
    expect([asked.length, store.compactedRevision]).toEqual([2, 22]);
  });

  test("a store that fails or is closed meanwhile has no compaction, and nobody is told", async () => {
    const { store, commit } = await open({ revisionsMax: 3 });
    await commit(3);
    const last = store.commit([create("/last")]);
    const closed = store[Symbol.asyncDispose]();
    await Promise.all([last, closed]);
    await new Promise(setImmediate);
    expect(store.compactedRevision).toBe(1);
  });

  test("the newest state is kept when nothing happens", async () => {
    const { store, pass, commit } = await open({ retainMs: 300_000 });
    await commit(1);
    for (let hour = 0; hour < 3; hour++) await pass(3_600_000);
    expect([store.compactedRevision, store.revision]).toEqual([2, 2]);
    expect(store.get("/0", store.revision)).toBeDefined();
  });

  test("more revisions than the limit are not kept, however young", async () => {
    const { store, commit } = await open({ revisionsMax: 10 });
    await commit(10);
    expect(store.compactedRevision).toBe(1);
    await commit(1); // 11 kept: down to 9
    expect([store.revision, store.compactedRevision]).toEqual([12, 3]);
    await commit(100);
    expect(store.revision - store.compactedRevision).toBeLessThanOrEqual(10);
  });

  test("superseded values beyond the limit of bytes are not kept", async () => {
    const { store, commit } = await open({ bytesMax: 1000 });
    await store.commit([create("/big", "x".repeat(300))]); // 2
    for (let revision = 2; revision < 5; revision++) {
      await store.commit([update("/big", "x".repeat(300), revision)]); // 3 to 5 supersede 300 bytes each
    }
    expect(store.compactedRevision).toBe(1);
    await store.commit([update("/big", "x".repeat(300), 5)]); // 1200 bytes: the oldest goes
    await commit(0);
    await commit(1); // supersedes nothing
    expect([store.revision, store.compactedRevision]).toEqual([7, 3]);
  });

  test("without limits nothing is forgotten, and nothing waits for it", async () => {
    const { store, clock, pass, commit } = await open(UNLIMITED_HISTORY);
    await commit(3);
    await pass(10 * 365 * 24 * 3_600_000);
    await commit(1);
    expect([store.compactedRevision, clock.timers]).toEqual([1, 0]);
  });

  test("a closed store has no timer left", async () => {
    const { store, clock } = await open({ retainMs: 300_000 });
    expect(clock.timers).toBe(1);
    await store[Symbol.asyncDispose]();
    expect(clock.timers).toBe(0);
  });
});

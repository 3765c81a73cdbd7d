import { describe, expect, test } from "vitest";
import { createMemoryEngine } from "../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import { type HistoryLimits, UNLIMITED_HISTORY } from "../../../../src/storage/mvcc/retention.ts";
import { create, update } from "../../../contract/store-harness.ts";
import { ManualClock } from "../manual-clock.ts";

async function open(history: Partial<HistoryLimits>) {
  const clock = new ManualClock();
  const store = await openMvccStore(createMemoryEngine(), { clock, history });
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

import { describe, expect, test } from "vitest";
import { toRevision } from "../../../../src/meta/revision.ts";
import { createMemoryEngine, type Engine } from "../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import { create, remove, update } from "../../../contract/store-harness.ts";
import { ManualClock } from "../manual-clock.ts";

async function recordsOf(engine: Engine): Promise<string[]> {
  const names: string[] = [];
  for await (const page of (await engine.load()).records) {
    names.push(...page.map(({ key, revision }) => `${key}@${revision}`));
  }
  return names;
}

describe("opening a store", () => {
  test("deletes the records that a compaction had freed but not deleted", async () => {
    const engine = createMemoryEngine();
    const clock = new ManualClock();
    const store = await openMvccStore(engine, { clock });
    await store.commit([create("/a"), create("/b"), create("/c")]); // 2
    await store.commit([update("/a", "2", 2), remove("/b", 2)]); // 3
    await store.commit([update("/a", "3", 3)]); // 4
    await store.commit([update("/a", "4", 4)]); // 5
    // As far as a compaction to 4 gets when it is cut off at once: its revision is durable, every record is there.
    await engine.write({ changes: [], forget: [], compacted: toRevision(4) });
    const before = await recordsOf(engine);
    expect(before).toEqual(["/a@2", "/b@2", "/c@2", "/a@3", "/b@3", "/a@4", "/a@5"]);

    const reopened = await openMvccStore(engine, { clock });
    expect(await recordsOf(engine)).toEqual(["/c@2", "/a@4", "/a@5"]);
    expect([reopened.revision, reopened.compactedRevision]).toEqual([5, 4]);
  });

  test("closes the engine when what it holds does not fit together", async () => {
    let closed = 0;
    const records = [{ revision: toRevision(5), ordinal: 0, key: "/a", put: undefined }];
    const engine: Engine = {
      ...createMemoryEngine(),
      load: async () => ({
        compacted: toRevision(1),
        records: (async function* () {
          yield records;
        })(),
      }),
      close: async () => void closed++,
    };
    const opening = openMvccStore(engine, { clock: new ManualClock() });
    await expect(opening).rejects.toMatchObject({
      code: "UNREADABLE",
      message:
        "the data in memory is damaged: no record of revision 2 is there; restore the folder from a backup, or move it away to start empty",
    });
    expect(closed).toBe(1);
  });
});

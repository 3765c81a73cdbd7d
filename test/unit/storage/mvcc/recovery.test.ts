import { describe, expect, test, vi } from "vitest";
import { toRevision } from "../../../../src/apimachinery/meta/revision.ts";
import { createMemoryEngine, type Engine, type StoredRecord } from "../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import { EVERY_KEY } from "../../../../src/storage/store.ts";
import { create, remove, update } from "../../../contract/store-harness.ts";
import { ManualClock } from "../manual-clock.ts";

async function recordsOf(engine: Engine): Promise<string[]> {
  const names: string[] = [];
  for await (const page of (await engine.load()).records) {
    names.push(...page.map(({ key, revision }) => `${key}@${revision}`));
  }
  return names;
}

async function* pageOf(records: readonly StoredRecord[]): AsyncGenerator<readonly StoredRecord[]> {
  yield records;
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

  test("deletes very many such records in batches", async () => {
    const engine = createMemoryEngine();
    const clock = new ManualClock();
    const store = await openMvccStore(engine, { clock });
    await store.transform(() => [
      Array.from({ length: 2500 }, (_, index) => create(`/${index}`)),
      Array.from({ length: 2500 }, (_, index) => update(`/${index}`, "2", 2)),
    ]);
    await engine.write({ changes: [], forget: [], compacted: toRevision(3) });
    const write = vi.spyOn(engine, "write");
    await openMvccStore(engine, { clock });
    expect(write.mock.calls.map(([{ forget }]) => forget.length)).toEqual([1000, 1000, 500]);
    expect(await recordsOf(engine)).toHaveLength(2500);
  });

  const record = (revision: number, ordinal: number, key: string, createRevision?: number): StoredRecord => ({
    revision: toRevision(revision),
    ordinal,
    key,
    put:
      createRevision === undefined
        ? undefined
        : { createRevision: toRevision(createRevision), value: Buffer.alloc(1) },
  });
  const openOn = (compacted: number, ...records: StoredRecord[]) => {
    const contents = { compacted: toRevision(compacted), records: pageOf(records) };
    return openMvccStore(
      { ...createMemoryEngine(), load: async () => contents },
      { clock: new ManualClock() },
    );
  };

  test("takes the records of one revision in any order", async () => {
    const store = await openOn(1, record(2, 1, "/a", 2), record(2, 0, "/b", 2), record(3, 0, "/b"));
    expect([store.revision, store.count(EVERY_KEY)]).toEqual([3, 1]);
    expect(store.changesOf("/b")).toHaveLength(2);
  });

  const [noSecond, notWhole] = ["no record of revision 2 is there", "revision 2 is not complete"];
  test.each<[string, readonly StoredRecord[], string]>([
    ["a missing revision", [record(3, 0, "/a", 3)], noSecond],
    [
      "a revision missing between two",
      [record(2, 0, "/a", 2), record(4, 0, "/b", 4)],
      "no record of revision 3 is there",
    ],
    ["a missing first part", [record(2, 1, "/a", 2)], `${notWhole} (at key /a)`],
    ["a missing part between two", [record(2, 0, "/a", 2), record(2, 2, "/b", 2)], `${notWhole} (at key /b)`],
    ["a deletion of what was not there", [record(2, 0, "/a")], `${notWhole} (at key /a)`],
    ["an update of what was not there", [record(2, 0, "/a", 1)], `${notWhole} (at key /a)`],
    [
      "an update that takes a key for a new one",
      [record(2, 0, "/a", 2), record(3, 0, "/a", 3)],
      "revision 3 is not complete (at key /a)",
    ],
  ])("%s is damage", async (_, records, what) => {
    await expect(openOn(1, ...records)).rejects.toThrow(`the data in memory is damaged: ${what};`);
  });

  test("closes the engine when what it holds does not fit together", async () => {
    let closed = 0;
    const records = [{ revision: toRevision(5), ordinal: 0, key: "/a", put: undefined }];
    const engine: Engine = {
      ...createMemoryEngine(),
      load: async () => ({
        compacted: toRevision(1),
        records: pageOf(records),
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

// A check reports every fault for which a start would fail, and does not change the store.
import { join } from "node:path";
import { Level } from "level";
import { afterEach, beforeEach, expect, test } from "vitest";
import { toRevision } from "../../../../src/apimachinery/meta/revision.ts";
import { checkStore } from "../../../../src/storage/level/check-store.ts";
import { openLevelEngine } from "../../../../src/storage/level/level-engine.ts";
import { encodeRecordKey } from "../../../../src/storage/level/record-codec.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import type { Store } from "../../../../src/storage/store.ts";
import { create, removeFolder, temporaryFolder, update } from "../../../contract/store-harness.ts";
import { ManualClock } from "../manual-clock.ts";

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => removeFolder(folder));

const open = async (): Promise<Store> =>
  openMvccStore(await openLevelEngine(folder), { clock: new ManualClock() });

/** Two keys: /a at 2 and 3, /b at 4. */
async function writeSome(): Promise<void> {
  await using store = await open();
  await store.commit([create("/a", "1")]);
  await store.commit([update("/a", "2", 2)]);
  await store.commit([create("/b", "1")]);
}

async function withRaw(use: (db: Level<Buffer, Buffer>) => Promise<unknown>): Promise<void> {
  const db = new Level<Buffer, Buffer>(folder, { keyEncoding: "buffer", valueEncoding: "buffer" });
  await use(db);
  await db.close();
}

const recordKey = (revision: number, key: string) => encodeRecordKey({ revision: toRevision(revision), key });

test("a sound store is counted", async () => {
  await writeSome();
  const report = { format: "1", records: 3, objects: 2, compacted: 1, revision: 4, problems: [] };
  expect(await checkStore(folder)).toEqual(report);
  expect(await checkStore(folder)).toEqual(report);
  await using store = await open();
  expect(store.revision).toBe(4);
});

test("every damaged record is named", async () => {
  await writeSome();
  await withRaw(async (db) => {
    for (const [revision, key] of [
      [2, "/a"],
      [4, "/b"],
    ] as const) {
      const value = (await db.get(recordKey(revision, key))) ?? Buffer.alloc(0);
      value[value.length - 1] = 0xff;
      await db.put(recordKey(revision, key), value);
    }
  });
  const { records, problems } = await checkStore(folder);
  expect(records).toBe(3);
  expect(problems).toHaveLength(2);
  expect(problems[0]).toContain(recordKey(2, "/a").toString("hex"));
});

test("a record that is missing is found out, though each that is there is whole", async () => {
  await writeSome();
  await withRaw((db) => db.del(recordKey(3, "/a")));
  const { problems } = await checkStore(folder);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain("no record of revision 3 is there");
});

test("a store that is open, and a folder that holds none, are refused", async () => {
  await expect(checkStore(join(folder, "nothing"))).rejects.toMatchObject({ code: "UNREADABLE" });
  await using _store = await open();
  await expect(checkStore(folder)).rejects.toMatchObject({ code: "LOCKED" });
});

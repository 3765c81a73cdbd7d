// Unusable folders: each is rejected with a code and one line that names the folder.
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Level } from "level";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { toRevision } from "../../../../src/apimachinery/meta/revision.ts";
import { openLevelEngine } from "../../../../src/storage/level/level-engine.ts";
import { encodeRecordKey } from "../../../../src/storage/level/record-codec.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import { type Store, StoreError } from "../../../../src/storage/store.ts";
import { create, removeFolder, temporaryFolder, update } from "../../../contract/store-harness.ts";
import { ManualClock } from "../manual-clock.ts";

type Raw = Level<Buffer, Buffer>;

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => removeFolder(folder));

async function open(at = folder): Promise<Store> {
  return await openMvccStore(await openLevelEngine(at), { clock: new ManualClock() });
}

/** Two keys: /a at 2, 3 and 4, /b at 2. */
async function writeSome(): Promise<void> {
  await using store = await open();
  await store.commit([create("/a", "1"), create("/b", "1")]);
  await store.commit([update("/a", "2", 2)]);
  await store.commit([update("/a", "3", 3)]);
}

async function withRaw(run: (db: Raw) => Promise<unknown>): Promise<void> {
  const db: Raw = new Level(folder, { keyEncoding: "buffer", valueEncoding: "buffer" });
  await run(db);
  await db.close();
}

async function refusal(at = folder): Promise<StoreError> {
  const outcome = await open(at).catch((error: unknown) => error);
  if (!(outcome instanceof StoreError)) throw new Error(`not refused: ${String(outcome)}`);
  expect(outcome.message).toContain(at);
  expect(outcome.message).not.toContain("\n");
  return outcome;
}

const recordKey = (revision: number, key: string) => encodeRecordKey({ revision: toRevision(revision), key });

describe("a data folder", () => {
  test("that is open already is LOCKED", async () => {
    await using _store = await open();
    expect(await refusal()).toMatchObject({ code: "LOCKED" });
  });

  test("in another format is refused by that name, and can be read again once it is right", async () => {
    await writeSome();
    await withRaw((db) => db.put(Buffer.from("m:format"), Buffer.from("99")));
    const error = await refusal();
    expect(error.code).toBe("FORMAT_VERSION");
    expect(error.message).toContain("in format 99, this version reads 1");
    await withRaw((db) => db.put(Buffer.from("m:format"), Buffer.from("1")));
    await using store = await open();
    expect(store.revision).toBe(4);
  });

  test("of another program is refused by that name", async () => {
    await withRaw((db) => db.put(Buffer.from("x"), Buffer.from("y")));
    expect(await refusal()).toMatchObject({ code: "FORMAT_VERSION" });
  });

  test("that is a file is UNREADABLE", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    expect(await refusal(file)).toMatchObject({ code: "UNREADABLE" });
  });

  test.each<[string, (db: Raw) => Promise<unknown>]>([
    [
      "with a changed byte in a record",
      async (db) => {
        const value = (await db.get(recordKey(3, "/a"))) ?? Buffer.alloc(0);
        value[value.length - 1] = 0x21;
        await db.put(recordKey(3, "/a"), value);
      },
    ],
    ["with a record cut short", (db) => db.put(recordKey(3, "/a"), Buffer.alloc(3))],
    ["without one of its revisions", (db) => db.del(recordKey(3, "/a"))],
    ["without one key of a commit", (db) => db.del(recordKey(2, "/a"))],
    ["with an unreadable compacted revision", (db) => db.put(Buffer.from("m:compacted"), Buffer.from("?"))],
    [
      "without a state that later ones build upon",
      async (db) => {
        await db.put(Buffer.from("m:compacted"), Buffer.from([0, 0, 0, 0, 0, 0, 0, 2]));
        await db.del(recordKey(2, "/a"));
      },
    ],
  ])("%s is UNREADABLE", async (_, damage) => {
    await writeSome();
    await withRaw(damage);
    expect(await refusal()).toMatchObject({ code: "UNREADABLE" });
    expect(await refusal()).toMatchObject({ code: "UNREADABLE" }); // and not LOCKED: it has been let go of
  });

  test("whose LevelDB files are damaged is UNREADABLE", async () => {
    await writeSome();
    const [manifest = ""] = (await readdir(folder)).filter((name) => name.startsWith("MANIFEST"));
    await writeFile(join(folder, manifest), "not a manifest");
    expect(await refusal()).toMatchObject({ code: "UNREADABLE" });
  });
});

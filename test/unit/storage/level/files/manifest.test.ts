import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Level } from "level";
import { expect, test } from "vitest";
import { tablesOf } from "../../../../../src/storage/level/files/manifest.ts";
import { removeFolder, temporaryFolder } from "../../../../contract/store-harness.ts";
import { lengthed, logOf, newFile, varint } from "./leveldb-files.ts";

const fields = (...parts: (number | string | Buffer)[]): Buffer =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === "number" ? varint(part) : typeof part === "string" ? lengthed(part) : part,
    ),
  );
const deletedFile = (number: number) => fields(6, 1, number);

test.each<[string, Buffer]>([
  ["the comparator", fields(1, "leveldb.BytewiseComparator")],
  ["the number of the log", fields(2, 300)],
  ["the next file", fields(3, 7)],
  ["the last sequence", fields(4, 70_000)],
  ["a point of compaction", fields(5, 2, "some key")],
  ["a deleted file", deletedFile(9)],
  ["the log before", fields(9, 5)],
])("%s stands between the tables and is read past", (_, field) => {
  const manifest = logOf(fields(newFile(4), field, newFile(128), newFile(500)));
  expect([...tablesOf(manifest)]).toEqual([4, 128, 500]);
});

test("the tables are those that came and did not go, over all edits", () => {
  const edits = [
    fields(newFile(4), newFile(5)),
    fields(deletedFile(4), newFile(6)),
    fields(deletedFile(6), newFile(6)),
  ];
  expect([...tablesOf(logOf(...edits))].sort()).toEqual([5, 6]);
  expect(tablesOf(Buffer.alloc(0)).size).toBe(0);
});

test.each<[string, Buffer]>([
  ["of which nobody knows", fields(newFile(4), 8, 1)],
  ["with the number zero", fields(0)],
])("a field %s is refused", (_, edit) => {
  expect(() => tablesOf(logOf(edit))).toThrow(/^the manifest has a field [08]$/);
});

test("an edit that ends within a field is refused", () => {
  const edit = fields(2, 300, 1, "comparator", newFile(4));
  const ends = [3, 3 + 12, edit.length];
  for (let length = 1; length < edit.length; length++) {
    const cut = () => tablesOf(logOf(edit.subarray(0, length)));
    if (ends.includes(length)) expect(cut).not.toThrow();
    else expect(cut, `${length} bytes`).toThrow(new RangeError("the bytes end too soon"));
  }
});

test("LevelDB's own manifest names the tables of its folder", async () => {
  const folder = await temporaryFolder();
  try {
    for (let times = 0; times < 4; times++) {
      const db = new Level(folder); // makes a table of the log that it finds
      for (let number = 0; number < 20; number++) await db.put(`${times} ${number}`, "x".repeat(100));
      await db.close();
    }
    const names = await readdir(folder);
    const manifest = names.find((name) => name.startsWith("MANIFEST")) ?? "";
    const tables = tablesOf(await readFile(join(folder, manifest)));
    const there = names.filter((name) => name.endsWith(".ldb")).map((name) => Number.parseInt(name, 10));
    expect(there.length).toBeGreaterThan(1);
    expect([...tables].sort()).toEqual(there.sort());
  } finally {
    await removeFolder(folder);
  }
});

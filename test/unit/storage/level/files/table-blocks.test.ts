import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Level } from "level";
import { describe, expect, test } from "vitest";
import { findDamagedBlock } from "../../../../../src/storage/level/files/table-blocks.ts";
import { removeFolder, temporaryFolder } from "../../../../contract/store-harness.ts";
import { tableOf, withBit } from "./leveldb-files.ts";

const BLOCKS = ["the first block", "b", "and the third one"].map((text) => Buffer.from(text));

describe.each([
  ["as it is", false],
  ["packed", true],
])("a table whose index is %s", (_, packed) => {
  const { bytes, blocks, metaindexAt, indexAt, footerAt } = tableOf(BLOCKS, { packed });
  const parts = [...blocks, metaindexAt, indexAt];

  test("is sound", () => {
    expect(findDamagedBlock(bytes)).toBeUndefined();
  });

  test("of which any bit of a block is turned is damaged there", () => {
    for (let bit = 0; bit < 8 * footerAt; bit++) {
      const found = findDamagedBlock(withBit(bytes, bit));
      expect(found, `bit ${bit}`).toBe(parts.findLast((start) => start <= bit >> 3));
    }
  });

  test("of which any bit of the footer that says something is turned is damaged", () => {
    // With the highest bit of its last byte set, a varint continues into the zero padding and keeps its value.
    const placesEnd = footerAt + bytes.subarray(footerAt).indexOf(Buffer.alloc(8));
    for (let bit = 8 * footerAt; bit < 8 * bytes.length; bit++) {
      const isFilling = bit >= 8 * placesEnd - 1 && bit < 8 * (bytes.length - 8);
      const found = findDamagedBlock(withBit(bytes, bit));
      expect(found === undefined, `bit ${bit - 8 * footerAt} of the footer`).toBe(isFilling);
    }
  });

  test("that ends too soon, anywhere, is damaged", () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(findDamagedBlock(bytes.subarray(0, length))).toBe(Math.max(0, length - 48));
    }
  });
});

test("a table that has lost its beginning is damaged", () => {
  const { bytes, footerAt } = tableOf(BLOCKS);
  for (let start = 1; start < bytes.length; start++) {
    const found = findDamagedBlock(bytes.subarray(start));
    expect(found, `${start} bytes`).toBeDefined();
    if (start >= footerAt) expect(found).toBe(0);
  }
});

test("a footer whose numbers do not end is where the damage is", () => {
  const { bytes, footerAt } = tableOf(BLOCKS);
  expect(findDamagedBlock(Buffer.from(bytes).fill(0xff, footerAt, footerAt + 40))).toBe(footerAt);
});

test("an index that says that it is packed, and is not, is no index", () => {
  const { bytes, footerAt } = tableOf([Buffer.from("one")], { packed: "wrongly" });
  expect(findDamagedBlock(bytes)).toBe(footerAt);
});

test("LevelDB's own tables are sound, until a byte is another", async () => {
  const folder = await temporaryFolder();
  try {
    const db = new Level(folder);
    // What repeats itself is packed, what does not is left as it is.
    for (let number = 0; number < 300; number++) {
      const text = number < 200 ? "x".repeat(50) : `${Math.imul(number, 0x9e3779b1)}`;
      await db.put(`key ${number}`, text);
    }
    await db.close();
    await db.open(); // which makes a table of the log
    await db.close();
    const [table = ""] = (await readdir(folder)).filter((name) => name.endsWith(".ldb"));
    const bytes = await readFile(join(folder, table));
    expect(findDamagedBlock(bytes)).toBeUndefined();
    for (let at = 0; at < bytes.length - 48; at += 7) {
      expect(findDamagedBlock(withBit(bytes, 8 * at)), `byte ${at}`).toBeLessThanOrEqual(at);
    }
  } finally {
    await removeFolder(folder);
  }
});

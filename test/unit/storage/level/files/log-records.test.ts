import { describe, expect, test } from "vitest";
import { readLog } from "../../../../../src/storage/level/files/log-records.ts";
import { BLOCK_BYTES, HEADER_BYTES, logOf, logRecord, withBit } from "./leveldb-files.ts";

const texts = (log: Buffer) => readLog(log).batches.map(String);
const SMALL = ["one", "two and more", "the third"].map((text) => Buffer.from(text));
const LONG = Buffer.alloc(3 * BLOCK_BYTES, "x");

describe("a log", () => {
  test.each([
    ["nothing", []],
    ["small batches", SMALL],
    ["a batch across blocks", [LONG, ...SMALL]],
    [
      "a batch that leaves less than a header in its block",
      [Buffer.alloc(BLOCK_BYTES - 7 - 5, "x"), ...SMALL],
    ],
    ["a batch that leaves just a header in its block", [Buffer.alloc(BLOCK_BYTES - 7 - 7, "x"), ...SMALL]],
  ])("of %s is read", (_, batches) => {
    expect(readLog(logOf(...batches)).unreadable).toBeUndefined();
    expect(texts(logOf(...batches))).toEqual(batches.map(String));
  });

  test("that is cut anywhere is torn there, and the batches before are read", () => {
    const log = logOf(...SMALL);
    for (let length = 0; length < log.length; length++) {
      const { batches, unreadable } = readLog(log.subarray(0, length));
      const ends = [0, ...SMALL.map((_, index) => logOf(...SMALL.slice(0, index + 1)).length)];
      expect(batches.length).toBe(ends.filter((end) => end <= length).length - 1);
      if (ends.includes(length)) expect(unreadable).toBeUndefined();
      else expect(unreadable).toEqual({ at: ends.findLast((end) => end < length), torn: true });
    }
  });

  test.each([10, 600, 40_000])("that goes on with %i zeros is torn there", (zeros) => {
    const log = logOf(...SMALL);
    const { batches, unreadable } = readLog(Buffer.concat([log, Buffer.alloc(zeros)]));
    expect(batches.length).toBe(SMALL.length);
    expect(unreadable).toEqual({ at: log.length, torn: true });
  });

  test("of which any bit is turned is damaged, not torn", () => {
    const log = logOf(...SMALL);
    for (let bit = 0; bit < 8 * log.length; bit++) {
      expect(readLog(withBit(log, bit)).unreadable, `bit ${bit}`).toMatchObject({ torn: false });
    }
  });

  test("of which a bit of any header is turned is damaged, across blocks too", () => {
    const log = logOf(LONG, ...SMALL);
    for (let start = 0; start < log.length; start += BLOCK_BYTES) {
      for (let bit = 0; bit < 8 * 7; bit++) {
        const { unreadable } = readLog(withBit(log, 8 * start + bit));
        expect(unreadable, `bit ${bit} behind ${start}`).toMatchObject({ torn: false });
      }
    }
  });

  /** What is at the end of a log whose blocks are full up to so many bytes before a block's end. */
  const endingWith = (room: number, ...parts: readonly Buffer[]) => {
    const full = logOf(Buffer.alloc(BLOCK_BYTES - HEADER_BYTES - room, "x"));
    const { unreadable } = readLog(Buffer.concat([full, ...parts]));
    return unreadable && { ...unreadable, at: unreadable.at - full.length };
  };
  const text = Buffer.alloc(200, "y");
  const [record, empty] = [logRecord(text, 1), logRecord(Buffer.alloc(0), 1)];
  const spoiled = (bytes: Buffer) => withBit(bytes, 0);

  test.each<[string, ReturnType<typeof endingWith>, boolean | undefined]>([
    ["fills its block", endingWith(record.length, record, empty), undefined],
    ["fills its block, and is cut off", endingWith(record.length, record.subarray(0, 50)), true],
    ["goes on behind its block", endingWith(record.length - 1, record), false],
    [
      "goes on behind its block, and is cut off",
      endingWith(record.length - 1, record.subarray(0, 50)),
      false,
    ],
    ["has a kind of which nobody knows", endingWith(1000, logRecord(text, 5)), false],
    ["has no kind", endingWith(1000, logRecord(text, 0)), false],
    ["is empty and has another checksum", endingWith(1000, spoiled(empty)), false],
    ["is cut off within its header", endingWith(1000, record.subarray(0, 6)), true],
    ["is cut off, with a whole one behind it", endingWith(1000, record.subarray(0, 50), empty), false],
    ["is only zeros, with a whole one behind them", endingWith(1000, Buffer.alloc(600), empty), false],
    [
      "has fewer zeros behind it than a page has",
      endingWith(1000, spoiled(record), Buffer.alloc(511)),
      false,
    ],
    ["has zeros behind it", endingWith(1000, spoiled(record), Buffer.alloc(512)), true],
  ])("a record that %s", (_, unreadable, torn) => {
    expect(unreadable).toEqual(torn === undefined ? undefined : { at: 0, torn });
  });
});

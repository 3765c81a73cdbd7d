import { describe, expect, test } from "vitest";
import { maskedCrc32c } from "../../../../../src/storage/level/files/crc32c.ts";
import { readLog } from "../../../../../src/storage/level/files/log-records.ts";

const BLOCK_BYTES = 32 * 1024;

/** A log as LevelDB writes it: what does not fit in the rest of a block goes on in the next one. */
function logOf(...batches: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  const put = (part: Buffer) => {
    parts.push(part);
    at += part.length;
  };
  for (const batch of batches) {
    let rest = batch;
    for (let first = true; first || rest.length > 0; first = false) {
      if (BLOCK_BYTES - (at % BLOCK_BYTES) < 7) put(Buffer.alloc(BLOCK_BYTES - (at % BLOCK_BYTES)));
      const piece = rest.subarray(0, BLOCK_BYTES - (at % BLOCK_BYTES) - 7);
      rest = rest.subarray(piece.length);
      put(record(piece, first ? (rest.length === 0 ? 1 : 2) : rest.length === 0 ? 4 : 3));
    }
  }
  return Buffer.concat(parts);
}

function record(piece: Buffer, type: number): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(6), Buffer.from([type]), piece]);
  bytes.writeUInt16LE(piece.length, 4);
  bytes.writeUInt32LE(maskedCrc32c(bytes, 6, bytes.length), 0);
  return bytes;
}

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
      const changed = Buffer.from(log);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(readLog(changed).unreadable, `bit ${bit}`).toMatchObject({ torn: false });
    }
  });

  test("of which a bit of any header is turned is damaged, across blocks too", () => {
    const log = logOf(LONG, ...SMALL);
    for (let start = 0; start < log.length; start += BLOCK_BYTES) {
      for (let bit = 0; bit < 8 * 7; bit++) {
        const changed = Buffer.from(log);
        const at = start + (bit >> 3);
        changed[at] = (changed[at] ?? 0) ^ (1 << (bit & 7));
        expect(readLog(changed).unreadable, `bit ${bit} behind ${start}`).toMatchObject({ torn: false });
      }
    }
  });
});

// What LevelDB does not say: when a record of its log does not fit its checksum, it leaves out that one and the rest of
// its block, and goes on. Whatever was in there would be gone without a word, so a log is looked at before it is opened.
//
//   log     blocks of 32 KiB, the last one shorter; a record never crosses a block, fewer than 7 bytes at its end are filled
//   record  checksum u32 | length u16 | type u8 (1 whole, 2 first, 3 middle, 4 last part of a batch) | bytes
//
// All numbers are little-endian; the checksum covers the type and the bytes. A process or machine that dies while it
// writes leaves a log that ends within a record, or in zeros that were never filled in. Nobody was told that such a
// write is done. Any other record that does not fit is damage.
import { maskedCrc32c } from "./crc32c.ts";

const BLOCK_BYTES = 32 * 1024;
const HEADER_BYTES = 7;
const LENGTH_AT = 4;
const TYPE_AT = 6;
const WHOLE = 1;
const FIRST = 2;
const LAST = 4;
/** No record of ours has so many zeros one after the other; a page of a file that was never filled in has. */
const UNFILLED_BYTES_MIN = 512;

export interface LogFinding {
  /** Where the record begins that cannot be read. */
  readonly at: number;
  /** Cut off while it was written, and nothing comes behind it. */
  readonly torn: boolean;
}

export interface LogContents {
  /** What was written at a time, up to the first record that cannot be read. */
  readonly batches: readonly Buffer[];
  /** The first record that cannot be read; undefined when all can. */
  readonly unreadable: LogFinding | undefined;
}

/** Reads the records of a LevelDB log file (doc/log_format.md of LevelDB), whose sums of check are compared. */
export function readLog(log: Buffer): LogContents {
  const batches: Buffer[] = [];
  let parts: Buffer[] = [];
  let at = 0;
  while (at < log.length) {
    const block = blockEnd(at);
    if (block - at < HEADER_BYTES) {
      at = block;
      continue;
    }
    const end = recordEnd(log, at);
    if (end === undefined) return { batches, unreadable: { at, torn: isTorn(log, at) } };
    const type = log[at + TYPE_AT];
    if (type === WHOLE || type === FIRST) parts = [];
    parts.push(log.subarray(at + HEADER_BYTES, end));
    if (type === WHOLE || type === LAST) batches.push(Buffer.concat(parts));
    at = end;
  }
  return { batches, unreadable: undefined };
}

/** Of the block in which the place lies. */
const blockEnd = (at: number): number => at - (at % BLOCK_BYTES) + BLOCK_BYTES;

/** Undefined when what is there is no record. */
function recordEnd(log: Buffer, at: number): number | undefined {
  const endMax = Math.min(blockEnd(at), log.length);
  if (at + HEADER_BYTES > endMax) return undefined;
  const end = at + HEADER_BYTES + log.readUInt16LE(at + LENGTH_AT);
  return end <= endMax && fits(log, at, end) ? end : undefined;
}

function fits(log: Buffer, at: number, end: number): boolean {
  const type = log[at + TYPE_AT] ?? 0;
  if (type === 0 || type > LAST) return false;
  return log.readUInt32LE(at) === maskedCrc32c(log, at + TYPE_AT, end);
}

/** The log ends within the record, or was never filled in from somewhere in it on, and nothing comes behind it. */
function isTorn(log: Buffer, at: number): boolean {
  if (log.length - at < HEADER_BYTES) return true;
  const end = at + HEADER_BYTES + log.readUInt16LE(at + LENGTH_AT);
  const endsTooSoon = end > log.length && end <= blockEnd(at);
  if (!endsTooSoon && !endsUnfilled(log, at)) return false;
  // What fits when it is taken to end where the log does is whole, and only its length is wrong.
  return !fits(log, at, log.length) && !holdsRecordBehind(log, at);
}

function endsUnfilled(log: Buffer, from: number): boolean {
  return log.subarray(Math.max(from, log.length - UNFILLED_BYTES_MIN)).every((byte) => byte === 0);
}

/** Whether anything behind the place is a record; where one would begin is not known. */
function holdsRecordBehind(log: Buffer, from: number): boolean {
  for (let at = from + 1; at < log.length; at++) if (recordEnd(log, at) !== undefined) return true;
  return false;
}

// If a record of LevelDB's log fails its checksum, LevelDB silently skips it and the rest of its block. The data in
// there would be lost unnoticed, so a log is verified before it is opened.
//
//   log     blocks of 32 KiB, the last one shorter; a record never crosses a block, fewer than 7 bytes at its end are filled
//   record  checksum u32 | length u16 | type u8 (1 whole, 2 first, 3 middle, 4 last part of a batch) | bytes
//
// All numbers are little-endian; the checksum covers the type and the bytes. A process or machine that fails during a
// write leaves a log that ends within a record, or in zeros that were never filled in. Such a write was never
// acknowledged. Any other invalid record is damage.
import { maskedCrc32c } from "./crc32c.ts";

const BLOCK_BYTES = 32 * 1024;
const HEADER_BYTES = 7;
const LENGTH_AT = 4;
const TYPE_AT = 6;
const WHOLE = 1;
const FIRST = 2;
const LAST = 4;
/** No valid record has so many consecutive zeros; a page of a file that was never filled in has. */
const UNFILLED_BYTES_MIN = 512;

export interface LogFinding {
  /** Offset of the unreadable record. */
  readonly at: number;
  /** The write was interrupted, and nothing follows the record. */
  readonly torn: boolean;
}

export interface LogContents {
  /** The write batches up to the first unreadable record. */
  readonly batches: readonly Buffer[];
  /** The first unreadable record; undefined when all are readable. */
  readonly unreadable: LogFinding | undefined;
}

/** Reads and verifies the records of a LevelDB log file (doc/log_format.md of LevelDB). */
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

/** End of the block that contains the offset. */
const blockEnd = (at: number): number => at - (at % BLOCK_BYTES) + BLOCK_BYTES;

/** The end offset of the record; undefined: there is no valid record. */
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

/** Whether the log ends within the record, or holds only zeros from some offset in it on, with nothing behind it. */
function isTorn(log: Buffer, at: number): boolean {
  if (log.length - at < HEADER_BYTES) return true;
  const end = at + HEADER_BYTES + log.readUInt16LE(at + LENGTH_AT);
  const endsTooSoon = end > log.length && end <= blockEnd(at);
  if (!endsTooSoon && !endsUnfilled(log, at)) return false;
  // A record that is valid with the end of the log as its end is complete; only its length is damaged.
  return !fits(log, at, log.length) && !holdsRecordBehind(log, at);
}

function endsUnfilled(log: Buffer, from: number): boolean {
  return log.subarray(Math.max(from, log.length - UNFILLED_BYTES_MIN)).every((byte) => byte === 0);
}

/** Whether any valid record begins behind the offset; its position is unknown. */
function holdsRecordBehind(log: Buffer, from: number): boolean {
  for (let at = from + 1; at < log.length; at++) if (recordEnd(log, at) !== undefined) return true;
  return false;
}

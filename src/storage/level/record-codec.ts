// Encoding of a record in LevelDB. Numbers are big-endian and of fixed width, so LevelDB's order is that of revisions.
//
//   key     "r:" | revision u64 | key (ASCII)
//   value   crc32 u32 | kind u8 (1 put, 2 delete) | ordinal u32 | createRevision u64 (0 for a delete) | value bytes
//
// The checksum covers the LevelDB key and everything behind it.
import { crc32 } from "node:zlib";
import { type Revision, toRevision } from "../../apimachinery/meta/revision.ts";
import type { RecordId, StoredRecord } from "../engine.ts";
import type { StoreEvent } from "../store.ts";

const PREFIX = "r:";
const KEY_START = PREFIX.length + 8;
const CRC_BYTES = 4;
const VALUE_START = CRC_BYTES + 1 + 4 + 8;
const KIND_PUT = 1;
const KIND_DELETE = 2;

/** Bounds of all record keys. */
export const RECORDS_FROM = Buffer.from("r:");
export const RECORDS_TO = Buffer.from("r;");

/** Sorts by revision, then by key. */
export function encodeRecordKey({ revision, key }: RecordId): Buffer {
  const bytes = Buffer.allocUnsafe(KEY_START + Buffer.byteLength(key));
  bytes.write(PREFIX, "latin1");
  writeRevision(bytes, revision, PREFIX.length);
  bytes.write(key, KEY_START);
  return bytes;
}

export function encodeRecordValue(recordKey: Buffer, event: StoreEvent, ordinal: number): Buffer {
  const value = event.type === "put" ? event.kv.value : undefined;
  const bytes = Buffer.allocUnsafe(VALUE_START + (value?.byteLength ?? 0));
  bytes.writeUInt8(event.type === "put" ? KIND_PUT : KIND_DELETE, CRC_BYTES);
  bytes.writeUInt32BE(ordinal, CRC_BYTES + 1);
  writeRevision(bytes, event.type === "put" ? event.kv.createRevision : toRevision(0), CRC_BYTES + 5);
  if (value !== undefined) bytes.set(value, VALUE_START);
  bytes.writeUInt32BE(checksum(recordKey, bytes), 0);
  return bytes;
}

/** Undefined when the bytes are no record, or not the one that was written. */
export function decodeRecord(recordKey: Buffer, bytes: Buffer): StoredRecord | undefined {
  if (recordKey.length <= KEY_START || bytes.length < VALUE_START) return undefined;
  if (bytes.readUInt32BE(0) !== checksum(recordKey, bytes)) return undefined;
  const kind = bytes.readUInt8(CRC_BYTES);
  if (kind !== KIND_PUT && kind !== KIND_DELETE) return undefined;
  const createRevision = readRevision(bytes, CRC_BYTES + 5);
  return {
    revision: readRevision(recordKey, PREFIX.length),
    ordinal: bytes.readUInt32BE(CRC_BYTES + 1),
    key: recordKey.toString("utf8", KEY_START),
    put: kind === KIND_PUT ? { createRevision, value: bytes.subarray(VALUE_START) } : undefined,
  };
}

/** Eight bytes, big-endian, so that the byte order is that of the numbers. */
export function encodeRevision(revision: Revision): Buffer {
  const bytes = Buffer.alloc(8);
  writeRevision(bytes, revision, 0);
  return bytes;
}

/** undefined for bytes that are no revision. */
export function decodeRevision(bytes: Buffer): Revision | undefined {
  return bytes.length === 8 ? readRevision(bytes, 0) : undefined;
}

const HALF = 2 ** 32;

function writeRevision(bytes: Buffer, revision: Revision, offset: number): void {
  bytes.writeUInt32BE(Math.floor(revision / HALF), offset);
  bytes.writeUInt32BE(revision % HALF, offset + 4);
}

/** Numbers up to this one V8 stores inline; larger ones take sixteen more bytes, in every object of the same shape. */
const SMALL_MAX = 2 ** 31 - 1;

function readRevision(bytes: Buffer, offset: number): Revision {
  const high = bytes.readUInt32BE(offset);
  const low = bytes.readUInt32BE(offset + 4);
  return toRevision(high === 0 && low <= SMALL_MAX ? low | 0 : high * HALF + low);
}

function checksum(recordKey: Buffer, bytes: Buffer): number {
  return crc32(bytes.subarray(CRC_BYTES), crc32(recordKey));
}

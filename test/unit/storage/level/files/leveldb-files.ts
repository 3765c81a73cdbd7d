// Files in LevelDB's format (doc/log_format.md, doc/table_format.md), for tests that damage them.
import { maskedCrc32c } from "../../../../../src/storage/level/files/crc32c.ts";

export const BLOCK_BYTES = 32 * 1024;
export const HEADER_BYTES = 7;

/** A log: what does not fit in the rest of a block goes on in the next one. */
export function logOf(...batches: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  const put = (part: Buffer) => {
    parts.push(part);
    at += part.length;
  };
  for (const batch of batches) {
    let rest = batch;
    for (let first = true; first || rest.length > 0; first = false) {
      const room = BLOCK_BYTES - (at % BLOCK_BYTES);
      if (room < HEADER_BYTES) put(Buffer.alloc(room));
      const piece = rest.subarray(0, BLOCK_BYTES - (at % BLOCK_BYTES) - HEADER_BYTES);
      rest = rest.subarray(piece.length);
      put(logRecord(piece, first ? (rest.length === 0 ? 1 : 2) : rest.length === 0 ? 4 : 3));
    }
  }
  return Buffer.concat(parts);
}

export function logRecord(piece: Buffer, type: number): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(6), Buffer.from([type]), piece]);
  bytes.writeUInt16LE(piece.length, 4);
  bytes.writeUInt32LE(maskedCrc32c(bytes, 6, bytes.length), 0);
  return bytes;
}

/** Seven bits a byte, the low ones first. */
export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  return Buffer.from([...bytes, rest]);
}

/** With its length before it. */
export const lengthed = (text: string): Buffer => Buffer.concat([varint(text.length), Buffer.from(text)]);

/** An edit of the manifest that adds a table. */
export const newFile = (number: number): Buffer =>
  Buffer.concat([...[7, 0, number, 2349].map(varint), lengthed("first"), lengthed("last")]);

export interface Table {
  readonly bytes: Buffer;
  /** Where its blocks begin; behind them are the metaindex, the index and the footer. */
  readonly blocks: readonly number[];
  readonly metaindexAt: number;
  readonly indexAt: number;
  readonly footerAt: number;
}

/** A table of these blocks, its index packed, as it is, or said to be packed. */
export function tableOf(
  blocks: readonly Buffer[],
  { packed = false }: { readonly packed?: boolean | "wrongly" } = {},
): Table {
  let bytes = Buffer.alloc(0);
  const put = (content: Buffer, kind: number): Buffer => {
    const block = Buffer.concat([content, Buffer.from([kind])]);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(maskedCrc32c(block, 0, block.length));
    const place = Buffer.concat([varint(bytes.length), varint(content.length)]);
    bytes = Buffer.concat([bytes, block, checksum]);
    return place;
  };
  const starts: number[] = [];
  const places = blocks.map((block) => {
    starts.push(bytes.length);
    return put(block, 0);
  });
  const metaindexAt = bytes.length;
  const metaindex = put(indexOf([]), 0);
  const indexAt = bytes.length;
  const content = indexOf(places);
  const index = put(packed === true ? literal(content) : content, packed ? 1 : 0);
  const footerAt = bytes.length;
  const footer = Buffer.concat([metaindex, index, Buffer.alloc(40)]).subarray(0, 40);
  bytes = Buffer.concat([bytes, footer, Buffer.from("57fb808b247547db", "hex")]);
  return { bytes, blocks: starts, metaindexAt, indexAt, footerAt };
}

/** Each entry shares a letter with the one before; there are as many restarts as entries. */
function indexOf(places: readonly Buffer[]): Buffer {
  const entries = places.map((place, number) => {
    const rest = Buffer.from(`${number}`);
    return Buffer.concat([...[number === 0 ? 0 : 1, rest.length, place.length].map(varint), rest, place]);
  });
  const restarts = Buffer.alloc(4 * (places.length + 1));
  restarts.writeUInt32LE(places.length, 4 * places.length);
  return Buffer.concat([...entries, restarts]);
}

/** Snappy that packs nothing: one long literal. */
function literal(bytes: Buffer): Buffer {
  return Buffer.concat([varint(bytes.length), Buffer.from([60 << 2, bytes.length - 1]), bytes]);
}

/** A copy with one bit turned. */
export function withBit(bytes: Buffer, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return changed;
}

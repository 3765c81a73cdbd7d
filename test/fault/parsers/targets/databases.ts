// Database files: snapshots of etcd (bbolt) and the files of LevelDB. Each number in them may be wrong.

import { open } from "node:fs/promises";
import { readEtcd } from "../../../../src/features/import/sources/etcd/snapshot.ts";
import { SourceError } from "../../../../src/features/import/sources/source.ts";
import { ByteReader } from "../../../../src/storage/level/files/byte-reader.ts";
import { maskedCrc32c } from "../../../../src/storage/level/files/crc32c.ts";
import { readLog } from "../../../../src/storage/level/files/log-records.ts";
import { tablesOf } from "../../../../src/storage/level/files/manifest.ts";
import { unpackSnappy } from "../../../../src/storage/level/files/snappy.ts";
import { findDamagedBlock } from "../../../../src/storage/level/files/table-blocks.ts";
import { etcdFile, type Written } from "../../../support/etcd-file.ts";
import { mustHold, type ParserTarget } from "../target.ts";
import { fileWith } from "../temporary-file.ts";

const written = (count: number): Written[] =>
  Array.from({ length: count }, (_, at) => ({
    key: `/registry/example.com/notes/n${at}`,
    value: Buffer.from(`{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"n${at}"}}`),
  }));

export const BBOLT_TARGET: ParserTarget = {
  seeds: () => [
    etcdFile(written(3), { pageSize: 1024 }),
    etcdFile(written(30), { pageSize: 1024, perPage: 3 }),
    etcdFile(written(2), { pageSize: 1024, isLittle: false, withSum: true }),
  ],
  tokens: ["\xed\xda\x0c\xed", "key", "meta", "\x01\x00", "\x02\x00", "\x10\x00", "_", "t"],
  async run(input) {
    const file = await open(fileWith(input, "snapshot.db"));
    try {
      let found = 0;
      for await (const _item of readEtcd(file, "a")) found++;
      mustHold(found <= input.length + 10, "there are no more objects than bytes");
    } finally {
      await file.close();
    }
  },
  isExpected: (error) => error instanceof SourceError,
};

/** One complete record of a log. */
function record(bytes: Buffer): Buffer {
  const out = Buffer.alloc(7 + bytes.length);
  out.writeUInt16LE(bytes.length, 4);
  out[6] = 1;
  bytes.copy(out, 7);
  out.writeUInt32LE(maskedCrc32c(out, 6, out.length), 0);
  return out;
}

/** A manifest: the comparator, the log's number, a table of level 0. */
const EDIT = Buffer.from(
  "\x01\x1aleveldb.BytewiseComparator\x02\x05\x03\x06\x04\x00\x07\x00\x04\x10\x01a\x01b",
  "latin1",
);

export const LEVEL_LOG_TARGET: ParserTarget = {
  seeds: () => [record(EDIT), Buffer.concat([record(EDIT), record(EDIT)])],
  tokens: ["\x00\x00\x00\x00\x00\x00\x00", "\x01", "\x02", "\x04", "\xff\xff"],
  run(input) {
    const { batches } = readLog(input);
    mustHold(
      batches.reduce((sum, { length }) => sum + length, 0) <= input.length,
      "batches are parts of the log",
    );
    tablesOf(input);
    if (batches.length === 0) tablesOf(record(input.subarray(7, 30_000)));
  },
  isExpected: (error) => error instanceof RangeError && isOwn(error),
};

/** Blocks get valid checksums, so that the parser reaches their content. */
export const LEVEL_TABLE_TARGET: ParserTarget = {
  seeds: () => [Buffer.from("\x05\x10hello", "latin1"), Buffer.from("\x09\x10hello\x01\x05", "latin1")],
  tokens: [
    "\xf0\xff",
    "\xf4\xff\xff",
    "\xff\xff\xff\xff\x0f",
    "\x01\x00",
    "\x03\xff\xff\xff\xff",
    "\x00\x01\x01ab",
  ],
  run(input) {
    findDamagedBlock(input);
    findDamagedBlock(Buffer.concat([input, Buffer.from("57fb808b247547db", "hex")]));
    const reader = new ByteReader(input);
    if (input.length > 0) reader.varint();
    unpackSnappy(input);
  },
  isExpected: (error) => error instanceof RangeError && isOwn(error),
};

/** False for errors thrown by Node or V8: their messages contain no cause that a caller could report. */
const isOwn = (error: RangeError): boolean =>
  !("code" in error) && !/call stack|Invalid|length/.test(error.message);

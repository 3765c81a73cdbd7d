// Reads the live tables of a database from LevelDB's manifest, a log of added and removed files. Tables that it does
// not name are unfinished, and LevelDB removes them.
import { ByteReader } from "./byte-reader.ts";
import { readLog } from "./log-records.ts";

const COMPARATOR = 1;
const LOG_NUMBER = 2;
const NEXT_FILE = 3;
const LAST_SEQUENCE = 4;
const COMPACT_POINTER = 5;
const DELETED_FILE = 6;
const NEW_FILE = 7;
const PREVIOUS_LOG = 9;

/** The numbers of the tables. Throws RangeError when the manifest cannot be read; LevelDB reports that itself. */
export function tablesOf(manifest: Buffer): ReadonlySet<number> {
  const tables = new Set<number>();
  for (const edit of readLog(manifest).batches) {
    const reader = new ByteReader(edit);
    while (!reader.done) readField(reader, tables);
  }
  return tables;
}

function readField(reader: ByteReader, tables: Set<number>): void {
  const tag = reader.varint();
  switch (tag) {
    case COMPARATOR:
      reader.text();
      return;
    case LOG_NUMBER:
    case NEXT_FILE:
    case LAST_SEQUENCE:
    case PREVIOUS_LOG:
      reader.varint();
      return;
    case COMPACT_POINTER:
      reader.varint();
      reader.text();
      return;
    case DELETED_FILE:
      reader.varint(); // its level
      tables.delete(reader.varint());
      return;
    case NEW_FILE:
      reader.varint(); // its level
      tables.add(reader.varint());
      reader.varint(); // its size
      reader.text(); // its first key
      reader.text(); // its last key
      return;
    default:
      throw new RangeError(`the manifest has a field ${tag}`);
  }
}

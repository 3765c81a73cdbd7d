// The durable engine: one LevelDB folder, held by one process. Records are as record-codec.ts draws them; beside them there
// are two meta keys, the format version and the compacted revision.
import { Level } from "level";
import { inSlices } from "../../meta/lists.ts";
import type { Revision } from "../../meta/revision.ts";
import { damagedData, type Engine, type EngineBatch, FIRST_REVISION, type StoredRecord } from "../engine.ts";
import { eventKey } from "../store-events.ts";
import { checkFiles } from "./files/check-files.ts";
import { openError, otherFormatError, readError } from "./level-errors.ts";
import { keepToOwner } from "./owner-only.ts";
import {
  decodeRecord,
  decodeRevision,
  encodeRecordKey,
  encodeRecordValue,
  encodeRevision,
  RECORDS_FROM,
  RECORDS_TO,
} from "./record-codec.ts";

type Database = Level<Buffer, Buffer>;

interface WriteOptions {
  readonly sync: boolean;
}

interface Put {
  readonly type: "put";
  readonly key: Buffer;
  readonly value: Buffer;
}

interface Del {
  readonly type: "del";
  readonly key: Buffer;
}

/** Raised whenever a record or meta key changes its meaning. */
export const FORMAT_VERSION = "1";

const META_FORMAT = Buffer.from("m:format");
const META_COMPACTED = Buffer.from("m:compacted");
/** So many take about 2 ms to be handed to LevelDB. */
const OPERATIONS_AT_ONCE_MAX = 256;
const LOAD_PAGE_RECORDS = 1000;
const LOAD_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * Throws LOCKED, FORMAT_VERSION or UNREADABLE. The folder is made when it is not there. It and its files are for their
 * owner alone; for files that LevelDB makes later the folder sees to that, and the umask of the process.
 */
export async function openLevelEngine(folder: string): Promise<Engine> {
  await checkFiles(folder);
  await makeOwnersAlone(folder);
  const db: Database = new Level(folder, { keyEncoding: "buffer", valueEncoding: "buffer" });
  try {
    await db.open();
  } catch (error) {
    throw openError(folder, error);
  }
  try {
    await keepToOwner(folder);
    await checkFormat(db, folder);
  } catch (error) {
    await db.close();
    throw readError(folder, error);
  }
  return {
    location: folder,
    async load() {
      return { compacted: await readCompacted(db, folder), records: readRecords(db, folder) };
    },
    write(batch) {
      // A batch that only forgets can be repeated, so it need not wait for the disk.
      const sync = batch.changes.length > 0 || batch.compacted !== undefined;
      if (operationCount(batch) > OPERATIONS_AT_ONCE_MAX) return writeInSlices(db, batch, { sync });
      return db.batch([...operations(batch)], { sync });
    },
    close: () => db.close(),
  };
}

async function makeOwnersAlone(folder: string): Promise<void> {
  try {
    await keepToOwner(folder);
  } catch (error) {
    throw openError(folder, error);
  }
}

async function checkFormat(db: Database, folder: string): Promise<void> {
  const found = await db.get(META_FORMAT);
  if (found?.toString() === FORMAT_VERSION) return;
  if (found !== undefined)
    throw otherFormatError(folder, `in format ${found}, this version reads ${FORMAT_VERSION}`);
  const [someKey] = await db.keys({ limit: 1 }).all();
  if (someKey !== undefined) throw otherFormatError(folder, "of another program");
  await db.put(META_FORMAT, Buffer.from(FORMAT_VERSION), { sync: true });
}

async function readCompacted(db: Database, folder: string): Promise<Revision> {
  try {
    const bytes = await db.get(META_COMPACTED);
    const revision = bytes === undefined ? FIRST_REVISION : decodeRevision(bytes);
    if (revision !== undefined) return revision;
  } catch (error) {
    throw readError(folder, error);
  }
  throw damagedData(folder, "the compacted revision cannot be read");
}

async function* readRecords(db: Database, folder: string): AsyncGenerator<readonly StoredRecord[]> {
  const iterator = db.iterator({ gte: RECORDS_FROM, lt: RECORDS_TO, highWaterMarkBytes: LOAD_PAGE_BYTES });
  try {
    for (;;) {
      const page = await iterator.nextv(LOAD_PAGE_RECORDS);
      if (page.length === 0) return;
      yield page.map(([key, value]) => {
        const record = decodeRecord(key, value);
        if (record === undefined) throw damagedData(folder, `record ${key.toString("hex")} cannot be read`);
        return record;
      });
    }
  } catch (error) {
    throw readError(folder, error);
  } finally {
    await iterator.close();
  }
}

/** An array becomes LevelDB's batch in one go, and at a higher price for each operation. */
async function writeInSlices(db: Database, batch: EngineBatch, options: WriteOptions): Promise<void> {
  const chained = db.batch();
  try {
    await inSlices(operations(batch), (operation) => {
      if (operation.type === "put") chained.put(operation.key, operation.value);
      else chained.del(operation.key);
    });
    await chained.write(options);
  } finally {
    await chained.close();
  }
}

function* operations(batch: EngineBatch): Generator<Put | Del, undefined> {
  for (const { revision, events } of batch.changes) {
    for (const [ordinal, event] of events.entries()) {
      const key = encodeRecordKey({ revision, key: eventKey(event) });
      yield { type: "put", key, value: encodeRecordValue(key, event, ordinal) };
    }
  }
  for (const id of batch.forget) yield { type: "del", key: encodeRecordKey(id) };
  if (batch.compacted !== undefined) {
    yield { type: "put", key: META_COMPACTED, value: encodeRevision(batch.compacted) };
  }
}

function operationCount({ changes, forget }: EngineBatch): number {
  let count = forget.length;
  for (const { events } of changes) count += events.length;
  return count;
}

// The durable engine: one LevelDB folder, held by one process. Records are as record-codec.ts draws them; beside them there
// are two meta keys, the format version and the compacted revision.

import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { Level } from "level";
import { inSlices } from "../../meta/lists.ts";
import type { Revision } from "../../meta/revision.ts";
import { damagedData, type Engine, type EngineBatch, FIRST_REVISION, type StoredRecord } from "../engine.ts";
import { eventKey, StoreError } from "../store.ts";
import { checkFiles } from "./files/check-files.ts";
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

// LevelDB's failures, told in one line that names the folder and what to do.

/** Why a folder cannot be opened, as LOCKED or UNREADABLE. */
export function openError(folder: string, error: unknown): StoreError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = errorCode(cause);
  if (code === "LEVEL_LOCKED") {
    const message = `the data folder ${folder} is in use by another process: stop that one, or choose another folder`;
    return new StoreError("LOCKED", message, { cause });
  }
  if (code === "LEVEL_CORRUPTION") return damagedData(folder, reasonOf(cause), { cause });
  const message = `the data folder ${folder} cannot be opened (${reasonOf(cause)}): make it a folder this process may write to`;
  return new StoreError("UNREADABLE", message, { cause });
}

/** That a folder holds data of another program or version: FORMAT_VERSION. */
export function otherFormatError(folder: string, whose: string): StoreError {
  const message = `the data folder ${folder} holds data ${whose}: choose another folder, or move this one away`;
  return new StoreError("FORMAT_VERSION", message);
}

/** What reading stored records can fail with: LevelDB's own checks found the damage. */
export function readError(folder: string, cause: unknown): StoreError {
  return cause instanceof StoreError ? cause : damagedData(folder, reasonOf(cause), { cause });
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// A store is its owner's alone: the folder, and the files in it, which LevelDB makes as the process' umask lets it.

const FOLDER_MODE = 0o700;
/** What everybody but the owner may do. */
const OTHERS = 0o077;
/** What LevelDB writes. */
const OWN_FILES = /^(?:CURRENT|LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(?:ldb|log|sst|dbtmp))$/;
/** What else a server keeps there, under modes of its own. */
const OTHER_ENTRIES = new Set(["pki"]);

/**
 * Makes the folder, or takes it and the store's files from everybody else. A folder that holds other things, too, is
 * left as it is. What belongs to somebody else cannot be changed, and is left. Rejects when the folder cannot be made
 * or read.
 */
export async function keepToOwner(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  const names = await readdir(folder);
  const own = names.filter((name) => OWN_FILES.test(name)).map((name) => join(folder, name));
  const isStoreAlone = names.every((name) => OWN_FILES.test(name) || OTHER_ENTRIES.has(name));
  await Promise.all([...own, ...(isStoreAlone ? [folder] : [])].map((path) => takeFromOthers(path)));
}

/** What the owner himself may not do stays so. */
async function takeFromOthers(path: string): Promise<void> {
  try {
    const { mode } = await stat(path);
    if ((mode & OTHERS) !== 0) await chmod(path, mode & 0o7777 & ~OTHERS);
  } catch (error) {
    ignoreForeign(error);
  }
}

/** Of another owner, on a disk that keeps no modes, or gone meanwhile. */
function ignoreForeign(error: unknown): void {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "EPERM" && code !== "ENOENT" && code !== "ENOTSUP" && code !== "EROFS") throw error;
}

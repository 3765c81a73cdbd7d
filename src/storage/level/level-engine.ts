// The durable engine: one LevelDB folder, locked by one process. record-codec.ts defines the records; meta keys beside
// them hold the format version and the compacted revision.

import { constants } from "node:fs";
import { lstat, open, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { Level } from "level";
import { elapsedMs, systemClock } from "../../apimachinery/meta/clock.ts";
import { secureDataFolder } from "../../apimachinery/meta/files/data-folder.ts";
import { NO_FOLLOW } from "../../apimachinery/meta/files/ownership.ts";
import { ForeignFileError } from "../../apimachinery/meta/files/private-file.ts";
import { makeFolder } from "../../apimachinery/meta/folders.ts";
import { inSlices } from "../../apimachinery/meta/lists.ts";
import type { Revision } from "../../apimachinery/meta/revision.ts";
import {
  damagedData,
  type Engine,
  type EngineBatch,
  FIRST_REVISION,
  reasonOf,
  type StoredRecord,
} from "../engine.ts";
import { eventKey, type StoreChange, StoreError } from "../store.ts";
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
type ChainedBatch = ReturnType<Database["batch"]>;

/** Raised whenever a record or meta key changes its meaning. */
export const FORMAT_VERSION = "1";

const META_FORMAT = Buffer.from("m:format");
const META_COMPACTED = Buffer.from("m:compacted");
/** Written once all values have passed a deep screen. Folders of a restore or of an older release lack it. */
const META_SCREENED = Buffer.from("m:screened");
const SCREENED = "1";
const LOAD_PAGE_RECORDS = 1000;
const LOAD_PAGE_BYTES = 4 * 1024 * 1024;
/**
 * Limit of LevelDB's open files, each of which may take a file descriptor. A running server reads tables only to
 * compact them.
 */
const OPEN_TABLES_MAX = 100;

/**
 * Whether a write waits for fsync. Without it a write survives the end of the process, but not a failure of the
 * machine.
 */
export interface Durability {
  readonly sync: boolean;
}

/**
 * Throws LOCKED, FORMAT_VERSION or UNREADABLE. Creates the folder if it is missing. The folder and its files are
 * accessible to their owner only. Files that LevelDB creates later are protected by the folder's mode and the process'
 * umask.
 */
export async function openLevelEngine(folder: string, durability: Durability = DURABLE): Promise<Engine> {
  return engineOn(await openDatabase(folder), folder, durability);
}

const DURABLE: Durability = { sync: true };

/** Opens the database that openLevelEngine uses. */
export async function openDatabase(folder: string): Promise<Database> {
  refuseForeign(folder);
  await checkFiles(folder);
  const db = await openLevel(folder);
  try {
    await keepToOwner(folder, HELD);
    await checkFormat(db, folder);
    return db;
  } catch (error) {
    await db.close();
    throw readError(folder, error);
  }
}

async function openLevel(folder: string): Promise<Database> {
  try {
    await keepToOwner(folder);
    await makeLock(folder);
    const db: Database = new Level(folder, {
      ...{ keyEncoding: "buffer", valueEncoding: "buffer", maxOpenFiles: OPEN_TABLES_MAX },
    });
    await db.open();
    return db;
  } catch (error) {
    throw openError(folder, error);
  }
}

export function engineOn(db: Database, folder: string, durability = DURABLE): Engine {
  return {
    location: folder,
    async load() {
      const isScreened = (await db.get(META_SCREENED))?.toString() === SCREENED;
      return { compacted: await readCompacted(db, folder), records: readRecords(db, folder), isScreened };
    },
    markScreened: () => db.put(META_SCREENED, Buffer.from(SCREENED)),
    write: (batch) => writeWithDescriptors(db, batch, durability),
    sizeBytes: () => sizeOf(folder),
    close: () => db.close(),
  };
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
  for await (const page of recordPages(db, folder)) {
    yield page.map(([key, value]) => {
      const record = decodeRecord(key, value);
      if (record === undefined) throw damagedData(folder, `record ${key.toString("hex")} cannot be read`);
      return record;
    });
  }
}

/** All records in LevelDB's order, which is that of revisions. */
export async function* recordPages(
  db: Database,
  folder: string,
): AsyncGenerator<readonly (readonly [Buffer, Buffer])[]> {
  const iterator = db.iterator({ gte: RECORDS_FROM, lt: RECORDS_TO, highWaterMarkBytes: LOAD_PAGE_BYTES });
  let reading = iterator.nextv(LOAD_PAGE_RECORDS);
  try {
    for (;;) {
      const page = await reading;
      if (page.length === 0) return;
      reading = iterator.nextv(LOAD_PAGE_RECORDS); // LevelDB reads ahead while the caller processes the page
      yield page;
    }
  } catch (error) {
    throw readError(folder, error);
  } finally {
    await reading.catch(() => []); // an error of the read-ahead concerns no caller any more
    await iterator.close();
  }
}

async function writeInSlices(db: Database, batch: EngineBatch, { sync }: Durability): Promise<void> {
  const { changes, forget, compacted } = batch;
  const written = db.batch();
  try {
    for (const change of changes) await putRecords(written, change);
    await inSlices(forget, (id) => written.del(encodeRecordKey(id)));
    if (compacted !== undefined) written.put(META_COMPACTED, encodeRevision(compacted));
    // A batch that only deletes records can be repeated, so it need not wait for the disk.
    await written.write({ sync: sync && (changes.length > 0 || compacted !== undefined) });
  } finally {
    await written.close();
  }
}

// Without a free file descriptor LevelDB cannot create a new log or table. It then refuses all further writes until it
// is opened again. Nothing of such a batch has been written, because its file could not be opened.

const DESCRIPTOR_PAUSE_MS = 50;
/** After this time the write fails. */
const DESCRIPTOR_WAIT_MS_MAX = 30_000;

/** Writes a batch; without free descriptors it waits for one and opens the database again. */
async function writeWithDescriptors(db: Database, batch: EngineBatch, durability: Durability): Promise<void> {
  const startedMs = elapsedMs();
  for (let pauseMs = DESCRIPTOR_PAUSE_MS; ; pauseMs *= 2) {
    try {
      if (db.status !== "open") await db.open();
      await writeInSlices(db, batch, durability);
      return;
    } catch (error) {
      if (!lacksDescriptors(error) || elapsedMs() - startedMs + pauseMs > DESCRIPTOR_WAIT_MS_MAX) throw error;
      await db.close();
      await new Promise<void>((resolve) => systemClock.after(pauseMs, resolve));
    }
  }
}

/** LevelDB passes on only the system's error text. */
function lacksDescriptors(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (/: Too many open files\b/.test(cause.message)) return true;
  return false;
}

async function putRecords(written: ChainedBatch, { revision, events }: StoreChange): Promise<void> {
  let ordinal = 0;
  await inSlices(events, (event) => {
    const key = encodeRecordKey({ revision, key: eventKey(event) });
    written.put(key, encodeRecordValue(key, event, ordinal++));
  });
}

// Maps LevelDB's failures to one-line messages that name the folder and what to do.

/** Maps a failed open to LOCKED or UNREADABLE. */
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

/** FORMAT_VERSION: the folder holds data of another program or version. */
export function otherFormatError(folder: string, whose: string): StoreError {
  const message = `the data folder ${folder} holds data ${whose}: choose another folder, or move this one away`;
  return new StoreError("FORMAT_VERSION", message);
}

/** Maps a failed read of stored records: LevelDB's own checks found damage. */
export function readError(folder: string, cause: unknown): StoreError {
  return cause instanceof StoreError ? cause : damagedData(folder, reasonOf(cause), { cause });
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

// Only the owner may access the folder and its files. LevelDB creates files by the process' umask.

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const LOCK = "LOCK";
/** The files of a store that this process has open. */
const HELD: ReadonlySet<string> = new Set([LOCK]);
/** Permission bits of group and others. */
const OTHERS = 0o077;
/** Names of the files that LevelDB writes. */
const OWN_FILES = /^(?:CURRENT|LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(?:ldb|log|sst|dbtmp))$/;
/** Other entries of a server in this folder, which have modes of their own. */
const OTHER_ENTRIES = new Set(["pki"]);
/** Ignored errors: a file of another owner, a disk without modes, or a file that was removed meanwhile. */
const LEFT_ALONE: ReadonlySet<unknown> = new Set(["EPERM", "EACCES", "ELOOP", "ENOENT", "ENOTSUP", "EROFS"]);

/**
 * Creates the folder, or removes the access of other users to it and to the store's files. The mode of a folder that
 * also holds unrelated entries is not changed. Files of another owner cannot be changed and are skipped. Rejects when
 * the folder cannot be created or read.
 */
export async function keepToOwner(named: string, except: ReadonlySet<string> = new Set()): Promise<void> {
  makeFolder(named, FOLDER_MODE);
  const folder = await realpath(named);
  const names = await readdir(folder);
  const own = names
    .filter((name) => OWN_FILES.test(name) && !except.has(name))
    .map((name) => join(folder, name));
  const isStoreAlone = names.every((name) => OWN_FILES.test(name) || OTHER_ENTRIES.has(name));
  await Promise.all([...own, ...(isStoreAlone ? [folder] : [])].map((path) => takeFromOthers(path)));
}

/**
 * Creates the lock file, which LevelDB would make readable by other users. Once LevelDB holds the lock the file must
 * not be opened here any more. Closing any descriptor of a file releases all POSIX record locks that the process has on
 * it.
 */
async function makeLock(folder: string): Promise<void> {
  try {
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | NO_FOLLOW;
    await (await open(join(folder, LOCK), flags, FILE_MODE)).close();
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** Checked before any file is read, changed or written. Throws UNREADABLE. */
function refuseForeign(folder: string): void {
  try {
    secureDataFolder(folder, {
      isOwnName: (name) => OWN_FILES.test(name) || OTHER_ENTRIES.has(name),
      isNoLink: (name) => OWN_FILES.test(name),
    });
  } catch (cause) {
    if (!(cause instanceof ForeignFileError)) return; // opening it reports the error
    throw new StoreError("UNREADABLE", `the data folder ${folder} cannot be used: ${cause.message}`, {
      cause,
    });
  }
}

/** Size of the store's own files; LevelDB may remove some meanwhile. */
async function sizeOf(folder: string): Promise<number> {
  const own = (await readdir(folder).catch(() => [])).filter((name) => OWN_FILES.test(name));
  const sizes = await Promise.all(
    own.map(async (name) => {
      try {
        return (await stat(join(folder, name))).size;
      } catch {
        return 0;
      }
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Removes the permissions of group and others; never adds permissions of the owner. Symbolic links are not followed:
 * another user may have just created one.
 */
async function takeFromOthers(path: string): Promise<void> {
  try {
    const { mode } = await lstat(path);
    if ((mode & OTHERS) === 0) return;
    await using file = await open(path, constants.O_RDONLY | NO_FOLLOW);
    await file.chmod(mode & 0o7777 & ~OTHERS);
  } catch (error) {
    if (!LEFT_ALONE.has(errorCode(error))) throw error;
  }
}

// The durable part of a store: it loads all records at the start, writes batches that survive a crash, and closes.
// Revisions, history and watches are implemented once above it, in mvcc/ and watch/.

import { inSlices } from "../apimachinery/meta/lists.ts";
import { type Revision, toRevision } from "../apimachinery/meta/revision.ts";
import { type StoreChange, StoreError, type StoreEvent } from "./store.ts";

/** The revision of a store without any write. */
export const FIRST_REVISION = toRevision(1);

/** The effect of one commit on one key. A record is written once and never rewritten; compaction deletes it. */
export interface StoredRecord {
  readonly revision: Revision;
  /** Its index among the operations of its commit. */
  readonly ordinal: number;
  readonly key: string;
  /** Undefined: the key was deleted. */
  readonly put: { readonly createRevision: Revision; readonly value: Uint8Array } | undefined;
}

/** Identifies a record: a commit touches a key at most once. */
export interface RecordId {
  readonly revision: Revision;
  readonly key: string;
}

export interface EngineBatch {
  /** Each event becomes a record. */
  readonly changes: readonly StoreChange[];
  /** Records to delete: no readable state needs them any more. */
  readonly forget: readonly RecordId[];
  /** The new compacted revision, if this batch moves it. */
  readonly compacted: Revision | undefined;
}

interface EngineContents {
  /** FIRST_REVISION when no batch has moved it yet. */
  readonly compacted: Revision;
  /** Every record by ascending revision; within one revision in any order. */
  readonly records: AsyncIterable<readonly StoredRecord[]>;
  /**
   * Whether a deep screen of every value has been recorded. Values that this process writes later are known to pass it.
   */
  readonly isScreened?: boolean;
}

export interface Engine {
  /** Names the storage backend in messages. */
  readonly location: string;
  /** Called once, before the first write. Throws UNREADABLE when the data is damaged. */
  load(): Promise<EngineContents>;
  /**
   * Writes all of the batch or nothing. Resolves when the batch would survive a crash. A batch that only deletes
   * records may be lost, since the next start deletes them again. The next call comes only after this one has settled.
   * A large batch is encoded in slices, so that it does not block the event loop.
   */
  write(batch: EngineBatch): Promise<void>;
  /** Records that all values have passed a deep screen, for later loads. Left out: the engine does not need one. */
  markScreened?(): Promise<void>;
  /** Size on disk in bytes; undefined: it uses no disk. */
  sizeBytes(): Promise<number | undefined>;
  close(): Promise<void>;
}

/** UNREADABLE: what is damaged, where, and what to do about it. */
export function damagedData(location: string, what: string, options?: ErrorOptions): StoreError {
  const advice = "restore the folder from a backup, or move it away to start empty";
  return new StoreError("UNREADABLE", `the data in ${location} is damaged: ${what}; ${advice}`, options);
}

/** The message of an error, for use within another message. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// An engine without a disk. It keeps the records in memory and shares their values with the store. The same engine can
// be opened again, so tests can restart a store without files. Its contents end with the process.

export function createMemoryEngine(): Engine {
  let compacted = FIRST_REVISION;
  const records = new Map<string, StoredRecord>(); // in the order of writes, which is that of revisions
  return {
    location: "memory",
    async load() {
      return { compacted, records: pageOf([...records.values()]) };
    },
    async write(batch) {
      await inSlices(recordsOf(batch.changes), (record) => records.set(recordName(record), record));
      await inSlices(batch.forget, (id) => records.delete(recordName(id)));
      compacted = batch.compacted ?? compacted;
    },
    sizeBytes: async () => undefined,
    async close() {},
  };
}

function* recordsOf(changes: readonly StoreChange[]): Generator<StoredRecord, undefined> {
  for (const { revision, events } of changes) {
    for (const [ordinal, event] of events.entries()) yield recordOf(event, revision, ordinal);
  }
}

function recordOf(event: StoreEvent, revision: Revision, ordinal: number): StoredRecord {
  if (event.type === "delete") return { revision, ordinal, key: event.key, put: undefined };
  const { key, createRevision, value } = event.kv;
  return { revision, ordinal, key, put: { createRevision, value } };
}

async function* pageOf(records: readonly StoredRecord[]): AsyncGenerator<readonly StoredRecord[]> {
  yield records;
}

function recordName({ revision, key }: RecordId): `${Revision} ${string}` {
  return `${revision} ${key}`;
}

// Failpoints, where a test can hold, fail or kill the store. A hook that throws has the effect of a broken disk at that
// point.

/**
 * beforeWrite: a group is staged; nothing of it has reached the engine.
 * duringWrite: the engine has received the group and is writing.
 * beforePublish: the group is durable, but not yet readable, published or acknowledged.
 * beforeAnswer: the group is readable and published to watchers; no commit is acknowledged yet. The hook cannot fail
 * the store here.
 * beforeCompaction: nothing is compacted yet. The compacted revision is then written and passes the points of a group.
 * duringCompaction: the compacted revision has moved; some of the freed records are not deleted yet. They are deleted
 * in slices, and each slice passes the points of a group.
 */
export const STORE_FAILPOINTS = [
  "beforeWrite",
  "duringWrite",
  "beforePublish",
  "beforeAnswer",
  "beforeCompaction",
  "duringCompaction",
] as const;

export type StoreFailpoint = (typeof STORE_FAILPOINTS)[number];

/** Called at each failpoint; a promise holds the store there until it settles. */
export type FailpointHook = (point: StoreFailpoint) => void | Promise<void>;

/** The default in production: nothing fails. */
export const noFailpoints: FailpointHook = () => undefined;

// What a store needs of its durable part: give back every record at start, write a batch so that it survives a crash,
// close. All meaning (revisions, history, watches) is made above it, once, in mvcc/ and watch/.

import { inSlices } from "../meta/lists.ts";
import { type Revision, toRevision } from "../meta/revision.ts";
import { type StoreChange, StoreError, type StoreEvent } from "./store.ts";

/** The revision of a store that nothing was ever written to. */
export const FIRST_REVISION = toRevision(1);

/** What one commit did to one key. A record is written once and never rewritten; compaction deletes it. */
export interface StoredRecord {
  readonly revision: Revision;
  /** Its place among the operations of its commit. */
  readonly ordinal: number;
  readonly key: string;
  /** Undefined: the key was deleted. */
  readonly put: { readonly createRevision: Revision; readonly value: Uint8Array } | undefined;
}

/** A commit touches a key at most once, so this names one record. */
export interface RecordId {
  readonly revision: Revision;
  readonly key: string;
}

export interface EngineBatch {
  /** Each event becomes a record. */
  readonly changes: readonly StoreChange[];
  /** Records that no readable state needs any more. */
  readonly forget: readonly RecordId[];
  /** The new compacted revision, if this batch moves it. */
  readonly compacted: Revision | undefined;
}

interface EngineContents {
  /** FIRST_REVISION when no batch has moved it yet. */
  readonly compacted: Revision;
  /** Every record by ascending revision; within one revision in any order. */
  readonly records: AsyncIterable<readonly StoredRecord[]>;
  /** Whether every value has passed a deep screen once. What this process writes later is known to pass it. */
  readonly isScreened?: boolean;
}

export interface Engine {
  /** Names the place in messages. */
  readonly location: string;
  /** Called once, before the first write. Throws UNREADABLE when the data is damaged. */
  load(): Promise<EngineContents>;
  /**
   * All of the batch or nothing. Resolves when it would survive a crash; a batch that only forgets records may be lost,
   * since forgetting is repeated at the next start. The next call comes only after this one has settled. A large batch
   * is taken in in slices, so that it does not hold the process.
   */
  write(batch: EngineBatch): Promise<void>;
  /** Records that all values have passed a deep screen, for later loads. Left out: they need none. */
  markScreened?(): Promise<void>;
  /** What it takes on a disk; undefined: none. */
  sizeBytes(): Promise<number | undefined>;
  close(): Promise<void>;
}

/** UNREADABLE: what is damaged, where, and what to do about it. */
export function damagedData(location: string, what: string, options?: ErrorOptions): StoreError {
  const advice = "restore the folder from a backup, or move it away to start empty";
  return new StoreError("UNREADABLE", `the data in ${location} is damaged: ${what}; ${advice}`, options);
}

/** What an error says, in a message that tells of more. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// An engine without a disk. It keeps the records (sharing their values with the store), so the same engine can be opened again:
// that is how a restart is tried without files. What it holds ends with the process.

/** An engine that keeps nothing beyond the process. */
export function createMemoryEngine(): Engine {
  let compacted = FIRST_REVISION;
  const records = new Map<string, StoredRecord>(); // in the order of writing, which is that of revisions
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

// Places where a test can hold, fail or kill the store. A hook that throws fails the store there as a broken disk would.

/**
 * beforeWrite: a group is staged, nothing of it has reached the engine.
 * duringWrite: the engine has been given the group and is at work.
 * beforePublish: the group is durable, but not yet readable, watched or answered.
 * beforeAnswer: the group is readable and watchers are told, nobody who wrote has been answered. It cannot fail here.
 * beforeCompaction: nothing is forgotten yet. The compacted revision is then written and passes the points of a group.
 * duringCompaction: the compacted revision has moved; some of the records it frees are still there.
 * What frees them is written slice by slice, and each slice passes the points of a group.
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

/** What production runs with: nothing fails. */
export const noFailpoints: FailpointHook = () => undefined;

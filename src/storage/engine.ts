// What a store needs of its durable part: give back every record at start, write a batch so that it survives a crash,
// close. All meaning (revisions, history, watches) is made above it, once, in mvcc/ and watch/.
import { type Revision, toRevision } from "../meta/revision.ts";
import type { StoreChange } from "./store.ts";
import { StoreError } from "./store-error.ts";

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
  close(): Promise<void>;
}

/** UNREADABLE: what is damaged, where, and what to do about it. */
export function damagedData(location: string, what: string, options?: ErrorOptions): StoreError {
  const advice = "restore the folder from a backup, or move it away to start empty";
  return new StoreError("UNREADABLE", `the data in ${location} is damaged: ${what}; ${advice}`, options);
}

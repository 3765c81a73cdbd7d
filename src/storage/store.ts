// The contract of a store: keys, bytes and one revision counter, as in etcd. Nothing here or below depends on
// Kubernetes objects. Two engines implement it (engine.ts, level/), and etcd/ as well; test/contract/store-contract.ts
// specifies it.
import type { Revision } from "../apimachinery/meta/revision.ts";
import type { StoreMetrics } from "./store-metrics.ts";

/**
 * One key at one revision. Instances are immutable and shared: the same key at the same revision is the same object.
 */
export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  /** The value is stored in an older format. Any write rewrites it, also one without changes. */
  readonly isStale?: boolean;
}

export type StoreEvent =
  | { readonly type: "put"; readonly kv: KeyValue; readonly prev: KeyValue | undefined }
  | { readonly type: "delete"; readonly key: string; readonly revision: Revision; readonly prev: KeyValue };

/** All changes of one revision, in the order of the commit's operations. */
export interface StoreChange {
  readonly revision: Revision;
  readonly events: readonly StoreEvent[];
}

export type TxnOp =
  | { readonly type: "create"; readonly key: string; readonly value: Uint8Array }
  | {
      readonly type: "update";
      readonly key: string;
      readonly value: Uint8Array;
      readonly ifModRevision: Revision;
    }
  | { readonly type: "delete"; readonly key: string; readonly ifModRevision: Revision };

/**
 * A precondition on a key that the commit does not write: the key must still have this mod revision (fencing token).
 */
export interface FencingToken {
  readonly key: string;
  readonly modRevision: Revision;
}

/**
 * Computes commits from the current state. Each becomes a revision of its own. A plan may run in slices and yield
 * between them. Nothing is written until it is done, so it must not wait for a write either.
 */
export type Plan = () => Commits | Promise<Commits>;
type Commits = readonly (readonly TxnOp[])[];

export interface TransformOptions {
  /**
   * Also compacts: the revision of the change becomes the oldest readable one. Watches that may expire do not receive
   * the change; their next() rejects with COMPACTED.
   */
  readonly forgetPast?: boolean;
}

/** Keys from (inclusive) to (exclusive), in byte order. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

export const EVERY_KEY: KeyRange = { from: "", to: "\uffff" };

/** Every key that starts with the prefix. The prefix must not be empty. */
export function prefixRange(prefix: string): KeyRange {
  const last = prefix.length - 1;
  return { from: prefix, to: prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1) };
}

export interface ListOptions {
  /** The state at this revision; left out: now. */
  readonly at?: Revision;
  /** Maximum number of items; left out: all. */
  readonly limit?: number;
}

export interface ListPage {
  readonly items: readonly KeyValue[];
  /** The revision whose state was read. */
  readonly revision: Revision;
  /** Number of keys of the range behind the last item. */
  readonly remaining: number;
}

/** A watch returns changes, or its end: "SLOW_CONSUMER" when it lagged too far, "CLOSED". */
export interface StoreWatch {
  /**
   * Returns all changes since the last call, oldest first; waits until there is one. Resolves to undefined once the
   * watch or the store is closed. Rejects with StoreError SLOW_CONSUMER when the watcher fell too far behind.
   */
  next(): Promise<readonly StoreChange[] | undefined>;
  close(): void;
}

/** Index terms of a selective watch, so that changes of other objects cost it nothing. */
export interface WatchTriggers {
  /**
   * Every change that the watch selects has an event with one of these triggers. The watch may receive other changes, too.
   */
  readonly any: readonly string[];
  /**
   * Returns the triggers of an event, those of its previous value included; undefined when they are unknown. Watches that
   * share this function share its results. Must not throw.
   */
  readonly of: (event: StoreEvent) => readonly string[] | undefined;
}

export interface WatchOptions {
  /** Selects changes with a higher revision than this, which may be in the future. */
  readonly after: Revision;
  /** The watch ends with COMPACTED after an intentional compaction. Without this it receives all changes. */
  readonly mayExpire?: boolean;
  /** Left out: all changes of the range. */
  readonly triggers?: WatchTriggers | undefined;
  /**
   * Called when the watch is terminated because it fell too far behind, even if no reader waits for it. Must not throw.
   */
  readonly dropped?: () => void;
}

export interface WatchMetrics {
  /** Number of open watches. */
  readonly open: number;
  /** Number of watches that were ever terminated because they fell too far behind. */
  readonly dropped: number;
}

export interface UnreadableValue {
  readonly key: string;
  readonly modRevision: Revision;
  readonly reason: string;
  /** undefined: another process holds the bytes. */
  readonly kv?: KeyValue | undefined;
  readonly error?: Error | undefined;
}

/** The keys whose values a store holds and cannot serve. */
export interface UnreadableKeys {
  readonly size: number;
  get(key: string): UnreadableValue | undefined;
  /** In the order of their keys. */
  all(): readonly UnreadableValue[];
}

/** Reads of the current state and of the history that is kept. */
export interface KeyValueReader {
  /** The newest readable revision. A new store starts at 1. */
  readonly revision: Revision;
  /** States before this revision and changes up to it can no longer be read. */
  readonly compactedRevision: Revision;
  /** Throws COMPACTED or FUTURE_REVISION when `at` cannot be read. */
  get(key: string, at?: Revision): KeyValue | undefined;
  list(range: KeyRange, options?: ListOptions): ListPage;
  /** Number of keys that the range holds now. */
  count(range: KeyRange): number;
  /** False: the store keeps only the existence of this key, and shows it with an empty value. */
  hasValue(key: string): boolean;
  /** The events of one key after the compacted revision, oldest first. `prev` of the first is the state before it. */
  changesOf(key: string): readonly StoreEvent[];
}

export interface KeyValueWriter {
  /**
   * All or nothing, one revision, durable when it resolves. Rejects with KEY_EXISTS (create of a present key) and
   * REVISION_MISMATCH (update or delete of a key that is absent or at another revision). Rejects with GUARDED when the
   * key of the fencing token has another revision. Rejects with CLOSED, and with UNREADABLE when a write has failed; the store then
   * rejects all further writes. The revision is readable and published to watchers in the same tick, before the promise
   * resolves.
   */
  commit(ops: readonly TxnOp[], fencingToken?: FencingToken): Promise<Revision>;
  /**
   * Runs a plan on the state just before its change; no commit comes in between. Earlier commits are done first, and
   * the plan sees them. All that the plan returns is written or nothing. It is made durable at once and becomes
   * readable in one tick. Resolves to the newest revision, which is the current one if the plan was empty. Rejects as
   * commit does, and with what the plan throws.
   */
  transform(plan: Plan, options?: TransformOptions): Promise<Revision>;
  /**
   * Compacts history: afterwards states before this revision are gone. Never touches the live state. Rejects with
   * FUTURE_REVISION; does nothing if the revision is already compacted.
   */
  compact(before: Revision): Promise<void>;
}

export interface Watchable {
  /** Throws COMPACTED when changes after that revision are no longer kept, CLOSED when the store is closed. */
  watch(range: KeyRange, options: WatchOptions): StoreWatch;
}

/** How current reads are where other processes write, too. */
export interface Freshness {
  /** Whether other processes may write as well. */
  readonly isShared: boolean;
  /**
   * Resolves when every write that any process has acknowledged before the call is readable here. Undefined if only
   * this process writes. Rejects with REFUSED and TIMEOUT.
   */
  caughtUp(): Promise<void> | undefined;
  /** Whether the revision can be read, waiting at most so long. */
  reaches(revision: Revision, withinMs: number): boolean | Promise<boolean>;
}

export interface StoreHealth {
  /** Why the store is temporarily unreliable; undefined: it is healthy. */
  readonly trouble: string | undefined;
  /** Updates `trouble` by a request to the storage backend; undefined: no request is needed. Never rejects. */
  look(): Promise<void> | undefined;
  /** Resolves to the error of the first failed write, after which all writes are rejected. Never rejects. */
  readonly failed: Promise<StoreError>;
  /** Values that are held and not served. Each is removed by a delete at its revision. */
  readonly unreadable: UnreadableKeys;
  /** The stored bytes of an unreadable value; undefined: it was removed meanwhile. Rejects with REFUSED and TIMEOUT. */
  bytesOfUnreadable(key: string): Promise<Uint8Array | undefined>;
}

export interface StoreMeasurements {
  /** True while a commit is queued, being written, or not readable yet. */
  readonly busy: boolean;
  readonly watches: WatchMetrics;
  /** Metrics of the store. */
  readonly metrics: StoreMetrics;
  /** Size of the storage backend in bytes; undefined: memory only, or the backend does not answer. */
  sizeBytes(): Promise<number | undefined>;
}

export interface Store
  extends KeyValueReader,
    KeyValueWriter,
    Watchable,
    Freshness,
    StoreHealth,
    StoreMeasurements,
    AsyncDisposable {}

// Helpers for events and changes that several parts of the store share.

/** The key that was written or deleted. */
export function eventKey(event: StoreEvent): string {
  return event.type === "put" ? event.kv.key : event.key;
}

/** The revision of the change. */
export function eventRevision(event: StoreEvent): Revision {
  return event.type === "put" ? event.kv.modRevision : event.revision;
}

function rangeHolds(range: KeyRange, key: string): boolean {
  return key >= range.from && key < range.to;
}

/** The part of a change within the range: the same object if all of it is, undefined if nothing is. */
export function changeWithin(change: StoreChange, range: KeyRange): StoreChange | undefined {
  const events = change.events.filter((event) => rangeHolds(range, eventKey(event)));
  if (events.length === 0) return undefined;
  return events.length === change.events.length ? change : { revision: change.revision, events };
}

/** Whether the store has no key at all; a key with an unreadable value counts. */
export const isEmpty = (store: Pick<Store, "count" | "unreadable">): boolean =>
  store.count(EVERY_KEY) === 0 && store.unreadable.size === 0;

/** Whether the store holds this value under the key, as far as it keeps values. */
export function holds(store: Pick<Store, "get" | "hasValue">, key: string, value: Uint8Array): boolean {
  const present = store.get(key);
  return present !== undefined && (!store.hasValue(key) || Buffer.compare(present.value, value) === 0);
}

// All error codes of a store. registry/ maps each code to a Status in one exhaustive switch.

export type StoreErrorCode =
  | "KEY_EXISTS"
  | "REVISION_MISMATCH"
  | "GUARDED"
  | "COMPACTED"
  | "FUTURE_REVISION"
  | "SLOW_CONSUMER"
  | "CLOSED"
  | "LOCKED"
  | "UNREADABLE"
  | "FORMAT_VERSION"
  /**
   * The storage backend rejected the request or failed; the message is its own text. The write may have been executed.
   */
  | "REFUSED"
  /** The storage backend did not answer in time. The write may have been executed. */
  | "TIMEOUT";

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.code = code;
  }
}

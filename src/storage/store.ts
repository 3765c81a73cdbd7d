// The contract of a store: keys, bytes and one revision counter, like etcd. Nothing here or below knows what a
// Kubernetes object is. Two engines keep it (engine.ts, level/); test/contract/store-contract.ts states it.
import type { Revision } from "../meta/revision.ts";
import type { StoreFigures } from "./store-figures.ts";
import type { UnreadableValues } from "./unreadable.ts";

/** One key at one revision. Instances are immutable and shared: the same key at the same revision is the same object. */
export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  /** What others read of it is in an older form: it is put right by a write, also by one that changes nothing. */
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

/** A key that must still be as it was at this revision. It is only looked at. */
export interface Guard {
  readonly key: string;
  readonly modRevision: Revision;
}

/**
 * Works out commits from the state as it is when it is called. Each becomes a revision of its own. It may do so in slices
 * that let others have their turn: nothing is written until it is done, so it must not wait for a write either.
 */
export type Plan = () => Commits | Promise<Commits>;
type Commits = readonly (readonly TxnOp[])[];

export interface TransformOptions {
  /**
   * Together with the change the past is forgotten: its revision becomes the oldest that can be read, and watches that
   * may expire see nothing of it, their next() rejects with COMPACTED.
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
  /** At most so many; left out: all. */
  readonly limit?: number;
}

export interface ListPage {
  readonly items: readonly KeyValue[];
  /** The revision whose state was read. */
  readonly revision: Revision;
  /** How many keys of the range lie behind the last item. */
  readonly remaining: number;
}

/** What a watch has to say when asked: changes, or that it ended ("SLOW_CONSUMER" when it lagged too far, "CLOSED"). */
export interface StoreWatch {
  /**
   * All changes since the last call, oldest first; waits until there is one. Resolves to undefined once the watch or
   * the store is closed; rejects with StoreError SLOW_CONSUMER when the watcher fell too far behind.
   */
  next(): Promise<readonly StoreChange[] | undefined>;
  close(): void;
}

/** By what a watch of few objects knows its changes, so that all others pass it by at no cost. */
export interface WatchMarks {
  /** Every change that the watch is for has an event with one of these. It may be given others too. */
  readonly any: readonly string[];
  /**
   * The marks of an event, of what was before as well; undefined when they cannot be told. Watches that share this
   * function share its work. Must not throw.
   */
  readonly of: (event: StoreEvent) => readonly string[] | undefined;
}

export interface WatchOptions {
  /** Changes with a higher revision than this; may lie in the future. */
  readonly after: Revision;
  /** Ends with COMPACTED when the past is forgotten on purpose; a watch that is left alone then sees all changes. */
  readonly mayExpire?: boolean;
  /** Left out: all changes of the range. */
  readonly marks?: WatchMarks | undefined;
  /** Told when the watch is dropped because it fell too far behind, whether anybody waits for it or not. Must not throw. */
  readonly dropped?: () => void;
}

export interface WatchFigures {
  /** Watches that stand open. */
  readonly open: number;
  /** Watches that were ever dropped because they fell too far behind. */
  readonly dropped: number;
}

export interface Store extends AsyncDisposable {
  /** The newest readable revision. A new store starts at 1. */
  readonly revision: Revision;
  /** States older than this revision can no longer be read, nor changes up to it be watched. */
  readonly compactedRevision: Revision;
  /** Throws COMPACTED or FUTURE_REVISION when `at` cannot be read. */
  get(key: string, at?: Revision): KeyValue | undefined;
  list(range: KeyRange, options?: ListOptions): ListPage;
  /** How many keys the range holds now. */
  count(range: KeyRange): number;
  /** False: of this key it keeps that it is there, and nothing else; it is shown with an empty value. */
  keepsValueOf(key: string): boolean;
  /** What is held and not shown. Each is removed by a delete at its revision. */
  readonly unreadable: UnreadableValues;
  /** The bytes of such a value as they are kept; undefined: they are gone meanwhile. Rejects with REFUSED and TIMEOUT. */
  bytesOfUnreadable(key: string): Promise<Uint8Array | undefined>;
  /** What happened to one key after the compacted revision, oldest first; `prev` of the first is what it was before. */
  changesOf(key: string): readonly StoreEvent[];
  /** Whether other processes may write as well. */
  readonly isShared: boolean;
  /**
   * Resolves when what anybody had been answered before, in whatever process, can be read here; undefined where nobody
   * but this process writes. Rejects with REFUSED and TIMEOUT.
   */
  caughtUp(): Promise<void> | undefined;
  /** Whether the revision can be read, at the latest after so long. */
  reaches(revision: Revision, withinMs: number): boolean | Promise<boolean>;
  /** True while something is being written, or waits to be: what has been committed and cannot be read yet. */
  readonly busy: boolean;
  readonly watches: WatchFigures;
  /** What it has done so far. */
  readonly figures: StoreFigures;
  /** What everything takes where it is kept; undefined: nothing beyond memory, or nobody answers. */
  sizeBytes(): Promise<number | undefined>;
  /** Why it cannot be relied on for now, and may be again; undefined: all is well. */
  readonly trouble: string | undefined;
  /** Brings `trouble` up to date where somebody has to be asked for that; undefined: nobody has. Never rejects. */
  look(): Promise<void> | undefined;
  /** Resolves to the first write that has failed: from then on nothing is written. Never rejects. */
  readonly failed: Promise<StoreError>;
  /**
   * All or nothing, one revision, durable when it resolves. Rejects with KEY_EXISTS (create of a present key),
   * REVISION_MISMATCH (update or delete of a key that is absent or at another revision), CLOSED, or UNREADABLE when a
   * write has failed (the store then refuses all further writes). With a guard whose key is another one by now: GUARDED.
   * The revision is readable and published to watchers in the same tick, before the promise resolves.
   */
  commit(ops: readonly TxnOp[], guard?: Guard): Promise<Revision>;
  /**
   * A change that is worked out from the state just before it: nothing can come between. What was to be committed
   * earlier is done earlier, and the plan sees it. All that the plan says is done or nothing, is durable at once, and
   * becomes readable in one tick. Resolves to the newest revision, which is the present one when there was nothing to
   * do. Rejects as commit does, and with what the plan throws.
   */
  transform(plan: Plan, options?: TransformOptions): Promise<Revision>;
  /** Throws COMPACTED when changes after that revision are no longer kept, CLOSED when the store is closed. */
  watch(range: KeyRange, options: WatchOptions): StoreWatch;
  /**
   * Forgets history: afterwards states before this revision are gone. Never touches the live state. Rejects with
   * FUTURE_REVISION; does nothing when more than that is forgotten already.
   */
  compact(before: Revision): Promise<void>;
}

// Small questions about events and changes that several parts of the store ask.

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

/** The part of a change that lies in the range: the same object if all of it does, undefined if nothing does. */
export function changeWithin(change: StoreChange, range: KeyRange): StoreChange | undefined {
  const events = change.events.filter((event) => rangeHolds(range, eventKey(event)));
  if (events.length === 0) return undefined;
  return events.length === change.events.length ? change : { revision: change.revision, events };
}

/** Whether the store holds no key at all; one whose value cannot be read counts. */
export const isEmpty = (store: Pick<Store, "count" | "unreadable">): boolean =>
  store.count(EVERY_KEY) === 0 && store.unreadable.size === 0;

/** Whether the store holds this under the key, as far as it keeps it. */
export function holds(store: Pick<Store, "get" | "keepsValueOf">, key: string, value: Uint8Array): boolean {
  const present = store.get(key);
  return present !== undefined && (!store.keepsValueOf(key) || Buffer.compare(present.value, value) === 0);
}

// The closed set of what can go wrong in a store. registry/ turns each code into a Status in one exhaustive switch.

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
  /** Whoever keeps the data has refused, or failed; the message is in its words. What was to be written may have been. */
  | "REFUSED"
  /** It did not answer in time: the same holds. */
  | "TIMEOUT";

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.code = code;
  }
}

// The contract of a store: keys, bytes and one revision counter, like etcd. Nothing here or below knows what a
// Kubernetes object is. Two engines keep it (storage/memory, storage/level); test/contract/store-contract.ts states it.
import type { Revision } from "../meta/revision.ts";

/** One key at one revision. Instances are immutable and shared: the same key at the same revision is the same object. */
export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
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

/** Keys from (inclusive) to (exclusive), in byte order. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

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

export interface WatchOptions {
  /** Changes with a higher revision than this; may lie in the future. */
  readonly after: Revision;
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
  /**
   * All or nothing, one revision, durable when it resolves. Rejects with KEY_EXISTS (create of a present key),
   * REVISION_MISMATCH (update or delete of a key that is absent or at another revision), CLOSED, or UNREADABLE when a
   * write has failed (the store then refuses all further writes).
   * The revision is readable and published to watchers in the same tick, before the promise resolves.
   */
  commit(ops: readonly TxnOp[]): Promise<Revision>;
  /** Throws COMPACTED when changes after that revision are no longer kept, CLOSED when the store is closed. */
  watch(range: KeyRange, options: WatchOptions): StoreWatch;
  /**
   * Forgets history: afterwards states before this revision are gone. Never touches the live state. Rejects with
   * FUTURE_REVISION; does nothing when more than that is forgotten already.
   */
  compact(before: Revision): Promise<void>;
}

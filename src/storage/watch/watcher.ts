// One watcher: a bounded list of unread changes, and at most one waiting reader.
import type { Revision } from "../../apimachinery/meta/revision.ts";
import { type StoreChange, StoreError, type StoreWatch } from "../store.ts";

/** A watcher with more unread changes than this is terminated. */
export interface UnreadLimits {
  readonly changesMax: number;
  /** Bytes of the values in them, which the watcher may be the only one to keep in memory. */
  readonly bytesMax: number;
}

/**
 * Changes are shared and cost a watcher one pointer. Changes that history has compacted are kept in memory by their
 * watchers alone.
 */
export const DEFAULT_UNREAD_LIMITS: UnreadLimits = { changesMax: 10_000, bytesMax: 64 * 1024 * 1024 };

export interface WatcherOptions {
  /** The watcher skips changes up to this revision. */
  readonly after: Revision;
  readonly mayExpire: boolean;
  /** Changes before the watch was opened; they do not count as unread, however many there are. */
  readonly backlog: StoreChange[];
  readonly unread: UnreadLimits;
  /** Called when the watcher has fallen too far behind. */
  dropped(): void;
  /** Removes the watcher from the hub. */
  leave(watcher: Watcher): void;
}

interface Reader {
  resolve(changes: readonly StoreChange[] | undefined): void;
  reject(error: StoreError): void;
}

export class Watcher implements StoreWatch {
  readonly #options: WatcherOptions;
  #pending: StoreChange[];
  /** Number of changes that were offered since the reader last took some. */
  #unread = 0;
  #unreadBytes = 0;
  #reader: Reader | undefined;
  /** Why it has failed, or that it was closed; undefined while it is open. */
  #ended: StoreError | "closed" | undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#pending = options.backlog;
  }

  get mayExpire(): boolean {
    return this.#options.mayExpire;
  }

  next(): Promise<readonly StoreChange[] | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#reader !== undefined) throw new TypeError("the watch is already being waited for");
      this.#reader = { resolve, reject };
      this.wake();
    });
  }

  close(): void {
    if (this.#ended === undefined) this.#options.leave(this);
    this.#end("closed");
    this.wake();
  }

  /**
   * Appends a change whose values have so many bytes. Returns whether a reader must be woken once the group is
   * complete.
   */
  offer(change: StoreChange, bytes: number): boolean {
    if (this.#ended !== undefined || change.revision <= this.#options.after) return false;
    const { changesMax, bytesMax } = this.#options.unread;
    if (this.#unread >= changesMax || (this.#unread > 0 && this.#unreadBytes + bytes > bytesMax)) {
      this.#fail(laggedError(this.#options.unread));
      this.#options.dropped();
      return this.#reader !== undefined;
    }
    this.#pending.push(change);
    this.#unread++;
    this.#unreadBytes += bytes;
    return this.#unread === 1 && this.#reader !== undefined;
  }

  /** Answers the waiting reader if there is a result. */
  wake(): void {
    const reader = this.#reader;
    if (reader === undefined || (this.#ended === undefined && this.#pending.length === 0)) return;
    this.#reader = undefined;
    if (this.#ended === undefined) reader.resolve(this.#take());
    else if (this.#ended === "closed") reader.resolve(undefined);
    else reader.reject(this.#ended);
  }

  /** Ends the watch if it may expire or must. Unread changes are dropped. */
  expire(failure: StoreError, must = false): void {
    if (this.#ended !== undefined || (!must && !this.mayExpire)) return;
    this.#fail(failure);
    this.wake();
  }

  #fail(failure: StoreError): void {
    this.#options.leave(this);
    this.#end(failure);
  }

  #end(why: StoreError | "closed"): void {
    this.#ended = why;
    this.#pending = [];
  }

  #take(): readonly StoreChange[] {
    const changes = this.#pending;
    this.#pending = [];
    this.#unread = 0;
    this.#unreadBytes = 0;
    return changes;
  }
}

function laggedError({ changesMax, bytesMax }: UnreadLimits): StoreError {
  const limits = `${changesMax} changes or ${bytesMax} bytes`;
  return new StoreError("SLOW_CONSUMER", `the watch was dropped: more than ${limits} were left unread`);
}

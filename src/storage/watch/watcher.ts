// One watcher: a bounded list of unread changes, and at most one reader that waits for the next of them.
import type { Revision } from "../../meta/revision.ts";
import type { StoreChange, StoreWatch } from "../store.ts";
import { StoreError } from "../store-error.ts";

export interface WatcherOptions {
  /** Changes up to this revision are not for this watcher. */
  readonly after: Revision;
  /** What happened before the watcher was there; it does not count as unread, however long it is. */
  readonly backlog: StoreChange[];
  readonly unreadMax: number;
  /** Takes the watcher out of the hub. */
  leave(watcher: Watcher): void;
}

interface Reader {
  resolve(changes: readonly StoreChange[] | undefined): void;
  reject(error: StoreError): void;
}

export class Watcher implements StoreWatch {
  readonly #options: WatcherOptions;
  #pending: StoreChange[];
  /** How many changes were offered since the reader last took some. */
  #unread = 0;
  #reader: Reader | undefined;
  #state: "open" | "closed" | "lagged" = "open";

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#pending = options.backlog;
  }

  next(): Promise<readonly StoreChange[] | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#reader !== undefined) throw new TypeError("the watch is already being waited for");
      this.#reader = { resolve, reject };
      this.wake();
    });
  }

  close(): void {
    if (this.#state === "closed") return;
    if (this.#state === "open") this.#options.leave(this);
    this.end();
  }

  /** Takes a change in, and says whether a reader has to be woken for it once the whole group is in. */
  offer(change: StoreChange): boolean {
    if (this.#state !== "open" || change.revision <= this.#options.after) return false;
    if (this.#unread >= this.#options.unreadMax) {
      this.#pending = [];
      this.#state = "lagged";
      this.#options.leave(this);
      return this.#reader !== undefined;
    }
    this.#pending.push(change);
    this.#unread++;
    return this.#unread === 1 && this.#reader !== undefined;
  }

  /** Answers the waiting reader if there is something to say. */
  wake(): void {
    const reader = this.#reader;
    if (reader === undefined || (this.#state === "open" && this.#pending.length === 0)) return;
    this.#reader = undefined;
    if (this.#state === "closed") reader.resolve(undefined);
    else if (this.#state === "lagged") reader.reject(laggedError(this.#options.unreadMax));
    else reader.resolve(this.#take());
  }

  /** The hub is closing, or the watch was closed: nothing more will be said. */
  end(): void {
    this.#state = "closed";
    this.#pending = [];
    this.wake();
  }

  #take(): readonly StoreChange[] {
    const changes = this.#pending;
    this.#pending = [];
    this.#unread = 0;
    return changes;
  }
}

function laggedError(unreadMax: number): StoreError {
  return new StoreError(
    "SLOW_CONSUMER",
    `the watch was dropped: more than ${unreadMax} changes were left unread`,
  );
}

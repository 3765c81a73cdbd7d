// A store as somebody sees it who may write until a signal aborts, and never after: also not with what was begun before
// and waits for something. Commits that the store has taken in by then are done.
import type { Revision } from "../meta/revision.ts";
import type {
  KeyRange,
  KeyValue,
  ListOptions,
  ListPage,
  Plan,
  Store,
  StoreEvent,
  StoreWatch,
  TransformOptions,
  TxnOp,
  WatchFigures,
  WatchOptions,
} from "../storage/store.ts";
import type { StoreError } from "../storage/store-error.ts";

/** All members are those of the store; writes reject with the signal's reason once it has aborted. Closing it does nothing. */
export class FencedStore implements Store {
  readonly #store: Store;
  readonly #signal: AbortSignal;

  constructor(store: Store, signal: AbortSignal) {
    this.#store = store;
    this.#signal = signal;
  }

  get revision(): Revision {
    return this.#store.revision;
  }

  get compactedRevision(): Revision {
    return this.#store.compactedRevision;
  }

  get busy(): boolean {
    return this.#store.busy;
  }

  get failed(): Promise<StoreError> {
    return this.#store.failed;
  }

  get watches(): WatchFigures {
    return this.#store.watches;
  }

  get(key: string, at?: Revision): KeyValue | undefined {
    return this.#store.get(key, at);
  }

  list(range: KeyRange, options?: ListOptions): ListPage {
    return this.#store.list(range, options);
  }

  count(range: KeyRange): number {
    return this.#store.count(range);
  }

  changesOf(key: string): readonly StoreEvent[] {
    return this.#store.changesOf(key);
  }

  watch(range: KeyRange, options: WatchOptions): StoreWatch {
    return this.#store.watch(range, options);
  }

  async commit(ops: readonly TxnOp[]): Promise<Revision> {
    this.#signal.throwIfAborted();
    return this.#store.commit(ops);
  }

  async transform(plan: Plan, options?: TransformOptions): Promise<Revision> {
    this.#signal.throwIfAborted();
    return this.#store.transform(plan, options);
  }

  async compact(before: Revision): Promise<void> {
    this.#signal.throwIfAborted();
    return this.#store.compact(before);
  }

  /** The store belongs to somebody else. */
  async [Symbol.asyncDispose](): Promise<void> {}
}

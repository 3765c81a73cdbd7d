// The store: an MVCC state in memory, one writer that makes changes durable through an engine, and a hub that tells the
// watchers. Every engine gets the same semantics from here.
import type { Clock } from "../../meta/clock.ts";
import type { Revision } from "../../meta/revision.ts";
import type { Engine } from "../engine.ts";
import { type FailpointHook, noFailpoints } from "../failpoints.ts";
import type {
  KeyRange,
  KeyValue,
  ListOptions,
  ListPage,
  Store,
  StoreWatch,
  TxnOp,
  WatchOptions,
} from "../store.ts";
import { StoreError } from "../store-error.ts";
import { WatchHub } from "../watch/watch-hub.ts";
import { Compactor } from "./compactor.ts";
import { GroupWriter } from "./group-writer.ts";
import type { MvccState } from "./mvcc-state.ts";
import { recoverState } from "./recovery.ts";
import { DEFAULT_HISTORY_LIMITS, type HistoryLimits, Retention } from "./retention.ts";

/** A watcher that leaves more changes than this unread is dropped. They are shared, so one costs a watcher a pointer. */
const WATCH_UNREAD_CHANGES_MAX = 10_000;

export interface StoreOptions {
  readonly clock: Clock;
  /** What is left out is as in DEFAULT_HISTORY_LIMITS. */
  readonly history?: Partial<HistoryLimits>;
  readonly watchUnreadChangesMax?: number;
  readonly failpoints?: FailpointHook;
}

/**
 * Loads what the engine holds and opens a store on it; the store closes the engine. Throws UNREADABLE when the data is
 * damaged (the engine is closed then).
 */
export async function openMvccStore(engine: Engine, options: StoreOptions): Promise<Store> {
  try {
    return new MvccStore(engine, await recoverState(engine), options);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

class MvccStore implements Store {
  readonly #engine: Engine;
  readonly #state: MvccState;
  readonly #hub: WatchHub;
  readonly #writer: GroupWriter;
  readonly #compactor: Compactor;
  readonly #retention: Retention;
  #closed: Promise<void> | undefined;

  constructor(engine: Engine, state: MvccState, options: StoreOptions) {
    const failpoint = options.failpoints ?? noFailpoints;
    this.#engine = engine;
    this.#state = state;
    this.#hub = new WatchHub(options.watchUnreadChangesMax ?? WATCH_UNREAD_CHANGES_MAX);
    this.#writer = new GroupWriter({
      engine,
      state,
      failpoint,
      publish: (changes) => {
        for (const change of changes) state.apply(change);
        this.#hub.publish(changes);
        this.#retention.afterPublish();
      },
    });
    this.#compactor = new Compactor(state, this.#writer, failpoint);
    this.#retention = new Retention({
      clock: options.clock,
      limits: { ...DEFAULT_HISTORY_LIMITS, ...options.history },
      state,
      compact: (before) => this.compact(before),
    });
  }

  get revision(): Revision {
    return this.#state.revision;
  }

  get compactedRevision(): Revision {
    return this.#state.compacted;
  }

  get(key: string, at?: Revision): KeyValue | undefined {
    return this.#state.get(key, at);
  }

  list(range: KeyRange, options?: ListOptions): ListPage {
    return this.#state.list(range, options);
  }

  count(range: KeyRange): number {
    return this.#state.count(range);
  }

  commit(ops: readonly TxnOp[]): Promise<Revision> {
    return this.#writer.commit(ops);
  }

  watch(range: KeyRange, { after }: WatchOptions): StoreWatch {
    if (this.#closed !== undefined) throw new StoreError("CLOSED", "the store is closed");
    return this.#hub.open({ range, after, backlog: this.#state.changesAfter(range, after) });
  }

  compact(before: Revision): Promise<void> {
    return this.#compactor.compact(before);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#retention.stop();
    await this.#writer.close();
    this.#hub.close();
    await this.#engine.close();
  }
}

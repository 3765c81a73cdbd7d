// The store: an MVCC state in memory, one writer that makes changes durable through an engine, and a hub that notifies
// the watchers. All engines share these semantics.
import type { Clock } from "../../apimachinery/meta/clock.ts";
import { inSlices } from "../../apimachinery/meta/lists.ts";
import type { Revision } from "../../apimachinery/meta/revision.ts";
import { createMemoryEngine, type Engine, type FailpointHook, noFailpoints } from "../engine.ts";
import {
  type FencingToken,
  type KeyRange,
  type KeyValue,
  type ListOptions,
  type ListPage,
  type Plan,
  type Store,
  StoreError,
  type StoreEvent,
  type StoreWatch,
  type TransformOptions,
  type TxnOp,
  type WatchMetrics,
  type WatchOptions,
} from "../store.ts";
import { type CollectionEnd, StoreMetrics } from "../store-metrics.ts";
import type { Screen, UnreadableValues } from "../unreadable.ts";
import { WatchHub } from "../watch/watch-hub.ts";
import { DEFAULT_UNREAD_LIMITS } from "../watch/watcher.ts";
import { Compactor } from "./compactor.ts";
import { GroupWriter } from "./group-writer.ts";
import { MvccState } from "./mvcc-state.ts";
import { recoverState } from "./recovery.ts";
import { DEFAULT_HISTORY_LIMITS, type HistoryLimits, Retention } from "./retention.ts";
import type { StagedOn } from "./staged-group.ts";

export interface StoreOptions {
  readonly clock: Clock;
  /** Limits that are left out are those of DEFAULT_HISTORY_LIMITS. */
  readonly history?: Partial<HistoryLimits>;
  readonly watchUnreadChangesMax?: number;
  readonly watchUnreadBytesMax?: number;
  readonly failpoints?: FailpointHook;
  /** Called after a compaction, with the new compacted revision. Must not throw. */
  readonly onCompacted?: (before: Revision) => void;
  /** Called when a slow watcher of a range is terminated. Must not throw. */
  readonly onDropped?: (range: KeyRange) => void;
  /** Which values of the engine can be served; left out: all. */
  readonly screen?: Screen;
  /** Groups the metrics by collection; left out: all keys count together. */
  readonly collectionEnd?: CollectionEnd;
}

/**
 * Loads the engine's records and opens a store on it; the store closes the engine. Throws UNREADABLE when the data is
 * damaged; the engine is closed then.
 */
export async function openMvccStore(engine: Engine, options: StoreOptions): Promise<Store> {
  try {
    return new MvccStore(engine, await recoverState(engine, options.screen), options);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/**
 * Opens a store in memory with these keys at that revision. It shares the value objects with the source store, so data
 * that is cached by value is known to both. Writes to one store do not affect the other.
 */
export async function openBranchStore({ items, revision }: ListPage, options: StoreOptions): Promise<Store> {
  const state = new MvccState(revision);
  await inSlices(items, (kv) => state.setBase(kv.key, kv));
  return new MvccStore(createMemoryEngine(), state, options);
}

class MvccStore implements Store {
  readonly #engine: Engine;
  readonly #state: MvccState;
  readonly #hub: WatchHub;
  readonly #writer: GroupWriter;
  readonly #compactor: Compactor;
  readonly #retention: Retention;
  readonly failed: Promise<StoreError>;
  readonly isShared = false;
  readonly trouble = undefined;
  readonly look = () => undefined;
  readonly metrics: StoreMetrics;
  readonly #onDropped: StoreOptions["onDropped"];
  #closed: Promise<void> | undefined;

  constructor(engine: Engine, state: MvccState, options: StoreOptions) {
    const failpoint = options.failpoints ?? noFailpoints;
    this.#engine = engine;
    this.#state = state;
    this.metrics = new StoreMetrics(options.collectionEnd);
    const { changesMax, bytesMax } = DEFAULT_UNREAD_LIMITS;
    this.#hub = new WatchHub(this.metrics, {
      changesMax: options.watchUnreadChangesMax ?? changesMax,
      bytesMax: options.watchUnreadBytesMax ?? bytesMax,
    });
    let tellFailure: (error: StoreError) => void = () => {};
    this.failed = new Promise((resolve) => {
      tellFailure = resolve;
    });
    this.#writer = new GroupWriter({
      engine,
      state: stagedOn(state),
      failpoint,
      metrics: this.metrics,
      onFailure: (error) => tellFailure(error),
      prepare: async (changes) => {
        const show = await state.prepare(changes);
        await this.#hub.prepare(changes);
        return show;
      },
      publish: (changes, transformed) => {
        const { forgotten } = transformed ?? {};
        if (forgotten !== undefined) this.#hub.expire(forgotten);
        if (transformed === undefined) for (const change of changes) state.apply(change);
        else transformed.show();
        if (forgotten !== undefined) state.moveCompacted(forgotten);
        this.#hub.publish(changes);
        this.#retention.afterPublish();
      },
    });
    this.#onDropped = options.onDropped;
    this.#compactor = new Compactor(state, this.#writer, { failpoint, onCompacted: options.onCompacted });
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

  get unreadable(): UnreadableValues {
    return this.#state.unreadable;
  }

  async bytesOfUnreadable(key: string): Promise<Uint8Array | undefined> {
    return this.#state.unreadable.get(key)?.kv?.value;
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

  hasValue(): boolean {
    return true;
  }

  changesOf(key: string): readonly StoreEvent[] {
    return this.#state.changesOf(key);
  }

  /** No other process writes, and acknowledged writes are readable at once. */
  caughtUp(): undefined {
    return undefined;
  }

  reaches(revision: Revision): boolean {
    return revision <= this.revision;
  }

  get busy(): boolean {
    return this.#writer.busy;
  }

  commit(ops: readonly TxnOp[], fencingToken?: FencingToken): Promise<Revision> {
    return this.#writer.commit(ops, fencingToken);
  }

  transform(plan: Plan, options: TransformOptions = {}): Promise<Revision> {
    const write = () => this.#writer.transform(plan, options);
    return options.forgetPast === true ? this.#compactor.afterWrite(write) : write();
  }

  get watches(): WatchMetrics {
    return this.#hub.metrics;
  }

  watch(range: KeyRange, { after, mayExpire = false, triggers, dropped }: WatchOptions): StoreWatch {
    if (this.#closed !== undefined) throw new StoreError("CLOSED", "the store is closed");
    const tell = this.#onDropped;
    const both = () => {
      dropped?.();
      tell?.(range);
    };
    return this.#hub.open({
      range,
      after,
      mayExpire,
      triggers,
      dropped: tell === undefined ? dropped : both,
      backlog: this.#state.changesAfter(range, after),
    });
  }

  compact(before: Revision): Promise<void> {
    return this.#compactor.compact(before);
  }

  sizeBytes(): Promise<number | undefined> {
    return this.#engine.sizeBytes();
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

/** The state that commits are checked against: a key with an unreadable value counts as present. */
const stagedOn = (state: MvccState): StagedOn => ({
  get revision() {
    return state.revision;
  },
  get: (key) => state.get(key) ?? state.unreadable.get(key)?.kv,
});

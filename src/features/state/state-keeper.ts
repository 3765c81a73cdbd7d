// The whole state of the server as a value: every key of the store, including allocated addresses and ports. Saving
// costs a list of pointers, since stored values are immutable. Restoring is one atomic change of the store.
import type { Clock } from "../../apimachinery/meta/clock.ts";
import { inSlices, mapInSlices } from "../../apimachinery/meta/lists.ts";
import type { Revision } from "../../apimachinery/meta/revision.ts";
import { uidOf } from "../../apiserver/registry/codec/object-codec.ts";
import {
  EVERY_KEY,
  type KeyValue,
  type KeyValueReader,
  type KeyValueWriter,
  type ListPage,
  type TxnOp,
} from "../../storage/store.ts";

/** An immutable state, restorable until the process ends. */
export interface SavedState {
  readonly revision: Revision;
  /** Milliseconds since the epoch. */
  readonly savedAtMs: number;
  readonly items: ReadonlyMap<string, KeyValue>;
}

/**
 * The effect of a restore on open watches.
 * "events": watches get the differences as ADDED, MODIFIED and DELETED.
 * "expire": watches end with a 410 Expired, as after a loss of history. Earlier resourceVersions can no longer be
 * watched or listed.
 */
export const WATCHES = ["events", "expire"] as const;
export type Watches = (typeof WATCHES)[number];

export interface RestoreOptions {
  /** Default: "events". */
  readonly watches?: Watches;
}

export interface Restored extends Counts {
  /** The revision of the restored state. It never decreases, and does not change when the states are equal. */
  readonly revision: Revision;
}

/** "empty": the bootstrap state of every server; "start": the state of this server when it was ready. */
export const RESET_TARGETS = ["empty", "start"] as const;
export type ResetTarget = (typeof RESET_TARGETS)[number];

export interface StateKeeperDeps {
  readonly store: KeyValueReader & KeyValueWriter;
  readonly clock: Clock;
  /**
   * Returns the state of a bootstrapped server without user objects. Called once, on first use, unless markEmpty() was
   * called.
   */
  readonly emptyState: () => Promise<SavedState>;
  /** Resolves once the components that follow the store (served kinds, discovery) have caught up. */
  readonly followed: () => Promise<void>;
  /**
   * Pauses writes of the components that follow the store, until the returned function is called. Absent: none of them
   * writes.
   */
  readonly hold?: () => () => void;
  /**
   * Runs a change between stop and restart of the controllers, so that none keeps state from before. Absent: there are
   * no controllers.
   */
  readonly renew?: <T>(change: () => Promise<T>) => Promise<T>;
  /** Resolves once the controllers are idle. Absent: there are no controllers. */
  readonly settled?: () => Promise<void>;
  /** Resolves once markStart() was called; a reset to "start" waits for it. Absent: markStart() is not awaited. */
  readonly started?: Promise<void>;
}

export class StateKeeper {
  readonly #deps: StateKeeperDeps;
  #start: SavedState | undefined;
  #empty: Promise<SavedState> | undefined;

  constructor(deps: StateKeeperDeps) {
    this.#deps = deps;
  }

  /** Saves the current state. It costs one pointer for each object. */
  save(): SavedState {
    return stateOf(this.#deps.store, this.#deps.clock);
  }

  /** Makes the current state the target of reset("start"). */
  markStart(): void {
    this.#start = this.save();
  }

  /** Makes the current state the target of reset("empty"). */
  markEmpty(): void {
    this.#empty = Promise.resolve(this.save());
  }

  /** The state that reset() restores. */
  async stateFor(target: ResetTarget): Promise<SavedState> {
    if (target === "start") await this.#deps.started;
    if (target === "start" && this.#start !== undefined) return this.#start;
    this.#empty ??= this.#deps.emptyState();
    return this.#empty;
  }

  async reset(target: ResetTarget = "start", options: RestoreOptions = {}): Promise<Restored> {
    return this.restore(await this.stateFor(target), options);
  }

  /**
   * Restores a state atomically. Objects regain their uid and content; objects that differed get a new resourceVersion.
   * Resolves when the state is durable, watchers are notified, and its kinds are served. Throws StoreError.
   */
  async restore(state: SavedState, options: RestoreOptions = {}): Promise<Restored> {
    const { before: _, ...restored } = await this.exchange(state, options);
    return restored;
  }

  /**
   * Restores a state and returns the previous one; no write is lost between the two. Without a state the current one
   * stays, and watches may still expire. Controllers always restart and resync from the resulting state. Writes that
   * they had begun before are discarded. Throws StoreError.
   */
  async exchange(
    state: SavedState | undefined,
    { watches = "events" }: RestoreOptions = {},
  ): Promise<Restored & { readonly before: SavedState }> {
    const { store, clock, hold, followed, renew = (change) => change(), settled } = this.#deps;
    let present = pageOf(store, clock);
    let counts: Counts = { created: 0, updated: 0, deleted: 0 };
    const plan = async () => {
      present = pageOf(store, clock);
      if (state === undefined) return [];
      const found = await differences(present.items, state.items);
      counts = found.counts;
      return found.commits;
    };
    const revision = await renew(async () => {
      const goOn = hold?.();
      try {
        return await store.transform(plan, { forgetPast: watches === "expire" });
      } finally {
        goOn?.();
        await followed();
      }
    });
    await settled?.();
    const items = await mapInSlices(present.items, byKey);
    return { revision, ...counts, before: { ...present, items: new Map(items) } };
  }
}

/** All keys of the store now. */
export function stateOf(store: KeyValueReader & KeyValueWriter, clock: Clock): SavedState {
  const { items, ...rest } = pageOf(store, clock);
  const byKey = new Map<string, KeyValue>();
  for (const kv of items) byKey.set(kv.key, kv);
  return { ...rest, items: byKey };
}

/** The same state with a list of items, which is cheaper. */
function pageOf(
  store: KeyValueReader & KeyValueWriter,
  clock: Clock,
): Omit<SavedState, "items"> & Pick<ListPage, "items"> {
  const { items, revision } = store.list(EVERY_KEY);
  return { revision, savedAtMs: clock.now(), items };
}

const byKey = (kv: KeyValue) => [kv.key, kv] as const;

/** The number of objects and other keys that a change concerns. A replaced object counts as deleted and created. */
export interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}

/**
 * The store operations that turn the present state into the wanted one. Watchers see DELETED for surplus objects, ADDED
 * for missing ones and MODIFIED for those that differ.
 * An object recreated under its name has another uid, which a server never shows as MODIFIED. Its deletion and its
 * creation are two revisions, so there are up to two commits, or none for equal states.
 * Works in time slices: neither state may change meanwhile.
 */
export async function differences(
  present: Iterable<KeyValue>,
  wanted: ReadonlyMap<string, KeyValue>,
): Promise<{ readonly commits: readonly (readonly TxnOp[])[]; readonly counts: Counts }> {
  const replaced: TxnOp[] = [];
  const deletes: TxnOp[] = [];
  const updates: TxnOp[] = [];
  const creates: TxnOp[] = [];
  const kept = new Set<string>();
  await inSlices(present, (kv) => {
    const { key, modRevision: ifModRevision } = kv;
    const target = wanted.get(key);
    if (target === undefined) deletes.push({ type: "delete", key, ifModRevision });
    else if (isSameObject(kv, target)) {
      kept.add(key);
      if (!hasSameValue(kv, target))
        updates.push({ type: "update", key, value: target.value, ifModRevision });
    } else replaced.push({ type: "delete", key, ifModRevision });
  });
  await inSlices(wanted.values(), ({ key, value }) => {
    if (!kept.has(key)) creates.push({ type: "create", key, value });
  });
  return {
    commits: [replaced, [...deletes, ...updates, ...creates]].filter((ops) => ops.length > 0),
    counts: {
      created: creates.length,
      updated: updates.length,
      deleted: deletes.length + replaced.length,
    },
  };
}

/** A restored object keeps its uid, though its key has a new create revision. */
const isSameObject = (a: KeyValue, b: KeyValue): boolean =>
  a.createRevision === b.createRevision || uidOf(a) === uidOf(b);

const hasSameValue = (a: KeyValue, b: KeyValue): boolean =>
  a.value === b.value || Buffer.compare(a.value, b.value) === 0;

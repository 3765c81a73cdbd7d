// The whole state of the server as a value: everything in the store, so also the addresses and ports that are taken.
// Saving costs a list of pointers, since values in the store never change; restoring is one change of the store that
// nothing can come between.
import type { Clock } from "../../meta/clock.ts";
import { inSlices, mapInSlices } from "../../meta/lists.ts";
import type { Revision } from "../../meta/revision.ts";
import { uidOf } from "../../registry/codec/object-codec.ts";
import { EVERY_KEY, type KeyValue, type ListPage, type Store, type TxnOp } from "../../storage/store.ts";

/** A state that can be restored as long as the process lasts. It is immutable. */
export interface SavedState {
  readonly revision: Revision;
  /** Milliseconds since the epoch. */
  readonly savedAtMs: number;
  readonly items: ReadonlyMap<string, KeyValue>;
}

/**
 * What open watches are told of a restored state: "events" shows them the differences as ADDED, MODIFIED and DELETED;
 * "expire" ends them with a 410 Expired as when a server has lost its history, and versions from before cannot be
 * watched or listed any more.
 */
export const WATCHES = ["events", "expire"] as const;
export type Watches = (typeof WATCHES)[number];

export interface RestoreOptions {
  /** Default: "events". */
  readonly watches?: Watches;
}

export interface Restored extends Counts {
  /** That of the restored state. It never falls; it stays when nothing differed. */
  readonly revision: Revision;
}

/** What every server has, or what this one had when it had started. */
export const RESET_TARGETS = ["empty", "start"] as const;
export type ResetTarget = (typeof RESET_TARGETS)[number];

export interface StateKeeperDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** What a server has that nobody has given anything to. Asked once, when it is first needed and no such state was marked. */
  readonly emptyState: () => Promise<SavedState>;
  /** Resolves once what follows the store by itself (which kinds are served, their list) is as the store says. */
  readonly followed: () => Promise<void>;
  /** What follows the store by itself writes nothing until the function is called that this returns. Left out: nothing does. */
  readonly hold?: () => () => void;
  /** Makes a change between two lives of the controllers, so that none remembers what was before. Left out: there are none. */
  readonly renew?: <T>(change: () => Promise<T>) => Promise<T>;
  /** Resolves once the controllers have done what they find to do. Left out: there are none. */
  readonly settled?: () => Promise<void>;
  /** Resolves once markStart() was called, for which a reset to the start waits. Left out: nobody will. */
  readonly started?: Promise<void>;
}

export class StateKeeper {
  readonly #deps: StateKeeperDeps;
  #start: SavedState | undefined;
  #empty: Promise<SavedState> | undefined;

  constructor(deps: StateKeeperDeps) {
    this.#deps = deps;
  }

  /** The state of now. It costs one pointer for each object. */
  save(): SavedState {
    return stateOf(this.#deps.store, this.#deps.clock);
  }

  /** From now on reset("start") comes back here. */
  markStart(): void {
    this.#start = this.save();
  }

  /** From now on reset("empty") comes back here. */
  markEmpty(): void {
    this.#empty = Promise.resolve(this.save());
  }

  /** The state that reset() goes to. */
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
   * Makes the state the present one, in one go: objects have the uid and the content that they had, and a new
   * resourceVersion where they differed. Resolves when it is durable, watches have been told, and the kinds of the
   * state are served. Throws StoreError.
   */
  async restore(state: SavedState, options: RestoreOptions = {}): Promise<Restored> {
    const { before: _, ...restored } = await this.exchange(state, options);
    return restored;
  }

  /**
   * Restores, and gives the state that was there until then: no write is lost between the two. Without a state the
   * present one stays, and watches may expire nevertheless. In any case controllers begin anew: what they remember is
   * made of the state that there is then, and nothing that they had begun before is written. Throws StoreError.
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

/** Everything that the store holds now. */
export function stateOf(store: Store, clock: Clock): SavedState {
  const { items, ...rest } = pageOf(store, clock);
  const byKey = new Map<string, KeyValue>();
  for (const kv of items) byKey.set(kv.key, kv);
  return { ...rest, items: byKey };
}

/** The same as a list, which costs less. */
function pageOf(store: Store, clock: Clock): Omit<SavedState, "items"> & Pick<ListPage, "items"> {
  const { items, revision } = store.list(EVERY_KEY);
  return { revision, savedAtMs: clock.now(), items };
}

const byKey = (kv: KeyValue) => [kv.key, kv] as const;

/** How many objects (and other keys) a change concerns. One that is replaced is deleted and created. */
export interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}

/**
 * From the state that there is to the one that is wanted, as operations of the store. Whoever watches is told of each
 * object what happened to it: what is too much is DELETED, what is missing is ADDED, what differs is MODIFIED. An
 * object that was deleted and made anew under its name has another uid; no server ever shows that as MODIFIED, so it
 * goes at one revision and the wanted one comes at the next: one or two commits, or none when nothing differs. Works in
 * slices: neither state may change meanwhile.
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

/** What was restored before has its old uid, though the key was created anew. */
const isSameObject = (a: KeyValue, b: KeyValue): boolean =>
  a.createRevision === b.createRevision || uidOf(a) === uidOf(b);

const hasSameValue = (a: KeyValue, b: KeyValue): boolean =>
  a.value === b.value || Buffer.compare(a.value, b.value) === 0;

// A store whose data is in etcd, possibly shared with other processes. The readable state is held in memory, as with a
// store on disk. One watch of all keys keeps it current (a watch cache). A write is one etcd transaction.
//
//   commit ─► txn ─► answered: revision r ─┬─ the next after what can be read: shown at once
//                                          └─ else: shown when the feed has come to r
//
// The revisions are etcd's, so revisions of other writers may lie between two of this store.
import { systemClock } from "../../apimachinery/meta/clock.ts";
import { type Revision, toRevision } from "../../apimachinery/meta/revision.ts";
import type { StorageLayout } from "../layout.ts";
import type { MvccState } from "../mvcc/mvcc-state.ts";
import { Retention, UNLIMITED_HISTORY } from "../mvcc/retention.ts";
import { guardedError, mistakeIn, stageGroup, stageOp } from "../mvcc/staged-group.ts";
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
import { measured, StoreMetrics } from "../store-metrics.ts";
import { UnreadableValues } from "../unreadable.ts";
import { WatchHub } from "../watch/watch-hub.ts";
import type { EtcdClient } from "./etcd-client.ts";
import { compactEtcd, EtcdCompactor } from "./etcd-compactor.ts";
import { isLeaseLost } from "./etcd-errors.ts";
import { EtcdFeed } from "./etcd-feed.ts";
import type { EtcdStoreOptions } from "./etcd-store-options.ts";
import { FollowedState } from "./followed-state.ts";
import { HealthProbe } from "./health-probe.ts";
import { Leases } from "./leases.ts";
import { loadOldest } from "./load-history.ts";
import { type Compare, FIRST_ETCD_KEY, type TxnResponse, type WriteOp } from "./messages.ts";
import { NewestRevision } from "./newest-revision.ts";
import type { Reading } from "./read-values.ts";
import { ReadingAnew } from "./reading-anew.ts";
import { ClaimsWriter, gatherClaims, PassingMismatch, type SharedWrite } from "./shared-allocations.ts";
import { writePlan } from "./write-plan.ts";
import { WriteQueue } from "./write-queue.ts";

/** Limit of the retries of a transformation when other processes write meanwhile. */
const TRANSFORM_TRIES = 10;
const FORGOTTEN_AT_ONCE = 250;

/** Loads the history that etcd still has and follows etcd from then on. Rejects with REFUSED and TIMEOUT. */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const { client, layout, onUnreadable, onTrouble } = options;
  const metrics = new StoreMetrics(options.collectionEnd, client.metrics);
  const reading = { layout, metrics, unreadable: new UnreadableValues(onUnreadable) };
  await client.connect((why) => onTrouble("etcd is waited for", why));
  await tryRights(client, layout);
  await gatherClaims(client, layout);
  const store = new EtcdStore(options, reading, await loadOldest(client, reading));
  try {
    await store.caughtUp();
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
  return store;
}

/**
 * Rejects now, rather than at the first write, if the user may not write: etcd also checks the permissions of
 * operations that a transaction does not execute.
 */
async function tryRights(client: EtcdClient, { prefixes }: StorageLayout): Promise<void> {
  await client.txn({
    compare: [{ key: FIRST_ETCD_KEY, modRevision: Number.MAX_SAFE_INTEGER }],
    success: prefixes.map((key) => ({ type: "delete", key })),
  });
}

class EtcdStore implements Store {
  readonly #options: EtcdStoreOptions;
  readonly #client: EtcdClient;
  readonly #reading: Reading;
  readonly #state: MvccState;
  readonly #hub: WatchHub;
  readonly #followed: FollowedState;
  readonly #feed: EtcdFeed;
  readonly #newest: NewestRevision;
  readonly #readingAnew: ReadingAnew;
  readonly #queue = new WriteQueue();
  readonly #claims: ClaimsWriter | undefined;
  readonly #leases: Leases;
  readonly #health: HealthProbe;
  readonly #retention: Retention;
  readonly #compactor: EtcdCompactor | undefined;
  #closed: Promise<void> | undefined;
  /** Never resolves: every failure of etcd can be temporary. */
  readonly failed = new Promise<StoreError>(() => {});
  readonly isShared = true;
  #trouble: string | undefined;
  readonly metrics: StoreMetrics;

  constructor(options: EtcdStoreOptions, reading: Reading, state: MvccState) {
    const { client, clock, unread, layout } = options;
    this.#options = options;
    this.#reading = reading;
    this.#client = client;
    this.#state = state;
    this.metrics = reading.metrics;
    this.#leases = new Leases(client);
    this.#health = new HealthProbe(client);
    this.#hub = new WatchHub(this.metrics, unread);
    this.#followed = new FollowedState({
      ...{ state, hub: this.#hub, reading },
      published: () => this.#retention.afterPublish(),
    });
    this.#claims = layout.claims && new ClaimsWriter(client, layout.claims, this.#followed);
    this.#newest = new NewestRevision({
      ...{ client, followed: this.#followed, metrics: this.metrics },
      wentBack: () => this.#restored(),
    });
    this.#retention = new Retention({
      ...{ clock, state, limits: { ...UNLIMITED_HISTORY, ...options.history } },
      compact: (before) => this.#forget(before),
    });
    this.#feed = new EtcdFeed(client, {
      changed: (events) => this.#followed.changed(events),
      lost: () => void this.#readingAnew.afterMissing(),
      restored: () => void this.#restored(),
      connected: (isConnected, why) => {
        this.#trouble = isConnected ? undefined : "changes in etcd do not come in";
        if (this.#trouble !== undefined) options.onTrouble(this.#trouble, why);
      },
    });
    this.#readingAnew = new ReadingAnew({
      ...{ client, reading, followed: this.#followed, feed: this.#feed },
      isClosed: () => this.#closed !== undefined,
      done: () => void this.#free(),
      failed: (error) => options.onTrouble("etcd could not be read anew", error),
    });
    this.#feed.start(state.revision + 1);
    const { compactionIntervalMs: intervalMs } = options;
    this.#compactor =
      intervalMs === undefined
        ? undefined
        : new EtcdCompactor({
            ...{ client, clock, intervalMs },
            compact: (before) => this.compact(toRevision(before)),
            failed: (error) => options.onTrouble("etcd was not compacted", error),
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

  get unreadable(): UnreadableValues {
    return this.#reading.unreadable;
  }

  async bytesOfUnreadable(key: string): Promise<Uint8Array | undefined> {
    return (await this.#client.range({ key: this.#options.layout.toEtcdKey(key) })).kvs[0]?.value;
  }

  hasValue(key: string): boolean {
    return this.#options.layout.claims?.has(key) !== true;
  }

  changesOf(key: string): readonly StoreEvent[] {
    return this.#state.changesOf(key);
  }

  get busy(): boolean {
    return this.#queue.busy;
  }

  get trouble(): string | undefined {
    return this.#trouble ?? this.#health.problem;
  }

  look(): Promise<void> | undefined {
    return this.#health.look();
  }

  get watches(): WatchMetrics {
    return this.#hub.metrics;
  }

  sizeBytes(): Promise<number | undefined> {
    return this.#client.sizeBytes().catch(() => undefined);
  }

  caughtUp(): Promise<void> {
    return this.#newest.reached();
  }

  async reaches(revision: Revision, withinMs: number): Promise<boolean> {
    const late = new AbortController();
    const reached = this.#followed.reached(revision, late.signal);
    if (reached === undefined) return true;
    const timer = systemClock.after(withinMs, () => late.abort());
    await reached;
    timer.cancel();
    return revision <= this.revision;
  }

  commit(ops: readonly TxnOp[], token?: FencingToken): Promise<Revision> {
    const refused = this.#refusal() ?? mistakeIn(ops);
    if (refused !== undefined) return Promise.reject(refused);
    return this.#queue.inOrder(ops, () => this.#write(ops, token));
  }

  #write(ops: readonly TxnOp[], token?: FencingToken): Promise<Revision> {
    if (!this.#claims?.touchedBy(ops)) return this.#writeOnce(ops, token);
    return this.#claims.write(ops, (shared) => this.#writeOnce(shared.others, token, shared));
  }

  async #writeOnce(ops: readonly TxnOp[], token?: FencingToken, shared?: SharedWrite): Promise<Revision> {
    const { layout } = this.#options;
    const compare = ops.map((op): Compare => {
      const modRevision = op.type === "create" ? 0 : op.ifModRevision;
      return { key: layout.toEtcdKey(op.key), modRevision };
    });
    if (token !== undefined) compare.push({ ...token, key: layout.toEtcdKey(token.key) });
    if (shared !== undefined) compare.push(shared.compare);
    const { revision: before, past } = this.#followed;
    const { succeeded, revision } = await this.#transact(compare, ops, shared?.put);
    if (past === this.#followed.past) {
      // Every write has a revision above all that were seen before; a lower one means that etcd was restored.
      if (revision < before || (succeeded && revision === before)) await this.#restored();
      else if (succeeded && !shared) this.#followed.wrote(revision, ops); // a shared value comes by the feed
    }
    await this.#followed.reached(revision);
    if (!succeeded) throw this.#mismatch(ops, token);
    return toRevision(revision);
  }

  async #transact(compare: readonly Compare[], ops: readonly TxnOp[], put?: WriteOp): Promise<TxnResponse> {
    for (let isAgain = false; ; isAgain = true) {
      const success = put === undefined ? [] : [put];
      for (const op of ops) success.push(await this.#opInEtcd(op));
      try {
        const { type = "get", key = "" } = ops[0] ?? {};
        return await measured(this.metrics, type, key, () => this.#client.txn({ compare, success }));
      } catch (error) {
        // The lease was granted before etcd was restored, so etcd does not know it. Nothing was written.
        if (isAgain || !isLeaseLost(error)) throw error;
        this.#leases.forget();
      }
    }
  }

  async #opInEtcd(op: TxnOp): Promise<WriteOp> {
    const { layout } = this.#options;
    const key = layout.toEtcdKey(op.key);
    if (op.type === "delete") return { type: "delete", key };
    const ttl = this.#options.ttlSeconds?.(op.key);
    const lease = ttl === undefined ? undefined : await this.#leases.lasting(ttl);
    return { type: "put", key, value: layout.encode(op.key, op.value), lease };
  }

  /** The error of the operation that etcd rejected, by the current state. */
  #mismatch(ops: readonly TxnOp[], token: FencingToken | undefined): StoreError {
    if (token !== undefined && this.get(token.key)?.modRevision !== token.modRevision)
      return guardedError(token);
    for (const op of ops) {
      const unreadable = this.#reading.unreadable.get(op.key);
      if (unreadable !== undefined)
        return new StoreError("REFUSED", unreadable.reason, { cause: unreadable.error });
      const staged = stageOp(op, this.get(op.key), this.revision);
      if (staged instanceof StoreError) return staged;
    }
    return new PassingMismatch();
  }

  /**
   * No commit of this process comes in between. If another process writes meanwhile, the plan is computed again, so its
   * write is not lost. Each commit is one transaction; none is rolled back when a later one fails.
   */
  transform(plan: Plan, { forgetPast = false }: TransformOptions = {}): Promise<Revision> {
    const refused = this.#refusal();
    if (refused !== undefined) return Promise.reject(refused);
    return this.#queue.alone(async () => {
      for (let tries = 1; ; tries++) {
        await this.caughtUp();
        const commits = await plan();
        const { outcomes } = await stageGroup(
          this.#state,
          commits.map((ops) => ({ ops })),
        );
        for (const outcome of outcomes) if (outcome instanceof Error) throw outcome;
        const isLast = tries === TRANSFORM_TRIES;
        if (await writePlan(commits, { base: this.revision, isLast, write: (ops) => this.#write(ops) }))
          break;
      }
      if (forgetPast) await this.#forgetPast();
      return this.revision;
    });
  }

  async #forgetPast(): Promise<void> {
    const { revision } = this;
    await compactEtcd(this.#client, revision);
    this.#hub.expire(revision);
    this.#state.moveCompacted(revision);
    void this.#free();
  }

  watch(range: KeyRange, { after, mayExpire = false, triggers, dropped }: WatchOptions): StoreWatch {
    const refused = this.#refusal() ?? this.#followed.complaintOf(after);
    if (refused !== undefined) throw refused;
    return this.#hub.open({
      ...{ range, after, mayExpire, triggers },
      dropped: () => {
        dropped?.();
        this.#options.onDropped?.(range);
      },
      backlog: this.#state.changesAfter(range, after),
    });
  }

  async compact(before: Revision): Promise<void> {
    const refused = this.#refusal();
    if (refused !== undefined) throw refused;
    if (before > this.revision) {
      const message = `revision ${before} is not there yet, the newest is ${this.revision}`;
      throw new StoreError("FUTURE_REVISION", message);
    }
    if (before <= this.compactedRevision) return;
    await compactEtcd(this.#client, before);
    await this.#forget(before);
    this.#options.onCompacted?.(before);
  }

  async #forget(before: Revision): Promise<void> {
    if (before <= this.compactedRevision || before > this.revision) return;
    this.#state.moveCompacted(before);
    await this.#free();
  }

  async #free(): Promise<void> {
    while (this.#state.isForgetting && this.#closed === undefined) {
      this.#state.forgetOldest(FORGOTTEN_AT_ONCE);
      await systemClock.sleep(0);
    }
  }

  /** etcd's history differs from what is shown. Resolves when the state has been read again. */
  #restored(): Promise<void> {
    const trouble = `${this.#client.location} was restored from a copy, which is being read`;
    if (this.#trouble !== trouble) {
      this.#trouble = trouble;
      this.#options.onTrouble(trouble, new Error(`what was at revision ${this.revision} is no longer there`));
    }
    this.#retention.forgetMarks();
    return this.#readingAnew.afterRestore();
  }

  #refusal(): StoreError | undefined {
    return this.#closed && new StoreError("CLOSED", "the store is closed");
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#retention.stop();
    this.#compactor?.stop();
    await this.#queue.idle();
    this.#feed.stop();
    this.#hub.close();
    this.#client.close();
  }
}

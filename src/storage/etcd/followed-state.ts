// The readable state of a store whose data other processes may change. It is published revision by revision, in the
// order of the feed. A write of this process is published earlier if its revision is the next one.
import type { Revision } from "../../apimachinery/meta/revision.ts";
import { toRevision } from "../../apimachinery/meta/revision.ts";
import type { MvccState } from "../mvcc/mvcc-state.ts";
import { stageOp } from "../mvcc/staged-group.ts";
import { type StoreChange, StoreError, type StoreEvent, type TxnOp } from "../store.ts";
import type { WatchHub } from "../watch/watch-hub.ts";
import type { EtcdEvent } from "./messages.ts";
import { claimEvents, keptKey, type Reading } from "./read-values.ts";

interface Waiting {
  readonly revision: number;
  resolve(): void;
}

export interface FollowedOptions {
  readonly state: MvccState;
  readonly hub: WatchHub;
  readonly reading: Reading;
  /** Called after each publication. Must not throw. */
  published(): void;
}

export class FollowedState {
  readonly #options: FollowedOptions;
  /** Writes of this process by revision that are not published yet: an earlier revision is missing. */
  readonly #own = new Map<number, readonly TxnOp[]>();
  #waiting: Waiting[] = [];
  #held: EtcdEvent[] | undefined;
  /** Number of the history that is shown; increases when etcd was restored. */
  past = 0;
  /** The highest revision of the histories that are no longer shown. */
  #abandoned = 0;

  constructor(options: FollowedOptions) {
    this.#options = options;
  }

  get revision(): Revision {
    return this.#options.state.revision;
  }

  /** Takes events from etcd: all events of one or more revisions. */
  changed(events: readonly EtcdEvent[]): void {
    if (this.#held !== undefined) {
      for (const event of events) this.#held.push(event);
      return;
    }
    const changes: StoreChange[] = [];
    for (let start = 0; start < events.length; ) {
      const revision = events[start]?.kv.modRevision ?? 0;
      let end = start + 1;
      while (events[end]?.kv.modRevision === revision) end++;
      if (revision > this.revision) this.#apply(revision, events.slice(start, end), changes);
      start = end;
    }
    this.#publish(changes);
  }

  /** Takes what a transaction of this process has written. */
  wrote(revision: number, ops: readonly TxnOp[]): void {
    if (revision <= this.revision) return; // the feed was faster
    // The feed reports these events, too, but by then the revision is published and they are dropped uncounted.
    for (const { key } of ops) this.#options.reading.metrics.of(key).received++;
    this.#own.set(revision, ops);
    if (this.#held === undefined) this.#publish([]);
  }

  /** Resolves when the revision can be read, when the signal aborts, or when the history is replaced. */
  reached(revision: number, signal?: AbortSignal): Promise<void> | undefined {
    if (revision <= this.revision) return undefined;
    return new Promise((resolve) => {
      const waiting = { revision, resolve };
      this.#waiting.push(waiting);
      const giveUp = (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
        resolve();
      };
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  /**
   * Publishes a newly read state as one change at the revision of the read. The history before it is gone: watches that
   * may expire are closed. Feed events that arrive meanwhile are held back and applied afterwards.
   */
  async replace(read: MvccState): Promise<void> {
    this.#held = [];
    const { state, hub } = this.#options;
    const change = await changeBetween(state, read);
    const changes = change.events.length === 0 ? [] : [change];
    const show = await state.prepare(changes);
    await hub.prepare(changes);
    hub.closeExpiring(); // as a kube-apiserver does: a client that resumes gets the 410
    show();
    state.advance(read.revision);
    state.moveCompacted(state.revision);
    const held = this.#held;
    this.#held = undefined;
    this.#publish(changes);
    this.changed(held);
  }

  /**
   * Replaces the whole state, history included, by one of another history; its revision may be lower. All watches end,
   * and all waits for later revisions resolve.
   */
  beginAnew(read: MvccState): void {
    this.past++;
    this.#abandoned = Math.max(this.#abandoned, this.revision);
    this.#own.clear();
    this.#options.state.become(read);
    this.#options.hub.expireAll(read.revision);
    for (const { resolve } of this.#waiting.splice(0)) resolve();
    this.#options.published();
  }

  /**
   * The error for a resume from a future revision that only an abandoned history had; undefined: the revision is valid.
   */
  complaintOf(after: number): StoreError | undefined {
    if (after <= this.revision || after > this.#abandoned) return undefined;
    return new StoreError("COMPACTED", `what there was at revision ${after} is gone`);
  }

  #apply(revision: number, told: readonly EtcdEvent[], changes: StoreChange[]): void {
    this.#showOwn(changes);
    if (revision <= this.revision) return;
    const events = this.#ownEvents(revision) ?? told.flatMap((event) => this.#eventsOf(event));
    this.#show(
      { revision: toRevision(revision), events: events.filter((event) => event !== undefined) },
      changes,
    );
  }

  #show(change: StoreChange, changes: StoreChange[]): void {
    if (change.events.length === 0) {
      this.#options.state.advance(change.revision);
      return;
    }
    this.#options.state.apply(change);
    changes.push(change);
  }

  /** Publishes the writes of this process whose revisions come next. */
  #showOwn(changes: StoreChange[]): void {
    for (;;) {
      const revision = toRevision(this.revision + 1);
      const events = this.#own.size === 0 ? undefined : this.#ownEvents(revision);
      if (events === undefined) return;
      this.#show({ revision, events }, changes);
    }
  }

  #ownEvents(revision: number): readonly StoreEvent[] | undefined {
    const ops = this.#own.get(revision);
    if (ops === undefined) return undefined;
    this.#own.delete(revision);
    const { state, reading } = this.#options;
    const { unreadable } = reading;
    return ops.flatMap((op) => {
      if (unreadable.get(op.key) !== undefined && op.type === "delete") {
        unreadable.delete(op.key); // an unreadable value was never shown
        return [];
      }
      const event = stageOp(op, state.get(op.key), toRevision(revision));
      // etcd has compared the same mod revision, so a mismatch here is a bug.
      if (event instanceof StoreError) throw new Error(`at revision ${revision} of etcd: ${event.message}`);
      return event;
    });
  }

  #eventsOf(event: EtcdEvent): readonly (StoreEvent | undefined)[] {
    const { state, reading } = this.#options;
    return event.kv.key === reading.layout.claims?.etcdKey
      ? claimEvents(reading, event, state)
      : [this.#eventOf(event)];
  }

  #eventOf({ isDelete, kv: told }: EtcdEvent): StoreEvent | undefined {
    const { state, reading } = this.#options;
    const kv = isDelete ? undefined : keptKey(reading, told);
    const key = kv?.key ?? reading.layout.toEgretKey(told.key);
    if (key === undefined) return undefined;
    reading.metrics.of(key).received++;
    const prev = state.get(key);
    if (isDelete) reading.unreadable.delete(key);
    if (kv !== undefined) return { type: "put", kv, prev };
    return prev && { type: "delete", key, revision: toRevision(told.modRevision), prev };
  }

  #publish(changes: StoreChange[]): void {
    this.#showOwn(changes);
    for (const revision of this.#own.keys()) if (revision <= this.revision) this.#own.delete(revision);
    if (changes.length > 0) this.#options.hub.publish(changes);
    if (this.#waiting.length > 0) {
      const { revision } = this;
      const [come, rest] = [
        this.#waiting.filter((waiting) => waiting.revision <= revision),
        this.#waiting.filter((waiting) => waiting.revision > revision),
      ];
      this.#waiting = rest;
      for (const { resolve } of come) resolve();
    }
    this.#options.published();
  }
}

/** Returns the events that turn one state into the other. */
async function changeBetween(from: MvccState, to: MvccState): Promise<StoreChange> {
  const events: StoreEvent[] = [];
  await from.eachKey((prev) => {
    if (to.get(prev.key) === undefined)
      events.push({ type: "delete", key: prev.key, revision: to.revision, prev });
  });
  await to.eachKey((kv) => {
    const prev = from.get(kv.key);
    if (prev?.modRevision !== kv.modRevision) events.push({ type: "put", kv, prev });
  });
  return { revision: to.revision, events };
}

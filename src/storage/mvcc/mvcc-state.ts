// The readable state: the live keys, the history of each key, and the log of changes. It changes only by durable
// changes and by moving the compacted revision. Both are synchronous, so a reader never sees half of one. The effect of
// many changes is first computed beside the state and then replaces it at once.
//
//   revision        5        6        7        8 (now)      compacted: 6
//   key a        put a@5            put a@7                 live     a@7
//   key b                 put b@6            delete b@8     history  a: [put a@7 (prev a@5)]   b: [delete b@8 (prev b@6)]
//
// A key's history is its events after the compacted revision. The `prev` of the first event is the key's state before
// it.
import { inSlices } from "../../apimachinery/meta/lists.ts";
import type { Revision } from "../../apimachinery/meta/revision.ts";
import type { RecordId } from "../engine.ts";
import {
  changeWithin,
  EVERY_KEY,
  eventKey,
  eventRevision,
  type KeyRange,
  type KeyValue,
  type ListOptions,
  type ListPage,
  type StoreChange,
  StoreError,
  type StoreEvent,
} from "../store.ts";
import { UnreadableValues } from "../unreadable.ts";
import { ChangeLog } from "./change-log.ts";
import { eventsOf, forgetEvents, historyWith, type KeyHistory, versionAt } from "./key-history.ts";
import { overlayMaps } from "./overlay-maps.ts";
import { listPast } from "./past-list.ts";
import { SortedMap } from "./sorted-map.ts";

export class MvccState {
  #live = new SortedMap<KeyValue>({ hashed: true });
  #history = new SortedMap<KeyHistory>({ hashed: false });
  #log: ChangeLog;
  /** Events up to the compacted revision that have left the log and are not freed yet. */
  #leaving: StoreEvent[] = [];
  #compacted: Revision;
  /** Values that are kept and not served. */
  readonly unreadable = new UnreadableValues();
  /** Records of unreadable values that no event names, each with the revision that replaced it. */
  #replaced: { readonly at: Revision; readonly id: RecordId }[] = [];

  constructor(compacted: Revision) {
    this.#log = new ChangeLog(compacted);
    this.#compacted = compacted;
  }

  get revision(): Revision {
    return this.#log.revision;
  }

  get compacted(): Revision {
    return this.#compacted;
  }

  /** Bytes of the values that history keeps beyond the live ones. */
  get supersededBytes(): number {
    return this.#log.supersededBytes;
  }

  /** Whether events up to the compacted revision are still to be freed. */
  get isForgetting(): boolean {
    return (
      this.#leaving.length > 0 ||
      this.#log.oldest <= this.#compacted ||
      this.#replaced.some(({ at }) => at <= this.#compacted)
    );
  }

  revisionForBytes(bytesMax: number): Revision {
    return this.#log.revisionForBytes(bytesMax);
  }

  get(key: string, at?: Revision): KeyValue | undefined {
    if (at === undefined) return this.#live.get(key);
    this.#assertReadable(at);
    const history = this.#history.get(key);
    return history === undefined ? this.#live.get(key) : versionAt(history, at);
  }

  list(range: KeyRange, options: ListOptions = {}): ListPage {
    const { at = this.revision, limit = Number.POSITIVE_INFINITY } = options;
    this.#assertReadable(at);
    if (at < this.revision) return listPast({ live: this.#live, history: this.#history, range, at, limit });
    const items = this.#live.values(range, limit);
    return { items, revision: at, remaining: this.#live.count(range) - items.length };
  }

  count(range: KeyRange): number {
    return this.#live.count(range);
  }

  /** Visits every live key in slices; nothing may change the state meanwhile. */
  eachKey(act: (kv: KeyValue) => void): Promise<void> {
    return inSlices(this.#live.values(EVERY_KEY, Number.POSITIVE_INFINITY), act);
  }

  /** The events of a key after the compacted revision, oldest first. */
  changesOf(key: string): readonly StoreEvent[] {
    // Events up to the compacted revision are freed in slices, so some may remain.
    return eventsOf(this.#history.get(key)).filter((event) => eventRevision(event) > this.#compacted);
  }

  /** Every kept change of the range after the revision; throws COMPACTED when some are not kept. */
  changesAfter(range: KeyRange, after: Revision): StoreChange[] {
    if (after < this.#compacted) throw compactedError(after, this.#compacted);
    const changes: StoreChange[] = [];
    for (const change of this.#candidates(range, after)) {
      const part = changeWithin(change, range);
      if (part !== undefined) changes.push(part);
    }
    return changes;
  }

  apply(change: StoreChange): void {
    for (const event of change.events) {
      if (event.type === "put") this.#live.set(event.kv);
      else this.#live.delete(event.key);
      this.unreadable.delete(eventKey(event));
      const before = this.#history.get(eventKey(event));
      const history = historyWith(before, event);
      if (history !== before) this.#history.set(history);
    }
    this.#log.append(change);
  }

  /** Advances the revision without a change. */
  advance(revision: Revision): void {
    this.#log.advance(revision);
  }

  /**
   * Computes the effect of durable changes in slices, one step per live key, and returns a function that publishes all
   * of it at once. Readers see nothing before that. Nothing else may change the state in between.
   */
  async prepare(changes: readonly StoreChange[]): Promise<() => void> {
    const { live, history, weights } = await overlayMaps(
      { live: this.#live, history: this.#history },
      changes,
    );
    return () => {
      this.#live = live;
      this.#history = history;
      for (const [index, change] of changes.entries()) this.#log.append(change, weights[index]);
    };
  }

  /** Takes over the contents of another state, which must not be used any more. The previous contents are dropped. */
  become(other: MvccState): void {
    this.#live = other.#live;
    this.#history = other.#history;
    this.#log = other.#log;
    this.#leaving = other.#leaving;
    this.#compacted = other.#compacted;
    this.unreadable.become(other.unreadable);
    this.#replaced = other.#replaced;
  }

  /** While loading: the record of an unreadable value is compacted with the history before this revision. */
  replaceUnreadable(at: Revision, id: RecordId): void {
    this.#replaced.push({ at, id });
  }

  /** Sets the state of a key at the compacted revision; only while loading, before the first apply. */
  setBase(key: string, kv: KeyValue | undefined): void {
    if (kv === undefined) this.#live.delete(key);
    else this.#live.set(kv);
  }

  /** From now on states before this revision cannot be read; forgetOldest then frees them in slices. */
  moveCompacted(revision: Revision): void {
    this.#compacted = revision;
  }

  /** Frees at most so many events up to the compacted revision; returns the records to delete. */
  forgetOldest(eventsMax: number): RecordId[] {
    if (this.#leaving.length === 0) {
      this.#leaving = this.#log.takeUpTo(this.#compacted, eventsMax).flatMap(({ events }) => events);
    }
    const forgotten = this.#leaving.splice(0, eventsMax);
    // These come first: a record must not outlive the one that replaced it, or the next start would read it as the
    // newest.
    const ids = this.#takeReplaced();
    const lastOf = new Map<string, Revision>();
    for (const event of forgotten) {
      lastOf.set(eventKey(event), eventRevision(event));
      if (event.prev !== undefined) ids.push({ revision: event.prev.modRevision, key: event.prev.key });
      if (event.type === "delete" && this.unreadable.get(event.key)?.modRevision !== event.revision)
        ids.push({ revision: event.revision, key: event.key });
    }
    for (const [key, revision] of lastOf) this.#forgetEvents(key, revision);
    return ids;
  }

  #takeReplaced(): RecordId[] {
    if (this.#replaced.length === 0) return [];
    const isFree = ({ at }: { readonly at: Revision }) => at <= this.#compacted;
    const free = this.#replaced.filter(isFree);
    this.#replaced = this.#replaced.filter((replaced) => !isFree(replaced));
    return free.map(({ id }) => id);
  }

  /** The changes that may touch the range: by the log or by the histories of the range's keys, whichever is shorter. */
  #candidates(range: KeyRange, after: Revision): readonly StoreChange[] {
    if (this.revision - after <= this.#history.count(range)) return this.#log.after(after);
    const revisions = new Set<Revision>();
    for (const history of this.#history.items(range)) {
      const events = eventsOf(history);
      for (let index = events.length - 1; index >= 0; index--) {
        const event = events[index];
        if (event === undefined || eventRevision(event) <= after) break;
        revisions.add(eventRevision(event));
      }
    }
    const sorted = [...revisions].sort((a, b) => a - b);
    return sorted.flatMap((revision) => this.#log.at(revision) ?? []);
  }

  #forgetEvents(key: string, upTo: Revision): void {
    const history = this.#history.get(key);
    if (history !== undefined && !forgetEvents(history, upTo)) this.#history.delete(key);
  }

  #assertReadable(at: Revision): void {
    if (at > this.revision) {
      throw new StoreError(
        "FUTURE_REVISION",
        `revision ${at} is not there yet, the newest is ${this.revision}`,
      );
    }
    if (at < this.#compacted) throw compactedError(at, this.#compacted);
  }
}

function compactedError(revision: Revision, compacted: Revision): StoreError {
  return new StoreError(
    "COMPACTED",
    `revision ${revision} has been compacted, the oldest kept is ${compacted}`,
  );
}

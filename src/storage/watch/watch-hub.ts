// Dispatches published changes to the watchers they concern. Watchers of the same range form a group. A change is
// filtered once per group, and groups whose range holds none of its keys are not visited. Opening a watch is
// synchronous and happens between two publications, so its backlog ends exactly where the live changes begin.
import { inSlices } from "../../apimachinery/meta/lists.ts";
import type { Revision } from "../../apimachinery/meta/revision.ts";
import {
  eventKey,
  type KeyRange,
  type StoreChange,
  StoreError,
  type StoreEvent,
  type StoreWatch,
  type WatchMetrics,
  type WatchTriggers,
} from "../store.ts";
import type { StoreMetrics } from "../store-metrics.ts";
import { MarkedWatchers, type MarksAhead, RangeIndex, readAhead } from "./watch-index.ts";
import { type UnreadLimits, Watcher } from "./watcher.ts";

interface WatcherGroup {
  readonly range: KeyRange;
  /** Number of watchers in the group. */
  size: number;
  /** Watchers that receive every change of the range, and watchers with triggers. */
  readonly plain: Set<Watcher>;
  readonly marked: MarkedWatchers;
}

export interface OpenWatch {
  readonly range: KeyRange;
  readonly after: Revision;
  readonly mayExpire: boolean;
  readonly triggers?: WatchTriggers | undefined;
  readonly dropped?: (() => void) | undefined;
  /** The published changes of the range after `after`. */
  readonly backlog: StoreChange[];
}

const NOTHING: MarksAhead = new Map();

export class WatchHub {
  readonly #metrics: StoreMetrics;
  readonly #unread: UnreadLimits;
  readonly #groups = new Map<string, WatcherGroup>();
  readonly #index = new RangeIndex<WatcherGroup>();

  /** Marks that prepare() has read for changes to be published next. */
  readonly #ahead = new Map<StoreChange, ReadonlyMap<WatcherGroup, MarksAhead>>();

  readonly #watchers = new Set<Watcher>();
  #dropped = 0;

  constructor(metrics: StoreMetrics, unread: UnreadLimits) {
    this.#metrics = metrics;
    this.#unread = unread;
  }

  get metrics(): WatchMetrics {
    return { open: this.#watchers.size, dropped: this.#dropped };
  }

  open({ range, after, mayExpire, triggers, dropped, backlog }: OpenWatch): StoreWatch {
    const group = this.#groupOf(range);
    const leave = (watcher: Watcher) => this.#leave(group, watcher, triggers);
    const watcher = new Watcher({
      after,
      mayExpire,
      backlog,
      unread: this.#unread,
      leave,
      dropped: () => {
        this.#dropped++;
        this.#metrics.of(range.from).cutOff++;
        dropped?.();
      },
    });
    if (triggers === undefined) group.plain.add(watcher);
    else group.marked.add(watcher, triggers);
    group.size++;
    this.#watchers.add(watcher);
    return watcher;
  }

  /**
   * Reads the triggers of the next changes before their publication, in slices, since very many events take long. For a
   * watch that is opened meanwhile the triggers are read at the publication.
   */
  async prepare(changes: readonly StoreChange[]): Promise<void> {
    for (const change of changes) {
      const ahead = new Map<WatcherGroup, MarksAhead>();
      for (const group of this.#groups.values()) ahead.set(group, group.marked.nothingRead());
      await inSlices(change.events, (event) => {
        for (const group of this.#index.at(eventKey(event))) readAhead(ahead.get(group) ?? NOTHING, event);
      });
      this.#ahead.set(change, ahead);
    }
  }

  /** Every reader is woken once, after all the changes are in. */
  publish(changes: readonly StoreChange[]): void {
    const woken: Watcher[] = [];
    for (const change of changes) {
      for (const [group, events] of this.#parts(change)) {
        const whole = events.length === change.events.length;
        const part = whole ? change : { revision: change.revision, events };
        offer(group, part, woken, this.#ahead.get(change)?.get(group));
      }
    }
    this.#ahead.clear();
    for (const watcher of woken) watcher.wake();
  }

  /** Ends the watches that may expire: the history they would continue from is compacted. */
  expire(forgotten: Revision): void {
    const failure = new StoreError("COMPACTED", `the past up to revision ${forgotten} has been forgotten`);
    for (const watcher of this.#watchers) watcher.expire(failure);
  }

  /**
   * Closes the watches that may expire, without an error: the changes in between are unknown. A client that resumes
   * from its last revision then learns whether that revision is still available.
   */
  closeExpiring(): void {
    for (const watcher of this.#watchers) if (watcher.mayExpire) watcher.close();
  }

  /** Ends all watches, because the history that they have received is no longer valid. */
  expireAll(forgotten: Revision): void {
    const failure = new StoreError("COMPACTED", `what there was after revision ${forgotten} is gone`);
    for (const watcher of this.#watchers) watcher.expire(failure, true);
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
  }

  #parts(change: StoreChange): Map<WatcherGroup, StoreEvent[]> {
    const parts = new Map<WatcherGroup, StoreEvent[]>();
    for (const event of change.events) {
      const key = eventKey(event);
      this.#metrics.of(key).dispatched++;
      for (const group of this.#index.at(key)) {
        const events = parts.get(group);
        if (events === undefined) parts.set(group, [event]);
        else events.push(event);
      }
    }
    return parts;
  }

  #groupOf(range: KeyRange): WatcherGroup {
    const id = groupId(range);
    const present = this.#groups.get(id);
    if (present !== undefined) return present;
    const group: WatcherGroup = { range, size: 0, plain: new Set(), marked: new MarkedWatchers() };
    this.#groups.set(id, group);
    this.#index.add(range, group);
    return group;
  }

  #leave(group: WatcherGroup, watcher: Watcher, triggers: WatchTriggers | undefined): void {
    if (triggers === undefined) group.plain.delete(watcher);
    else group.marked.delete(watcher, triggers);
    this.#watchers.delete(watcher);
    if (--group.size > 0) return;
    this.#groups.delete(groupId(group.range));
    this.#index.remove(group.range, group);
  }
}

function offer(group: WatcherGroup, change: StoreChange, woken: Watcher[], ahead?: MarksAhead): void {
  let bytes = 0;
  for (const event of change.events) if (event.type === "put") bytes += event.kv.value.byteLength;
  for (const watcher of group.plain) if (watcher.offer(change, bytes)) woken.push(watcher);
  for (const watcher of group.marked.concernedBy(change, ahead))
    if (watcher.offer(change, bytes)) woken.push(watcher);
}

function groupId({ from, to }: KeyRange): string {
  return `${from.length} ${from}${to}`;
}

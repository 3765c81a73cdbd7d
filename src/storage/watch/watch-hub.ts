// Hands published changes to the watchers they concern. Watchers of the same range form a group; a change is cut to a group
// once, and groups that do not hold its keys are not looked at. Opening a watch is synchronous and happens between two
// publications, so the backlog ends exactly where the live changes begin.
import type { Revision } from "../../meta/revision.ts";
import type { KeyRange, StoreChange, StoreEvent, StoreWatch } from "../store.ts";
import { eventKey } from "../store-events.ts";
import { RangeIndex } from "./range-index.ts";
import { Watcher } from "./watcher.ts";

interface WatcherGroup {
  readonly range: KeyRange;
  readonly watchers: Set<Watcher>;
}

export interface OpenWatch {
  readonly range: KeyRange;
  readonly after: Revision;
  /** The changes of the range that are already published and come after `after`. */
  readonly backlog: StoreChange[];
}

export class WatchHub {
  readonly #unreadMax: number;
  readonly #groups = new Map<string, WatcherGroup>();
  readonly #index = new RangeIndex<WatcherGroup>();

  constructor(unreadMax: number) {
    this.#unreadMax = unreadMax;
  }

  open({ range, after, backlog }: OpenWatch): StoreWatch {
    const group = this.#groupOf(range);
    const leave = (watcher: Watcher) => this.#leave(group, watcher);
    const watcher = new Watcher({ after, backlog, unreadMax: this.#unreadMax, leave });
    group.watchers.add(watcher);
    return watcher;
  }

  /** Every reader is woken once, after all the changes are in. */
  publish(changes: readonly StoreChange[]): void {
    const woken: Watcher[] = [];
    for (const change of changes) {
      const [only] = change.events;
      if (change.events.length === 1 && only !== undefined) {
        // A watcher that lags leaves while it is offered a change; when it was the last, its group leaves the index.
        for (const group of [...this.#index.at(eventKey(only))]) offer(group, change, woken);
      } else {
        for (const [group, events] of this.#parts(change)) {
          const whole = events.length === change.events.length;
          offer(group, whole ? change : { revision: change.revision, events }, woken);
        }
      }
    }
    for (const watcher of woken) watcher.wake();
  }

  close(): void {
    for (const { watchers } of [...this.#groups.values()]) {
      for (const watcher of [...watchers]) watcher.close();
    }
  }

  #parts(change: StoreChange): Map<WatcherGroup, StoreEvent[]> {
    const parts = new Map<WatcherGroup, StoreEvent[]>();
    for (const event of change.events) {
      for (const group of this.#index.at(eventKey(event))) {
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
    const group: WatcherGroup = { range, watchers: new Set() };
    this.#groups.set(id, group);
    this.#index.add(range, group);
    return group;
  }

  #leave(group: WatcherGroup, watcher: Watcher): void {
    group.watchers.delete(watcher);
    if (group.watchers.size > 0) return;
    this.#groups.delete(groupId(group.range));
    this.#index.remove(group.range, group);
  }
}

function offer(group: WatcherGroup, change: StoreChange, woken: Watcher[]): void {
  for (const watcher of group.watchers) if (watcher.offer(change)) woken.push(watcher);
}

function groupId({ from, to }: KeyRange): string {
  return `${from.length} ${from}${to}`;
}

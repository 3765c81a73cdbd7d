// Watchers that have said by which marks they know their changes: a change is offered to those who wait for a mark that
// it bears, and costs nothing to the others, however many they are.
//
//   watchers   A: "l:env=a"   B: "l:env=b", "l:env=c"
//   index      l:env=a → A    l:env=b → B    l:env=c → B
//   a change from env=c to env=a concerns A and B
import type { StoreChange, WatchMarks } from "../store.ts";
import type { Watcher } from "./watcher.ts";

type ReadMarks = WatchMarks["of"];

export class MarkedWatchers {
  /** Marks of different functions have nothing to do with one another. */
  readonly #indexes = new Map<ReadMarks, Map<string, Set<Watcher>>>();

  add(watcher: Watcher, { any, of }: WatchMarks): void {
    let index = this.#indexes.get(of);
    if (index === undefined) {
      index = new Map();
      this.#indexes.set(of, index);
    }
    for (const mark of any) {
      const waiting = index.get(mark);
      if (waiting === undefined) index.set(mark, new Set([watcher]));
      else waiting.add(watcher);
    }
  }

  delete(watcher: Watcher, { any, of }: WatchMarks): void {
    const index = this.#indexes.get(of);
    if (index === undefined) return;
    for (const mark of any) {
      const waiting = index.get(mark);
      waiting?.delete(watcher);
      if (waiting?.size === 0) index.delete(mark);
    }
    if (index.size === 0) this.#indexes.delete(of);
  }

  /** Those that the change may concern, each once. */
  concernedBy({ events }: StoreChange): ReadonlySet<Watcher> {
    const concerned = new Set<Watcher>();
    for (const [of, index] of this.#indexes) {
      for (const event of events) {
        for (const mark of of(event) ?? index.keys()) {
          for (const watcher of index.get(mark) ?? []) concerned.add(watcher);
        }
      }
    }
    return concerned;
  }
}

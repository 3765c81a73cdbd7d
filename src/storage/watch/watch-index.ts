// Finds the items whose range contains a key without visiting any other item. The key space is cut at each start and
// end of a range, and every piece lists the items that cover it.
//
//   A ├──────────────────────────┤        pieces   a    b    d    e
//   B           ├────────┤                items    A    AB   A    -
//     a         b        d       e        at("c") = piece "b" = [A, B]
import { leading } from "../../apimachinery/meta/lists.ts";
import type { KeyRange, StoreChange, StoreEvent, WatchTriggers } from "../store.ts";
import type { Watcher } from "./watcher.ts";

interface Piece<T> {
  readonly start: string;
  readonly items: T[];
  /** Number of ranges that start or end here. Without any, a piece is joined with the one before it. */
  edges: number;
}

export class RangeIndex<T> {
  /** In key order; no range starts before the first piece. */
  readonly #pieces: Piece<T>[] = [];

  /** Number of pieces of the key space. */
  get size(): number {
    return this.#pieces.length;
  }

  /** The caller must neither change nor keep the result. */
  at(key: string): readonly T[] {
    return this.#pieces[this.#pieceOf(key)]?.items ?? [];
  }

  add(range: KeyRange, item: T): void {
    if (range.from >= range.to) return; // an empty range
    const first = this.#cut(range.from);
    const end = this.#cut(range.to);
    for (const piece of this.#pieces.slice(first, end)) piece.items.push(item);
  }

  remove(range: KeyRange, item: T): void {
    if (range.from >= range.to) return;
    const first = this.#pieceOf(range.from);
    const end = this.#pieceOf(range.to);
    for (const { items } of this.#pieces.slice(first, end)) items.splice(items.indexOf(item), 1);
    this.#release(end);
    this.#release(first);
  }

  #cut(key: string): number {
    const index = this.#pieceOf(key);
    const piece = this.#pieces[index];
    if (piece?.start === key) {
      piece.edges++;
      return index;
    }
    this.#pieces.splice(index + 1, 0, { start: key, items: [...(piece?.items ?? [])], edges: 1 });
    return index + 1;
  }

  #release(index: number): void {
    const piece = this.#pieces[index];
    if (piece !== undefined && --piece.edges === 0) this.#pieces.splice(index, 1);
  }

  /** Index of the last piece that starts at or before the key. */
  #pieceOf(key: string): number {
    return leading(this.#pieces, ({ start }) => start <= key) - 1;
  }
}

// Watch index: watchers with triggers. A change is offered only to the watchers of a trigger that it has. It costs the other
// watchers nothing, however many there are.
//
//   watchers   A: "l:env=a"   B: "l:env=b", "l:env=c"
//   index      l:env=a → A    l:env=b → B    l:env=c → B
//   a change from env=c to env=a concerns A and B

type ReadMarks = WatchTriggers["of"];

/** All triggers of the events of a change, by the function that read them; undefined where they are unknown. */
export type MarksAhead = Map<ReadMarks, Set<string> | undefined>;

export class MarkedWatchers {
  /** Marks of different functions are unrelated. */
  readonly #indexes = new Map<ReadMarks, Map<string, Set<Watcher>>>();

  add(watcher: Watcher, { any, of }: WatchTriggers): void {
    let index = this.#indexes.get(of);
    if (index === undefined) {
      index = new Map();
      this.#indexes.set(of, index);
    }
    for (const trigger of any) {
      const waiting = index.get(trigger);
      if (waiting === undefined) index.set(trigger, new Set([watcher]));
      else waiting.add(watcher);
    }
  }

  delete(watcher: Watcher, { any, of }: WatchTriggers): void {
    const index = this.#indexes.get(of);
    if (index === undefined) return;
    for (const trigger of any) {
      const waiting = index.get(trigger);
      waiting?.delete(watcher);
      if (waiting?.size === 0) index.delete(trigger);
    }
    if (index.size === 0) this.#indexes.delete(of);
  }

  /** An empty set of triggers for each function in use now. */
  nothingRead(): MarksAhead {
    return new Map([...this.#indexes.keys()].map((of) => [of, new Set()]));
  }

  /** The watchers that the change may concern, each once. Marks that were read ahead are not read again. */
  concernedBy({ events }: StoreChange, ahead?: MarksAhead): ReadonlySet<Watcher> {
    const concerned = new Set<Watcher>();
    for (const [of, index] of this.#indexes) {
      const found = ahead?.has(of) ? marksWithin(index, ahead.get(of)) : triggersOf(index, events, of);
      for (const trigger of found) for (const watcher of index.get(trigger) ?? []) concerned.add(watcher);
    }
    return concerned;
  }
}

type Index = ReadonlyMap<string, ReadonlySet<Watcher>>;

function* triggersOf(
  index: Index,
  events: readonly StoreEvent[],
  of: ReadMarks,
): Generator<string, undefined> {
  for (const event of events) yield* of(event) ?? index.keys();
}

/** The triggers in use: a large change has many more. */
function marksWithin(index: Index, read: ReadonlySet<string> | undefined): Iterable<string> {
  return read === undefined ? index.keys() : [...index.keys()].filter((trigger) => read.has(trigger));
}

/** Adds the triggers of one more event. */
export function readAhead(ahead: MarksAhead, event: StoreEvent): void {
  for (const [of, triggers] of ahead) {
    if (triggers === undefined) continue;
    const found = of(event);
    if (found === undefined) ahead.set(of, undefined);
    else for (const trigger of found) triggers.add(trigger);
  }
}

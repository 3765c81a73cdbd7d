// A map that keeps its keys in byte order. Looking up and replacing cost one hash lookup; inserting, removing and seeking
// cost a binary search over chunks of bounded size, so they do not grow noticeably with the number of keys.
//
//   #byKey    hash of all entries
//   #chunks   [ [a b c] [d e] [f g h i] ]   every key of a chunk is smaller than every key of the next; no empty chunk
import { append, inSlices, leading } from "../../meta/lists.ts";
import type { KeyRange } from "../store.ts";

export interface Entry<V> {
  readonly key: string;
  value: V;
}

interface Part<V> {
  readonly chunk: readonly Entry<V>[];
  readonly start: number;
  readonly end: number;
}

const CHUNK_ENTRIES_MAX = 512;
/** A chunk is joined with its neighbour when both fit into this many, which leaves room before the next split. */
const CHUNK_ENTRIES_JOINED = 256;
/** How full chunks are that are made one after the other, so that not each of them is split soon. */
const CHUNK_ENTRIES_BUILT = 384;

export class SortedMap<V> {
  readonly #byKey = new Map<string, Entry<V>>();
  readonly #chunks: Entry<V>[][] = [];

  get(key: string): V | undefined {
    return this.#byKey.get(key)?.value;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  set(key: string, value: V): void {
    const present = this.#byKey.get(key);
    if (present !== undefined) {
      present.value = value;
      return;
    }
    const entry = { key, value };
    this.#byKey.set(key, entry);
    const index = this.#chunkFor(key);
    const chunk = this.#chunks[index];
    if (chunk === undefined) {
      this.#chunks.push([entry]);
      return;
    }
    chunk.splice(lowerBound(chunk, key), 0, entry);
    if (chunk.length > CHUNK_ENTRIES_MAX) this.#split(index, chunk);
  }

  delete(key: string): void {
    if (!this.#byKey.delete(key)) return;
    const index = this.#chunkFor(key);
    const chunk = this.#chunks[index] ?? [];
    chunk.splice(lowerBound(chunk, key), 1);
    this.#join(index, chunk);
  }

  /**
   * Another map that differs by these; undefined takes a key out. It is made in slices, and this one must not change
   * before it is given up for the other: they share their entries.
   */
  async with(changes: ReadonlyMap<string, V | undefined>): Promise<SortedMap<V>> {
    const made = new SortedMap<V>();
    await inSlices(this.#entriesWith(changes), (entry) => made.#append(entry));
    return made;
  }

  *#entriesWith(changes: ReadonlyMap<string, V | undefined>): Generator<Entry<V>, undefined> {
    const added = [...changes.keys()].filter((key) => !this.has(key)).sort();
    let next = 0;
    for (const chunk of this.#chunks) {
      for (const entry of chunk) {
        for (let key = added[next]; key !== undefined && key < entry.key; key = added[++next])
          yield* changedEntry(key, changes);
        if (changes.has(entry.key)) yield* changedEntry(entry.key, changes);
        else yield entry;
      }
    }
    for (const key of added.slice(next)) yield* changedEntry(key, changes);
  }

  /** How many keys the range holds; costs one step per chunk in the range. */
  count(range: KeyRange): number {
    let count = 0;
    for (const { start, end } of this.#parts(range)) count += end - start;
    return count;
  }

  /** The first values of the range, in key order. */
  values(range: KeyRange, limit: number): V[] {
    const values: V[] = [];
    for (const { chunk, start, end } of this.#parts(range)) {
      for (let at = start; at < end; at++) {
        const entry = chunk[at];
        if (entry === undefined || values.length >= limit) return values;
        values.push(entry.value);
      }
    }
    return values;
  }

  /** The entries of the range one by one, in key order; the map must not change meanwhile. */
  *entries(range: KeyRange): Generator<Entry<V>, undefined> {
    for (const { chunk, start, end } of this.#parts(range)) yield* chunk.slice(start, end);
  }

  /** Of each chunk that the range reaches what lies in it. */
  *#parts({ from, to }: KeyRange): Generator<Part<V>, undefined> {
    if (from >= to) return;
    const [first, last] = [this.#chunkFor(from), this.#chunkFor(to)];
    for (let index = first; index <= last; index++) {
      const chunk = this.#chunks[index] ?? [];
      const start = index === first ? lowerBound(chunk, from) : 0;
      yield { chunk, start, end: index === last ? lowerBound(chunk, to) : chunk.length };
    }
  }

  /** The last chunk that starts at or before the key: where the key is, or belongs. */
  #chunkFor(key: string): number {
    return Math.max(leading(this.#chunks, ([first]) => first !== undefined && first.key <= key) - 1, 0);
  }

  /** For a key behind all others. */
  #append(entry: Entry<V>): void {
    this.#byKey.set(entry.key, entry);
    const last = this.#chunks.at(-1);
    if (last === undefined || last.length >= CHUNK_ENTRIES_BUILT) this.#chunks.push([entry]);
    else last.push(entry);
  }

  #split(index: number, chunk: Entry<V>[]): void {
    // Keys that only grow (names with a counter or a time) leave full chunks behind instead of half-full ones.
    const appended = index === this.#chunks.length - 1;
    const kept = appended ? CHUNK_ENTRIES_MAX - 1 : chunk.length >>> 1;
    this.#chunks.splice(index + 1, 0, chunk.splice(kept));
  }

  #join(index: number, chunk: Entry<V>[]): void {
    const next = this.#chunks[index + 1];
    if (chunk.length === 0) {
      this.#chunks.splice(index, 1);
    } else if (next !== undefined && chunk.length + next.length <= CHUNK_ENTRIES_JOINED) {
      append(chunk, next);
      this.#chunks.splice(index + 1, 1);
    }
  }
}

/** One entry, or none for a key that is taken out. */
function changedEntry<V>(key: string, changes: ReadonlyMap<string, V | undefined>): Entry<V>[] {
  const value = changes.get(key);
  return value === undefined ? [] : [{ key, value }];
}

/** The index of the first entry whose key is not smaller. */
const lowerBound = (chunk: readonly Entry<unknown>[], key: string): number =>
  leading(chunk, (entry) => entry.key < key);

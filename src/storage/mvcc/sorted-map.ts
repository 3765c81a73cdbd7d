// A map in the byte order of its keys. An item contains its key, so the map holds only the reference: in a chunk, and
// optionally in a hash for frequent single-key reads. Lookup without the hash, insertion, removal and seek are a binary
// search over chunks of bounded size. Their cost hardly grows with the number of keys.
//
//   #chunks   [ [a b c] [d e] [f g h i] ]   every key of a chunk is smaller than every key of the next; no empty chunk
//   #byKey    hash of all items, if there is one
import { append, inSlices } from "../../apimachinery/meta/lists.ts";
import type { KeyRange } from "../store.ts";

export interface Keyed {
  readonly key: string;
}

interface Part<V> {
  readonly chunk: readonly V[];
  readonly start: number;
  readonly end: number;
}

export interface SortedMapOptions {
  /** Adds a hash for single-key lookups, at some 40 bytes per key. */
  readonly hashed: boolean;
}

const CHUNK_ITEMS_MAX = 512;
/** Adjacent chunks are joined when both fit into this many items, which leaves capacity before the next split. */
const CHUNK_ITEMS_JOINED = 256;
/** Fill of chunks that are built in sequence, so that they are not all split soon. */
const CHUNK_ITEMS_BUILT = 384;

export class SortedMap<V extends Keyed> {
  readonly #byKey: Map<string, V> | undefined;
  readonly #chunks: V[][] = [];

  constructor({ hashed }: SortedMapOptions) {
    this.#byKey = hashed ? new Map() : undefined;
  }

  get(key: string): V | undefined {
    if (this.#byKey !== undefined) return this.#byKey.get(key);
    const chunk = this.#chunks[this.#chunkFor(key)];
    const item = chunk?.[firstFrom(chunk, key)];
    return item?.key === key ? item : undefined;
  }

  has(key: string): boolean {
    return this.#byKey === undefined ? this.get(key) !== undefined : this.#byKey.has(key);
  }

  /** Replaces the item with the same key. */
  set(item: V): void {
    const { key } = item;
    this.#byKey?.set(key, item);
    const index = this.#chunkFor(key);
    const chunk = this.#chunks[index];
    if (chunk === undefined) {
      this.#chunks.push([item]);
      return;
    }
    const at = firstFrom(chunk, key);
    if (chunk[at]?.key === key) {
      chunk[at] = item;
      return;
    }
    if (at === chunk.length) chunk.push(item);
    else chunk.splice(at, 0, item);
    if (chunk.length > CHUNK_ITEMS_MAX) this.#split(index, chunk);
  }

  delete(key: string): void {
    if (this.#byKey?.delete(key) === false) return;
    const index = this.#chunkFor(key);
    const chunk = this.#chunks[index] ?? [];
    const at = firstFrom(chunk, key);
    if (chunk[at]?.key !== key) return;
    chunk.splice(at, 1);
    this.#join(index, chunk);
  }

  /**
   * Returns a modified copy; undefined removes a key. The copy is made in slices, and this map must not change
   * meanwhile.
   */
  async with(changes: ReadonlyMap<string, V | undefined>): Promise<SortedMap<V>> {
    const made = new SortedMap<V>({ hashed: this.#byKey !== undefined });
    await inSlices(this.#itemsWith(changes), (item) => made.#append(item));
    return made;
  }

  *#itemsWith(changes: ReadonlyMap<string, V | undefined>): Generator<V, undefined> {
    const added = [...changes.keys()].filter((key) => !this.has(key)).sort();
    let next = 0;
    for (const chunk of this.#chunks) {
      for (const item of chunk) {
        for (let key = added[next]; key !== undefined && key < item.key; key = added[++next])
          yield* changedItem(key, changes);
        if (changes.has(item.key)) yield* changedItem(item.key, changes);
        else yield item;
      }
    }
    for (const key of added.slice(next)) yield* changedItem(key, changes);
  }

  /** Number of keys in the range; costs one step per chunk in the range. */
  count(range: KeyRange): number {
    let count = 0;
    for (const { start, end } of this.#parts(range)) count += end - start;
    return count;
  }

  /** The first items of the range, in key order. */
  values(range: KeyRange, limit: number): V[] {
    const values: V[] = [];
    for (const { chunk, start, end } of this.#parts(range)) {
      for (let at = start; at < end; at++) {
        const item = chunk[at];
        if (item === undefined || values.length >= limit) return values;
        values.push(item);
      }
    }
    return values;
  }

  /** The items of the range one by one, in key order; the map must not change meanwhile. */
  *items(range: KeyRange): Generator<V, undefined> {
    for (const { chunk, start, end } of this.#parts(range)) yield* chunk.slice(start, end);
  }

  /** The part of each chunk that lies in the range. */
  *#parts({ from, to }: KeyRange): Generator<Part<V>, undefined> {
    if (from >= to) return;
    const [first, last] = [this.#chunkFor(from), this.#chunkFor(to)];
    for (let index = first; index <= last; index++) {
      const chunk = this.#chunks[index] ?? [];
      const start = index === first ? firstFrom(chunk, from) : 0;
      yield { chunk, start, end: index === last ? firstFrom(chunk, to) : chunk.length };
    }
  }

  /** The last chunk that starts at or before the key: the one that contains the key, or where it is inserted. */
  #chunkFor(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const first = this.#chunks[middle]?.[0];
      if (first !== undefined && first.key <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(low - 1, 0);
  }

  /** Appends an item whose key is greater than all others. */
  #append(item: V): void {
    this.#byKey?.set(item.key, item);
    const last = this.#chunks.at(-1);
    if (last === undefined || last.length >= CHUNK_ITEMS_BUILT) this.#chunks.push([item]);
    else last.push(item);
  }

  #split(index: number, chunk: V[]): void {
    // Ascending keys (names with a counter or a time) leave full chunks behind instead of half-full ones.
    const appended = index === this.#chunks.length - 1;
    const kept = appended ? CHUNK_ITEMS_MAX - 1 : chunk.length >>> 1;
    this.#chunks.splice(index + 1, 0, chunk.splice(kept));
  }

  #join(index: number, chunk: V[]): void {
    const next = this.#chunks[index + 1];
    if (chunk.length === 0) {
      this.#chunks.splice(index, 1);
    } else if (next !== undefined && chunk.length + next.length <= CHUNK_ITEMS_JOINED) {
      append(chunk, next);
      this.#chunks.splice(index + 1, 1);
    }
  }
}

/** The new item of a key, or none for a removed key. */
function changedItem<V>(key: string, changes: ReadonlyMap<string, V | undefined>): V[] {
  const item = changes.get(key);
  return item === undefined ? [] : [item];
}

/** The index of the first item whose key is not smaller. A loop of its own, since a write searches four times. */
function firstFrom(chunk: readonly Keyed[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = chunk[middle];
    if (item !== undefined && item.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

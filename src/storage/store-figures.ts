// What a store has done so far, counted by collection: the keys of one resource. Every write comes by here, and few figures are
// ever asked for, so nothing is made for a single operation. What they are called is told in server/metrics/.
import { momentNow, secondsSince } from "../meta/clock.ts";
import { Histogram } from "../meta/histogram.ts";
import type { ClientFigures } from "./client-figures.ts";

/** "get" and "list" are questions to whoever keeps the data elsewhere; what is read in memory is none. */
export type StoreOperation = "create" | "update" | "delete" | "get" | "list";

/** Upper bounds in seconds, as a kube-apiserver has them. */
const REQUEST_BOUNDS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const WAIT_BOUNDS = REQUEST_BOUNDS.slice(0, 13);

export class OperationFigures {
  readonly seconds = new Histogram(REQUEST_BOUNDS);
  /** Those that failed; to find that something else is there is no failure. */
  errors = 0;
}

export class CollectionFigures {
  /** What all its keys begin with; "" for what belongs to no collection. */
  readonly prefix: string;
  readonly operations: { [Name in StoreOperation]?: OperationFigures } = {};
  /** Lists that were answered, and objects: read for them, tested by a selection, returned. */
  lists = 0;
  fetched = 0;
  evaluated = 0;
  returned = 0;
  /** Objects that watches began with, changes that watches were offered, and watches that were cut off. */
  begunWith = 0;
  dispatched = 0;
  cutOff = 0;
  /** Changes that have come from elsewhere, one's own among them. */
  received = 0;
  /** Values that could not be read. */
  unreadable = 0;
  /** How long reads waited until they could be answered, and reads of the present that were, and were not. */
  readonly waits = new Histogram(WAIT_BOUNDS);
  presentReads = 0;
  presentReadsFailed = 0;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  done(operation: StoreOperation, seconds: number, hasFailed: boolean): void {
    let figures = this.operations[operation];
    if (figures === undefined) {
      figures = new OperationFigures();
      this.operations[operation] = figures;
    }
    figures.seconds.observe(seconds);
    if (hasFailed) figures.errors++;
  }

  /** Hands the waiting of a read on, once its time has been taken. */
  async waited(until: Promise<unknown>): Promise<void> {
    const since = momentNow();
    try {
      await until;
    } finally {
      this.waits.observe(secondsSince(since));
    }
  }

  /** The same for a read of the present. */
  async readsPresent(until: Promise<unknown>): Promise<void> {
    try {
      await this.waited(until);
      this.presentReads++;
    } catch (error) {
      this.presentReadsFailed++;
      throw error;
    }
  }

  listed(cost: { readonly fetched: number; readonly evaluated: number }, returned: number): void {
    this.lists++;
    this.fetched += cost.fetched;
    this.evaluated += cost.evaluated;
    this.returned += returned;
  }
}

/** The length of what all keys of a key's collection begin with; 0: it belongs to none. */
export type CollectionEnd = (key: string) => number;

/** Others' keys in an etcd may be anything: beyond so many collections all others count as one. */
const COLLECTIONS_MAX = 1000;
const HASH_FACTOR = 31;

export class StoreFigures implements Iterable<CollectionFigures> {
  /** Of the client of an etcd; undefined: the store is of this process alone. */
  readonly client: ClientFigures | undefined;
  readonly #collectionEnd: CollectionEnd;
  /** By the hash of the prefix: a text of it would have to be made for every look-up. */
  readonly #byHash = new Map<number, CollectionFigures[]>();
  readonly #others = new CollectionFigures("");
  #size = 0;
  /** Mostly the next key is of the same collection. No prefix of one begins with that of another. */
  #last: CollectionFigures | undefined;

  constructor(collectionEnd: CollectionEnd = () => 0, client?: ClientFigures) {
    this.#collectionEnd = collectionEnd;
    this.client = client;
  }

  /** Of the collection of a key. */
  of(key: string): CollectionFigures {
    if (this.#last !== undefined && key.startsWith(this.#last.prefix)) return this.#last;
    const length = this.#collectionEnd(key);
    if (length === 0) return this.#others;
    let hash = 0;
    for (let index = 0; index < length; index++) {
      hash = (hash * HASH_FACTOR + key.charCodeAt(index)) | 0;
    }
    for (const figures of this.#byHash.get(hash) ?? []) {
      if (figures.prefix.length !== length || !key.startsWith(figures.prefix)) continue;
      this.#last = figures;
      return figures;
    }
    return this.#add(hash, key.slice(0, length));
  }

  *[Symbol.iterator](): Iterator<CollectionFigures> {
    yield this.#others;
    for (const alike of this.#byHash.values()) yield* alike;
  }

  #add(hash: number, prefix: string): CollectionFigures {
    if (this.#size === COLLECTIONS_MAX) return this.#others;
    this.#size++;
    const figures = new CollectionFigures(prefix);
    const alike = this.#byHash.get(hash);
    if (alike === undefined) this.#byHash.set(hash, [figures]);
    else alike.push(figures);
    return figures;
  }
}

/** What is asked of whoever keeps the data, about the collection of a key. */
export async function measured<T>(
  figures: StoreFigures,
  operation: StoreOperation,
  key: string,
  ask: () => Promise<T>,
): Promise<T> {
  const askedAt = momentNow();
  let hasFailed = true;
  try {
    const answer = await ask();
    hasFailed = false;
    return answer;
  } finally {
    figures.of(key).done(operation, secondsSince(askedAt), hasFailed);
  }
}

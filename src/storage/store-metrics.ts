// Metrics of a store by collection, i.e. the keys of one resource. Every write updates them and they are read rarely,
// so no object is allocated per operation. server/metrics/ defines their names.
import { momentNow, secondsSince } from "../apimachinery/meta/clock.ts";
import { Histogram } from "../apimachinery/meta/histogram.ts";
import type { ClientMetrics } from "./client-metrics.ts";

/** "get" and "list" count requests to an external storage backend; reads from memory do not count. */
export type StoreOperation = "create" | "update" | "delete" | "get" | "list";

/** Histogram buckets in seconds, as in a kube-apiserver. */
const REQUEST_BOUNDS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const WAIT_BOUNDS = REQUEST_BOUNDS.slice(0, 13);

export class OperationMetrics {
  readonly seconds = new Histogram(REQUEST_BOUNDS);
  /** Failed operations; a conflict is no failure. */
  errors = 0;
}

export class CollectionMetrics {
  /** The common key prefix; "" for keys outside all collections. */
  readonly prefix: string;
  readonly operations: { [Name in StoreOperation]?: OperationMetrics } = {};
  /** Number of lists, and of objects: read for them, tested by a selector, returned. */
  lists = 0;
  fetched = 0;
  evaluated = 0;
  returned = 0;
  /** Number of initial objects of watches, of changes offered to watches, and of terminated watches. */
  begunWith = 0;
  dispatched = 0;
  cutOff = 0;
  /** Changes received from the storage backend, those of this process included. */
  received = 0;
  /** Values that could not be read. */
  unreadable = 0;
  /** Time that reads waited for the state to catch up, and number of linearizable reads that succeeded and failed. */
  readonly waits = new Histogram(WAIT_BOUNDS);
  presentReads = 0;
  presentReadsFailed = 0;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  done(operation: StoreOperation, seconds: number, hasFailed: boolean): void {
    let metrics = this.operations[operation];
    if (metrics === undefined) {
      metrics = new OperationMetrics();
      this.operations[operation] = metrics;
    }
    metrics.seconds.observe(seconds);
    if (hasFailed) metrics.errors++;
  }

  /** Awaits the promise of a waiting read and measures its time. */
  async waited(until: Promise<unknown>): Promise<void> {
    const since = momentNow();
    try {
      await until;
    } finally {
      this.waits.observe(secondsSince(since));
    }
  }

  /** As waited, for a linearizable read. */
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

/** Length of the key prefix of a key's collection; 0: it belongs to none. */
export type CollectionEnd = (key: string) => number;

/** Other programs' keys in an etcd are arbitrary: beyond so many collections all further ones count as one. */
const COLLECTIONS_MAX = 1000;
const HASH_FACTOR = 31;

export class StoreMetrics implements Iterable<CollectionMetrics> {
  /** Metrics of the etcd client; undefined: the store has no etcd. */
  readonly client: ClientMetrics | undefined;
  readonly #collectionEnd: CollectionEnd;
  /** By the hash of the prefix, to avoid a substring per lookup. */
  readonly #byHash = new Map<number, CollectionMetrics[]>();
  readonly #others = new CollectionMetrics("");
  #size = 0;
  /** The next key is usually of the same collection. No collection's prefix is a prefix of another. */
  #last: CollectionMetrics | undefined;

  constructor(collectionEnd: CollectionEnd = () => 0, client?: ClientMetrics) {
    this.#collectionEnd = collectionEnd;
    this.client = client;
  }

  /** Returns the metrics of a key's collection. */
  of(key: string): CollectionMetrics {
    if (this.#last !== undefined && key.startsWith(this.#last.prefix)) return this.#last;
    const length = this.#collectionEnd(key);
    if (length === 0) return this.#others;
    let hash = 0;
    for (let index = 0; index < length; index++) {
      hash = (hash * HASH_FACTOR + key.charCodeAt(index)) | 0;
    }
    for (const metrics of this.#byHash.get(hash) ?? []) {
      if (metrics.prefix.length !== length || !key.startsWith(metrics.prefix)) continue;
      this.#last = metrics;
      return metrics;
    }
    return this.#add(hash, key.slice(0, length));
  }

  *[Symbol.iterator](): Iterator<CollectionMetrics> {
    yield this.#others;
    for (const alike of this.#byHash.values()) yield* alike;
  }

  #add(hash: number, prefix: string): CollectionMetrics {
    if (this.#size === COLLECTIONS_MAX) return this.#others;
    this.#size++;
    const metrics = new CollectionMetrics(prefix);
    const alike = this.#byHash.get(hash);
    if (alike === undefined) this.#byHash.set(hash, [metrics]);
    else alike.push(metrics);
    return metrics;
  }
}

/** Measures a request to the storage backend, by the collection of a key. */
export async function measured<T>(
  metrics: StoreMetrics,
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
    metrics.of(key).done(operation, secondsSince(askedAt), hasFailed);
  }
}

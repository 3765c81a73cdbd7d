// Informer: a local cache of one resource, kept current by list and watch (reflector). Handlers run synchronously, in
// the order of the changes, after the cache was updated. They must not throw and must not change objects, which are
// shared.
import type { Clock } from "../apimachinery/meta/clock.ts";
import { inSlices } from "../apimachinery/meta/lists.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { StatusError } from "../apimachinery/meta/status.ts";
import { yieldIfDue } from "../apimachinery/scheduling/event-loop.ts";
import {
  type Client,
  type ClientListOptions,
  type ClientWatchEvent,
  isManyEvents,
  type ObjectKey,
  type ResourceName,
} from "./client.ts";

export interface InformerHandlers {
  add?(object: KubeObject): void;
  update?(old: KubeObject, object: KubeObject): void;
  /** Receives the last known state. An object that was replaced by another of the same name is deleted, then added. */
  delete?(object: KubeObject): void;
}

export interface InformerOptions {
  readonly client: Client;
  readonly resource: ResourceName;
  readonly clock: Clock;
  readonly list?: ClientListOptions;
  /** Called for failed lists and watches, which are retried, and for handlers that threw. */
  readonly onError?: (error: unknown) => void;
}

const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 30_000;

/** The key of an object in an informer: "namespace/name", or "name" when it is cluster-scoped. */
export const keyOf = ({ namespace, name }: ObjectKey): string => (namespace ? `${namespace}/${name}` : name);

const keyOfObject = ({ metadata }: KubeObject): string =>
  keyOf({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" });

export class Informer {
  readonly #options: InformerOptions;
  readonly #objects = new Map<string, KubeObject>();
  readonly #handlers: InformerHandlers[] = [];
  #synced = false;
  #stopped = false;
  /** Increases with every list and every batch of events that was applied. */
  #changes = 0;
  /** Increases with every object that is added to the cache or removed. */
  #edits = 0;
  /** The server's list when the cache was last found equal to it. */
  #held: { readonly items: readonly KubeObject[]; readonly edits: number } | undefined;
  #waiting: (() => void)[] = [];

  constructor(options: InformerOptions) {
    this.#options = options;
  }

  /** A handler that is added after the start first receives add for every cached object. */
  addHandlers(handlers: InformerHandlers): void {
    this.#handlers.push(handlers);
    for (const object of this.#objects.values()) this.#call(() => handlers.add?.(object));
  }

  /** True once the first list was applied and its handlers have run. */
  get hasSynced(): boolean {
    return this.#synced;
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  list(): IterableIterator<KubeObject> {
    return this.#objects.values();
  }

  /** Runs until the signal aborts; returns at once. */
  start(signal: AbortSignal): void {
    this.#run(signal).catch((error: unknown) => this.#options.onError?.(error));
  }

  /** Resolves once hasSynced, or when the informer was stopped before. */
  async synced(): Promise<void> {
    while (!this.#synced && !this.#stopped) await this.#nextChange();
  }

  /** Resolves once everything that the server holds at the time of the call was applied and handled. */
  async caughtUp(): Promise<void> {
    const { client, resource, list } = this.#options;
    while (!this.#stopped) {
      const before = this.#changes;
      const { items } = await client.list(resource, list);
      if (this.#synced && (await this.#holds(items))) return;
      if (this.#changes === before) await this.#nextChange();
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { client, resource, list, clock, onError } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      try {
        const { items, resourceVersion } = await client.list(resource, list);
        await this.#replace(items);
        this.#synced = true;
        this.#wake();
        failures = 0;
        await this.#follow(resourceVersion, signal);
      } catch (error) {
        if (signal.aborted) break;
        onError?.(error);
        await clock.sleep(backoff(failures++), signal).catch(() => undefined); // aborted: the loop ends
      }
    }
    this.#stopped = true;
    this.#wake();
  }

  /** Watches repeatedly from the version on; returns when the version has expired and a relist is needed. */
  async #follow(from: string, signal: AbortSignal): Promise<void> {
    const { client, resource, list, clock } = this.#options;
    let version = from;
    let idleRounds = 0;
    while (!signal.aborted) {
      const watch = client.watch(resource, version, list);
      const close = (): void => watch.close();
      signal.addEventListener("abort", close, { once: true });
      try {
        for (let events = await watch.next(); events; events = await watch.next()) {
          const take = (event: ClientWatchEvent): void => {
            version = this.#take(event) || version;
          };
          if (isManyEvents(events)) await inSlices(events, take);
          else events.forEach(take);
          if (events.length > 0) idleRounds = 0;
          this.#wake();
        }
      } catch (error) {
        if (error instanceof StatusError && error.code === 410) return;
        throw error;
      } finally {
        signal.removeEventListener("abort", close);
        watch.close();
      }
      if (signal.aborted) return;
      // Avoids a tight loop when watches end without an event twice in a row.
      if (idleRounds > 0) await clock.sleep(backoff(idleRounds), signal);
      idleRounds++;
    }
  }

  #take({ type, object }: ClientWatchEvent): string | undefined {
    const key = keyOfObject(object);
    if (type === "DELETED") this.#remove(key, object);
    else this.#set(key, object);
    return object.metadata.resourceVersion;
  }

  async #replace(items: readonly KubeObject[]): Promise<void> {
    const gone = new Set(this.#objects.keys());
    for (const object of items) gone.delete(keyOfObject(object));
    for (const key of gone) this.#remove(key, this.#objects.get(key));
    await inSlices(items, (object) => this.#set(keyOfObject(object), object));
  }

  #set(key: string, object: KubeObject): void {
    const old = this.#objects.get(key);
    if (old && old.metadata.uid !== object.metadata.uid) this.#remove(key, old);
    else if (old && old.metadata.resourceVersion === object.metadata.resourceVersion) return;
    const known = this.#objects.get(key);
    this.#edits++;
    this.#objects.set(key, object);
    this.#tell({ type: known ? "MODIFIED" : "ADDED", object }, (handlers) =>
      known ? handlers.update?.(known, object) : handlers.add?.(object),
    );
  }

  #remove(key: string, last: KubeObject | undefined): void {
    const old = this.#objects.get(key);
    if (!old) return;
    this.#edits++;
    this.#objects.delete(key);
    const object = last ?? old;
    this.#tell({ type: "DELETED", object }, (handlers) => handlers.delete?.(object));
  }

  #tell(change: ClientWatchEvent, call: (handlers: InformerHandlers) => void): void {
    informing = change;
    for (const handlers of this.#handlers) this.#call(() => call(handlers));
    informing = undefined;
  }

  #call(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.#options.onError?.(error);
    }
  }

  // The cache may change during the comparison: it may catch up, or lose objects that it had at first. As changes
  // arrive in order, only a cache that has caught up has the same number of objects at the end.
  async #holds(items: readonly KubeObject[]): Promise<boolean> {
    if (items.length !== this.#objects.size) return false;
    const edits = this.#edits;
    if (this.#held?.edits === edits && isSame(this.#held.items, items)) return true;
    for (const object of items) {
      const known = this.#objects.get(keyOfObject(object));
      if (known?.metadata.resourceVersion !== object.metadata.resourceVersion) return false;
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
    }
    if (items.length !== this.#objects.size) return false;
    this.#held = { items, edits };
    return true;
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    this.#changes++;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** A client that caches its results returns the same objects again. */
const isSame = (before: readonly KubeObject[], items: readonly KubeObject[]): boolean =>
  before === items ||
  (before.length === items.length && before.every((object, index) => object === items[index]));

const backoff = (failures: number): number => Math.min(BACKOFF_FIRST_MS * 2 ** failures, BACKOFF_MAX_MS);

/**
 * The change that informers are notifying handlers of now. A handler may record it as the cause of its actions. One
 * variable for all informers, because handlers run to completion one after the other.
 */
let informing: ClientWatchEvent | undefined;

/** "Node node-a MODIFIED"; undefined while no handler runs. */
export const informedChange = (): string | undefined =>
  informing && `${informing.object.kind ?? "object"} ${keyOfObject(informing.object)} ${informing.type}`;

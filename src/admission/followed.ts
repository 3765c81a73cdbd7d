// All objects of a kind, in the form in which they are used, kept equal to the store. A form is made when it is first asked
// for.
import type { KubeObject } from "../meta/object-meta.ts";
import { decodeInVersion } from "../registry/codec/versions.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";
import { Follower, type ObjectEvent } from "../registry/read/watch.ts";
import type { KeyValue, Store } from "../storage/store.ts";

export class Followed<T> {
  readonly #view: ResourceView;
  readonly #make: (object: Readonly<KubeObject>) => T;
  readonly #objects = new Map<string, KeyValue>();
  readonly #made = new WeakMap<KeyValue, T>();
  #all: readonly T[] | undefined;
  readonly #follower: Follower;

  constructor(store: Store, view: ResourceView, make: (object: Readonly<KubeObject>) => T) {
    this.#view = view;
    this.#make = make;
    this.#follower = new Follower(store, view, {
      begin: (objects) => this.#begin(objects),
      take: (events) => this.#take(events),
    });
  }

  get empty(): boolean {
    return this.#objects.size === 0;
  }

  /** In the order of their names. */
  get all(): readonly T[] {
    this.#all ??= [...this.#objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kv]) => this.#formOf(kv));
    return this.#all;
  }

  /** Takes changes in until it is stopped or the store is closed. */
  run(onError: (error: unknown) => void): Promise<void> {
    return this.#follower.run(onError);
  }

  stop(): void {
    this.#follower.stop();
  }

  #begin(objects: readonly KeyValue[]): void {
    this.#objects.clear();
    this.#all = undefined;
    for (const kv of objects) this.#objects.set(kv.key, kv);
  }

  #take(events: readonly ObjectEvent[]): void {
    for (const { type, kv } of events) {
      if (type === "DELETED") this.#objects.delete(kv.key);
      else this.#objects.set(kv.key, kv);
    }
    this.#all = undefined;
  }

  #formOf(kv: KeyValue): T {
    let made = this.#made.get(kv);
    if (made === undefined) {
      made = this.#make(decodeInVersion(this.#view, kv));
      this.#made.set(kv, made);
    }
    return made;
  }
}

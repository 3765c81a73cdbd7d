// All objects of a kind, in the form in which they are used, kept equal to the store. Changes are taken in as the store
// publishes them, before the write that made them is answered; a form is made when it is first asked for.
import type { KubeObject } from "../meta/object-meta.ts";
import { decodeInVersion } from "../registry/codec/versions.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";
import { type ObjectWatch, watchObjects } from "../registry/read/watch.ts";
import type { KeyValue, Store } from "../storage/store.ts";

export class Followed<T> {
  readonly #store: Store;
  readonly #view: ResourceView;
  readonly #make: (object: Readonly<KubeObject>) => T;
  readonly #objects = new Map<string, KeyValue>();
  readonly #made = new WeakMap<KeyValue, T>();
  #all: readonly T[] | undefined;
  #watch: ObjectWatch;
  #stopped = false;

  constructor(store: Store, view: ResourceView, make: (object: Readonly<KubeObject>) => T) {
    this.#store = store;
    this.#view = view;
    this.#make = make;
    this.#watch = this.#open();
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
  async run(onError: (error: unknown) => void): Promise<void> {
    for (;;) {
      try {
        const events = await this.#watch.next();
        if (events === undefined) return;
        for (const { type, kv } of events) {
          if (type === "DELETED") this.#objects.delete(kv.key);
          else this.#objects.set(kv.key, kv);
        }
        this.#all = undefined;
      } catch (error) {
        // It lagged behind and was cut off: what it missed is read again.
        if (this.#stopped) return;
        onError(error);
        this.#watch = this.#open();
      }
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#watch.close();
  }

  #formOf(kv: KeyValue): T {
    let made = this.#made.get(kv);
    if (made === undefined) {
      made = this.#make(decodeInVersion(this.#view, kv));
      this.#made.set(kv, made);
    }
    return made;
  }

  #open(): ObjectWatch {
    const watch = watchObjects(this.#store, this.#view, {
      namespace: "",
      selection: { labels: undefined, fields: [] },
      resourceVersion: "",
      sendInitialEvents: true,
    });
    this.#objects.clear();
    this.#all = undefined;
    for (const kv of watch.initial ?? []) this.#objects.set(kv.key, kv);
    return watch;
  }
}

// Follows all objects of a kind in the store. Changes are handed on as the store publishes them, before the write that made
// them is answered.
import type { KeyValue, Store } from "../../storage/store.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import { type ObjectEvent, type ObjectWatch, watchObjects } from "./watch.ts";

export interface Following {
  /** All that there is: at first, and again when changes have been missed. */
  begin(objects: readonly KeyValue[]): void;
  take(events: readonly ObjectEvent[]): void;
}

export class Follower {
  readonly #store: Store;
  readonly #view: ResourceView;
  readonly #following: Following;
  #watch: ObjectWatch;
  #stopped = false;

  constructor(store: Store, view: ResourceView, following: Following) {
    this.#store = store;
    this.#view = view;
    this.#following = following;
    this.#watch = this.#open();
  }

  /** Hands changes on until it is stopped or the store is closed. `onError` is told of a watch that is opened anew. */
  async run(onError: (error: unknown) => void): Promise<void> {
    for (;;) {
      try {
        const events = await this.#watch.next();
        if (events === undefined) return;
        this.#following.take(events);
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

  #open(): ObjectWatch {
    const watch = watchObjects(this.#store, this.#view, {
      namespace: "",
      selection: { labels: undefined, fields: [] },
      resourceVersion: "",
      sendInitialEvents: true,
    });
    this.#following.begin(watch.initial ?? []);
    return watch;
  }
}

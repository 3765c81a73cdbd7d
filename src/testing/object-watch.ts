// A watch as a test reads it: one event at a time, each a copy of its own, until somebody closes it.
import type { Client, ClientWatch, ClientWatchEvent, ResourceName } from "../client/client.ts";
import { cloneJson } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import type { Watch, WatchEvent, Watching } from "./client.ts";

/** Watches a resource. Its next() rejects once the watch has ended with an error, such as 410. */
export function openWatch(client: Client, resource: ResourceName, watching: Watching): Watch<KubeObject> {
  return new ObjectWatch(client, resource, watching);
}

class ObjectWatch implements Watch<KubeObject> {
  readonly #opening: Promise<ClientWatch>;
  #events: readonly ClientWatchEvent[] = [];
  #next = 0;
  #closed = false;

  constructor(client: Client, resource: ResourceName, watching: Watching) {
    this.#opening = this.#open(client, resource, watching);
    this.#opening.catch(() => {}); // told to whoever asks for an event
    const { signal } = watching;
    if (signal?.aborted) this.close();
    else signal?.addEventListener("abort", () => this.close(), { once: true });
  }

  /** The watch begins where the list ends, so nothing is missed between the two. */
  async #open(
    client: Client,
    resource: ResourceName,
    { resourceVersion, ...selecting }: Watching,
  ): Promise<ClientWatch> {
    if (resourceVersion !== undefined) return client.watch(resource, resourceVersion, selecting);
    const list = await client.list(resource, selecting);
    this.#events = list.items.map((object) => ({ type: "ADDED", object }));
    return client.watch(resource, list.resourceVersion, selecting);
  }

  async next(): Promise<IteratorResult<WatchEvent<KubeObject>, undefined>> {
    const watch = await this.#opening;
    if (!this.#closed && this.#next >= this.#events.length) {
      const events = await watch.next();
      if (events === undefined) this.#closed = true;
      this.#events = events ?? [];
      this.#next = 0;
    }
    const event = this.#closed ? undefined : this.#events[this.#next++];
    if (event === undefined) return { done: true, value: undefined };
    return { done: false, value: { type: event.type, object: cloneJson(event.object) } };
  }

  async return(): Promise<IteratorResult<WatchEvent<KubeObject>, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  close(): void {
    this.#closed = true;
    this.#opening.then(
      (watch) => watch.close(),
      () => {}, // there is none to close
    );
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

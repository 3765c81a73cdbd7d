// A client whose watches can be delayed, one resource at a time, delivered twice, or ended: the faults that controllers
// must tolerate. Its writes are counted.
import type {
  Client,
  ClientFactory,
  ClientWatch,
  ClientWatchEvent,
  ResourceName,
} from "../../../src/controller/client.ts";

export class Disturbance {
  /** Delivers every batch of events twice, once event by event and once as a whole. */
  doubled = false;
  /** Writes since the last call of take, as "patch egressips a". */
  readonly writes: string[] = [];
  readonly #held = new Set<string>();
  readonly #open = new Set<ClientWatch>();
  #released: (() => void)[] = [];

  /** Events of the resource wait until release(): events of other resources overtake them. */
  hold(resource: string): void {
    this.#held.add(resource);
  }

  release(): void {
    this.#held.clear();
    for (const go of this.#released.splice(0)) go();
  }

  endWatches(): void {
    for (const watch of [...this.#open]) watch.close();
  }

  factory(clientFor: ClientFactory): ClientFactory {
    return (fieldManager) => this.#wrap(clientFor(fieldManager));
  }

  #wrap(client: Client): Client {
    const note = (verb: string, { resource }: ResourceName, name = ""): void =>
      void this.writes.push(`${verb} ${resource} ${name}`);
    return {
      get: (resource, key) => client.get(resource, key),
      list: (resource, options) => client.list(resource, options),
      watch: (resource, version, options) => this.#watch(resource, client.watch(resource, version, options)),
      create: (resource, object) => {
        if (resource.resource !== "events") note("create", resource, object.metadata.name);
        return client.create(resource, object);
      },
      post: (resource, key, subresource, object) => {
        note("post", resource, key.name);
        return client.post(resource, key, subresource, object);
      },
      update: (resource, object, subresource) => {
        if (resource.resource !== "events") note("update", resource, object.metadata.name);
        return client.update(resource, object, subresource);
      },
      patch: (resource, key, options) => {
        if (resource.resource !== "events") note("patch", resource, key.name);
        return client.patch(resource, key, options);
      },
      delete: (resource, key, options) => {
        note("delete", resource, key.name);
        return client.delete(resource, key, options);
      },
    };
  }

  #watch({ resource }: ResourceName, inner: ClientWatch): ClientWatch {
    let closed = false;
    const watch: ClientWatch = {
      next: async () => {
        const events = await inner.next();
        while (!closed && this.#held.has(resource)) {
          await new Promise<void>((resolve) => this.#released.push(resolve));
        }
        return events && !closed ? this.#told(events) : undefined;
      },
      close: () => {
        closed = true;
        this.#open.delete(watch);
        inner.close();
        for (const go of this.#released.splice(0)) go();
      },
    };
    this.#open.add(watch);
    return watch;
  }

  #told(events: readonly ClientWatchEvent[]): readonly ClientWatchEvent[] {
    return this.doubled ? events.flatMap((event) => [event, event]) : events;
  }
}

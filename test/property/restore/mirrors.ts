// Open watches of several kinds, and copies built only from their events.
import { expect } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { nextTurn } from "../../../src/apimachinery/scheduling/event-loop.ts";
import type { EgretServer } from "../../../src/testing/egret-server.ts";

interface Event {
  readonly type: string;
  readonly object: KubeObject;
}
interface Untyped {
  list(kind: string): Promise<{ items: KubeObject[]; resourceVersion: string }>;
  watch(kind: string, watching: object): AsyncIterable<Event> & { close(): void };
}

const TURNS_MAX = 1_000;

export class Mirrors {
  readonly #mirrors: readonly Mirror[];

  private constructor(mirrors: readonly Mirror[]) {
    this.#mirrors = mirrors;
  }

  /** Opens watches of the kinds that are served now. */
  static async open(server: EgretServer, kinds: Iterable<string>): Promise<Mirrors> {
    const client = server.client as unknown as Untyped; // the kinds are given
    const mirrors: Mirror[] = [];
    for (const kind of kinds) {
      const isServed = await client.list(kind).then(
        () => true,
        () => false,
      );
      if (isServed) mirrors.push(new Mirror(client, kind));
    }
    return new Mirrors(mirrors);
  }

  /** Each copy equals the server's state, and every event followed from those before it. */
  async check(): Promise<void> {
    for (const mirror of this.#mirrors) await mirror.check();
  }

  async close(): Promise<void> {
    await Promise.all(this.#mirrors.map((mirror) => mirror.close()));
  }
}

class Mirror {
  readonly #client: Untyped;
  readonly #kind: string;
  readonly #objects = new Map<string, KubeObject>();
  readonly #watch: ReturnType<Untyped["watch"]>;
  readonly #reading: Promise<void>;
  #fault: string | undefined;
  #over = false;

  constructor(client: Untyped, kind: string) {
    this.#client = client;
    this.#kind = kind;
    this.#watch = client.watch(kind, {});
    this.#reading = this.#read();
  }

  async check(): Promise<void> {
    const { items } = await this.#client.list(this.#kind);
    const texts = (objects: Iterable<KubeObject>) =>
      Array.from(objects, (object) => JSON.stringify(object)).sort();
    const held = texts(items);
    for (let turn = 0; turn < TURNS_MAX && !this.#holds(items); turn++) await nextTurn();
    expect([this.#kind, this.#fault, this.#over]).toEqual([this.#kind, undefined, false]);
    expect(texts(this.#objects.values())).toEqual(held);
  }

  async close(): Promise<void> {
    this.#watch.close();
    await this.#reading;
  }

  #holds(items: readonly KubeObject[]): boolean {
    const versions = new Set([...this.#objects.values()].map(({ metadata }) => metadata.resourceVersion));
    return (
      items.length === this.#objects.size &&
      items.every(({ metadata }) => versions.has(metadata.resourceVersion))
    );
  }

  async #read(): Promise<void> {
    try {
      for await (const event of this.#watch) this.#take(event);
    } catch (error) {
      this.#fault ??= String(error);
    }
    this.#over = true;
  }

  /** A created object is added once, and keeps its uid until it is deleted. */
  #take({ type, object }: Event): void {
    const { namespace = "", name = "", uid } = object.metadata;
    const key = `${namespace}/${name}`;
    const known = this.#objects.get(key)?.metadata.uid;
    if (known !== (type === "ADDED" ? undefined : uid)) this.#fault ??= `${type} ${key} of ${known}`;
    if (type === "DELETED") this.#objects.delete(key);
    else this.#objects.set(key, object);
  }
}

// The state of a client that lists and watches. It checks each event against the known objects: nothing is added twice,
// and no unknown object changes or is deleted.
import { expect } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import type { TestApi, TestWatch } from "../../unit/apiserver/endpoints/support.ts";
import { GROUP, type Held, keyOf, type Listed, list, type View } from "./things.ts";

/** The client's cache: the initial list, updated by each event. It counts its relists. */
export class Cache {
  readonly #api: TestApi;
  readonly #view: View;
  #held = new Map<string, KubeObject>();
  #version = "";
  #watch: TestWatch | undefined;
  lists = 0;

  constructor(api: TestApi, asked: View, known?: Listed) {
    this.#api = api;
    this.#view = asked;
    this.#held = new Map(known?.held);
    this.#version = known?.version ?? "";
  }

  get held(): Held {
    return this.#held;
  }

  async open(): Promise<void> {
    if (this.#version === "") await this.#begin();
    else await this.#resume();
  }

  async #begin(): Promise<void> {
    this.lists++;
    this.#held = new Map();
    if (this.#view.start === "list" || this.#view.start === "old path") {
      const { held, version } = await list(this.#api, this.#view);
      this.#held = new Map(held);
      this.#version = version;
      return this.#resume();
    }
    const more =
      this.#view.start === "initial" ? "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan" : "";
    await this.#ask(`${this.#view.collection}?watch=true${more}`);
  }

  #resume(): Promise<void> {
    const { collection, start: form } = this.#view;
    const path = form === "old path" ? `/watch${collection}?` : `${collection}?watch=true&`;
    return this.#ask(`${path}resourceVersion=${this.#version}`);
  }

  async #ask(path: string): Promise<void> {
    this.#watch = await this.#api.watch(`${GROUP}${path}&allowWatchBookmarks=true&${this.#view.selector}`);
    expect(this.#watch.status).toBe(200);
  }

  /** Drops the connection; earlier events were received. */
  async cut(): Promise<void> {
    await this.take();
    await this.#watch?.close();
    await this.open();
  }

  async take(): Promise<void> {
    for (const { type, object } of (await this.#watch?.settled()) ?? []) {
      if (type === "ERROR") {
        expect(object).toMatchObject({ kind: "Status", code: 410, reason: "Expired" });
        this.#version = "";
        await this.#begin();
        return this.take();
      }
      this.#see(type, object);
    }
  }

  #see(type: string, object: KubeObject): void {
    const key = keyOf(object);
    const version = object.metadata.resourceVersion ?? "";
    if (type === "BOOKMARK") expect(Number(version)).toBeGreaterThanOrEqual(Number(this.#version));
    else if (type === "ADDED") expect(this.#held.has(key), `${key} is known`).toBe(false);
    else expect(this.#held.has(key), `${key} is not known`).toBe(true);
    if (type === "DELETED") this.#held.delete(key);
    else if (type !== "BOOKMARK") this.#held.set(key, object);
    this.#version = String(Math.max(Number(this.#version), Number(version)));
  }

  async close(): Promise<void> {
    await this.#watch?.close();
  }
}

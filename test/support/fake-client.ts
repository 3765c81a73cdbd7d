// A client on plain memory, for tests of informers and controllers: revisions, watches that resume, JSON and merge
// patches, finalizers. The test decides which events are held back and which calls fail.

import { cloneJson, equalJson, freezeJson, isObject } from "../../src/apimachinery/json/json.ts";
import { parseLabelSelector } from "../../src/apimachinery/meta/label-selector.ts";
import type { KubeObject } from "../../src/apimachinery/meta/object-meta.ts";
import {
  alreadyExists,
  conflict,
  MODIFIED,
  notFound,
  resourceExpired,
} from "../../src/apimachinery/meta/status.ts";
import { applyJsonPatch, readJsonPatch } from "../../src/apimachinery/patch/json-patch.ts";
import { applyMergePatch } from "../../src/apimachinery/patch/merge-patch.ts";
import type {
  Client,
  ClientListOptions,
  ClientWatch,
  ClientWatchEvent,
  ObjectKey,
  ObjectList,
  PatchOptions,
  ResourceName,
} from "../../src/controller/client.ts";

export interface RecordedWrite {
  readonly verb: "create" | "update" | "patch" | "delete";
  readonly resource: string;
  readonly name: string;
  readonly body: unknown;
}

interface LoggedEvent {
  readonly revision: number;
  readonly resource: string;
  readonly event: ClientWatchEvent;
}

type Refusal = (write: RecordedWrite) => unknown;

export class FakeClient implements Client {
  readonly writes: RecordedWrite[] = [];
  /** Returns an error for a write that must fail. */
  refuse: Refusal = () => undefined;
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #log: LoggedEvent[] = [];
  readonly #watches = new Set<FakeWatch>();
  #revision = 0;
  #compacted = 0;
  #held = false;

  async get(resource: ResourceName, key: ObjectKey): Promise<KubeObject> {
    return this.#find(resource, key);
  }

  async list(resource: ResourceName, options: ClientListOptions = {}): Promise<ObjectList> {
    const items = [...this.#table(resource).values()].filter(selects(options));
    items.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
    return { items, resourceVersion: String(this.#revision) };
  }

  watch(resource: ResourceName, resourceVersion: string, options: ClientListOptions = {}): ClientWatch {
    const watch = new FakeWatch(resource.resource, selects(options), () => this.#watches.delete(watch));
    this.#watches.add(watch);
    if (Number(resourceVersion) < this.#compacted) watch.fail(resourceExpired("too old resource version"));
    for (const { revision, resource: plural, event } of this.#log) {
      if (plural === resource.resource && revision > Number(resourceVersion)) watch.push(event);
    }
    if (!this.#held) watch.release();
    return watch;
  }

  async create(resource: ResourceName, object: KubeObject): Promise<KubeObject> {
    const name = object.metadata.name ?? "";
    this.#note({ verb: "create", resource: resource.resource, name, body: object });
    const made = cloneJson(object);
    if (this.#table(resource).has(pathOf(made))) throw alreadyExists(resource, name);
    made.metadata.uid = `uid-${this.#revision + 1}`;
    made.metadata.generation = 1;
    return this.#store(resource, "ADDED", made);
  }

  async post(resource: ResourceName, key: ObjectKey, subresource: string, object: KubeObject): Promise<void> {
    this.#note({
      verb: "create",
      resource: `${resource.resource}/${subresource}`,
      name: key.name,
      body: object,
    });
  }

  async update(resource: ResourceName, object: KubeObject): Promise<KubeObject> {
    const { name = "", namespace = "", resourceVersion } = object.metadata;
    this.#note({ verb: "update", resource: resource.resource, name, body: object });
    const live = this.#find(resource, { namespace, name });
    if (resourceVersion && resourceVersion !== live.metadata.resourceVersion) {
      throw conflict(resource, name, MODIFIED);
    }
    return this.#replace(resource, live, cloneJson(object));
  }

  async patch(resource: ResourceName, key: ObjectKey, options: PatchOptions): Promise<KubeObject> {
    const { type, body, subresource = "" } = options;
    this.#note({ verb: "patch", resource: resource.resource, name: key.name, body });
    const live = this.#find(resource, key);
    const next =
      type === "json"
        ? applyJsonPatch(live, readJsonPatch(cloneJson(body)).operations)
        : applyMergePatch(live, isObject(body) ? body : {});
    if (subresource !== "status") return this.#replace(resource, live, next as KubeObject);
    const { status } = next as KubeObject;
    return this.#replace(resource, live, { ...cloneJson(live), status }, false);
  }

  async delete(resource: ResourceName, key: ObjectKey): Promise<void> {
    this.#note({ verb: "delete", resource: resource.resource, name: key.name, body: undefined });
    const live = this.#find(resource, key);
    if ((live.metadata.finalizers ?? []).length === 0) this.#remove(resource, live);
    else if (live.metadata.deletionTimestamp === undefined) {
      const next = cloneJson(live);
      next.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
      this.#store(resource, "MODIFIED", next);
    }
  }

  /** Watches deliver no events until released. */
  holdEvents(): void {
    this.#held = true;
    for (const watch of this.#watches) watch.hold();
  }

  releaseEvents(): void {
    this.#held = false;
    for (const watch of this.#watches) watch.release();
  }

  /** Ends all watches, as a server does after a while. */
  endWatches(): void {
    for (const watch of [...this.#watches]) watch.close();
  }

  /** Compacts the history: open watches and watches from an older version fail with 410. */
  compact(): void {
    this.#compacted = this.#revision;
    this.#log.length = 0;
    for (const watch of [...this.#watches]) watch.fail(resourceExpired("too old resource version"));
  }

  #replace(resource: ResourceName, live: KubeObject, next: KubeObject, counts = true): KubeObject {
    const { uid, name, namespace, generation = 1, resourceVersion, deletionTimestamp } = live.metadata;
    Object.assign(next.metadata, { uid, name, generation, resourceVersion });
    if (namespace !== undefined) next.metadata.namespace = namespace;
    if (deletionTimestamp !== undefined) next.metadata.deletionTimestamp = deletionTimestamp;
    if (equalJson(live, next)) return live;
    if (deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0) {
      this.#remove(resource, next);
      return next;
    }
    const { metadata: _live, ...before } = live;
    const { metadata: _next, ...after } = next;
    if (counts && !equalJson(before, after)) next.metadata.generation = generation + 1;
    return this.#store(resource, "MODIFIED", next);
  }

  #store(resource: ResourceName, type: "ADDED" | "MODIFIED", object: KubeObject): KubeObject {
    object.metadata.resourceVersion = String(++this.#revision);
    freezeJson(object);
    this.#table(resource).set(pathOf(object), object);
    this.#publish(resource, { type, object });
    return object;
  }

  #remove(resource: ResourceName, live: KubeObject): void {
    const last = cloneJson(live);
    last.metadata.resourceVersion = String(++this.#revision);
    this.#table(resource).delete(pathOf(live));
    this.#publish(resource, { type: "DELETED", object: freezeJson(last) });
  }

  #publish({ resource }: ResourceName, event: ClientWatchEvent): void {
    this.#log.push({ revision: this.#revision, resource, event });
    for (const watch of this.#watches) if (watch.resource === resource) watch.push(event);
  }

  #note(write: RecordedWrite): void {
    this.writes.push(write);
    const error = this.refuse(write);
    if (error !== undefined) throw error;
  }

  #find(resource: ResourceName, key: ObjectKey): KubeObject {
    const found = this.#table(resource).get(`${key.namespace}/${key.name}`);
    if (!found) throw notFound(resource, key.name);
    return found;
  }

  #table({ group, resource }: ResourceName): Map<string, KubeObject> {
    const path = `${group}/${resource}`;
    const table = this.#objects.get(path) ?? new Map<string, KubeObject>();
    this.#objects.set(path, table);
    return table;
  }
}

const pathOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

function selects({ namespace, labelSelector }: ClientListOptions): (object: KubeObject) => boolean {
  const selector = labelSelector ? parseLabelSelector(labelSelector) : undefined;
  return ({ metadata }) =>
    (!namespace || metadata.namespace === namespace) && (!selector || selector.matches(metadata.labels));
}

class FakeWatch implements ClientWatch {
  readonly resource: string;
  readonly #selects: (object: KubeObject) => boolean;
  readonly #onClose: () => void;
  #events: ClientWatchEvent[] = [];
  #held = true;
  #closed = false;
  #error: unknown;
  #waiting:
    | { resolve(events: ClientWatchEvent[] | undefined): void; reject(error: unknown): void }
    | undefined;

  constructor(resource: string, selects: (object: KubeObject) => boolean, onClose: () => void) {
    this.resource = resource;
    this.#selects = selects;
    this.#onClose = onClose;
  }

  next(): Promise<readonly ClientWatchEvent[] | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#tell();
    });
  }

  push(event: ClientWatchEvent): void {
    if (!this.#selects(event.object)) return;
    this.#events.push(event);
    this.#tell();
  }

  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.#tell();
  }

  fail(error: unknown): void {
    this.#error = error;
    this.#tell();
  }

  close(): void {
    this.#closed = true;
    this.#onClose();
    this.#tell();
  }

  #tell(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    if (this.#error !== undefined) waiting.reject(this.#error);
    else if (this.#events.length > 0 && !this.#held) waiting.resolve(this.#events.splice(0));
    else if (this.#closed) waiting.resolve(undefined);
    else this.#waiting = waiting;
  }
}

// Implements the test client with the client of controllers. It returns copies, so that a test may modify them and
// write them back.

import { cloneJson } from "../apimachinery/json/json.ts";
import { parseFieldSelector } from "../apimachinery/meta/field-selector.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { badRequest } from "../apimachinery/meta/status.ts";
import type { ResourceView } from "../apiserver/registry/definition/resource-definition.ts";
import { checkFieldsSelectable } from "../apiserver/registry/read/selection.ts";
import type { ResourceRegistry } from "../apiserver/registry/resource-registry.ts";
import {
  type Client,
  type ClientFactory,
  type ClientWatch,
  type ClientWatchEvent,
  type ObjectKey,
  presentObject,
  type ResourceName,
  resourceOf,
} from "../controller/client.ts";
import { viewOfKind } from "../features/control-surface/kinds.ts";
import { type Checks, checkOptions, isFlag, isOneOf, isSignal, isText } from "./check-options.ts";
import type {
  Applying,
  Deleting,
  List,
  Patching,
  Place,
  Selecting,
  TestClient,
  Watch,
  WatchEvent,
  Watching,
  Writing,
} from "./client.ts";

const PLACE: Checks<Place> = { namespace: isText };
const SELECTING: Checks<Selecting> = { namespace: isText, labelSelector: isText, fieldSelector: isText };
const WATCHING: Checks<Watching> = { ...SELECTING, resourceVersion: isText, signal: isSignal };
const WRITING: Checks<Writing> = { subresource: isText };
const APPLYING: Checks<Applying> = { ...WRITING, force: isFlag };
const PATCHING: Checks<Patching> = { ...PLACE, ...WRITING, type: isOneOf(["json", "merge", "strategic"]) };
const DELETING: Checks<Deleting> = {
  ...PLACE,
  uid: isText,
  propagationPolicy: isOneOf(["Foreground", "Background", "Orphan"]),
};

export interface TestClientDeps {
  readonly clientFor: ClientFactory;
  readonly registry: ResourceRegistry;
}

/** Creates a client without HTTP; its writes are recorded under the field manager. */
export function createTestClient(deps: TestClientDeps, fieldManager = "test"): TestClient {
  // The static types are correct: the server has validated objects by the schema from which their types are generated.
  return new InProcessTestClient(deps, fieldManager) as unknown as TestClient;
}

/** The untyped implementation of all methods. */
class InProcessTestClient implements Record<keyof TestClient, unknown> {
  readonly #deps: TestClientDeps;
  readonly #client: Client;

  constructor(deps: TestClientDeps, fieldManager: string) {
    this.#deps = deps;
    this.#client = deps.clientFor(fieldManager);
  }

  async get(kind: string, name: string, place: Place = {}): Promise<KubeObject> {
    checkOptions("get", place, PLACE);
    const { view, resource } = this.#find(kind);
    return cloneJson(await this.#client.get(resource, keyOf(view, name, place.namespace)));
  }

  async find(kind: string, name: string, place: Place = {}): Promise<KubeObject | undefined> {
    checkOptions("find", place, PLACE);
    const { view, resource } = this.#find(kind);
    const found = await presentObject(this.#client, resource, keyOf(view, name, place.namespace));
    return found && cloneJson(found);
  }

  async list(kind: string, selecting: Selecting = {}): Promise<List<KubeObject>> {
    checkOptions("list", selecting, SELECTING);
    const { view, resource } = this.#find(kind);
    checkSelecting(view, selecting);
    const { items, resourceVersion } = await this.#client.list(resource, selecting);
    return { items: items.map(cloneJson), resourceVersion };
  }

  watch(kind: string, watching: Watching = {}): Watch<KubeObject> {
    checkOptions("watch", watching, WATCHING);
    const { view, resource } = this.#find(kind);
    checkSelecting(view, watching);
    return new ObjectWatch(this.#client, resource, watching);
  }

  async create(object: KubeObject): Promise<KubeObject> {
    const { resource } = this.#findFor(object);
    return cloneJson(await this.#client.create(resource, object));
  }

  async update(object: KubeObject, writing: Writing = {}): Promise<KubeObject> {
    checkOptions("update", writing, WRITING);
    const { view, resource } = this.#findFor(object);
    const { name, namespace } = keyOf(view, object.metadata.name ?? "", object.metadata.namespace);
    const placed = { ...object, metadata: { ...object.metadata, name, ...(namespace ? { namespace } : {}) } };
    return cloneJson(await this.#client.update(resource, placed, writing.subresource));
  }

  async apply(object: KubeObject, applying: Applying = {}): Promise<KubeObject> {
    checkOptions("apply", applying, APPLYING);
    const { view, resource } = this.#findFor(object);
    const key = keyOf(view, object.metadata.name ?? "", object.metadata.namespace);
    const { force = true, subresource = "" } = applying;
    const options = { type: "apply" as const, body: cloneJson(object), force, subresource };
    return cloneJson(await this.#client.patch(resource, key, options));
  }

  async patch(kind: string, name: string, patch: unknown, patching: Patching = {}): Promise<KubeObject> {
    checkOptions("patch", patching, PATCHING);
    const { view, resource } = this.#find(kind);
    const { type = "merge", namespace, subresource = "" } = patching;
    const options = { type, body: cloneJson(patch), subresource };
    return cloneJson(await this.#client.patch(resource, keyOf(view, name, namespace), options));
  }

  async delete(kind: string, name: string, deleting: Deleting = {}): Promise<void> {
    checkOptions("delete", deleting, DELETING);
    const { view, resource } = this.#find(kind);
    const { namespace, ...options } = deleting;
    await this.#client.delete(resource, keyOf(view, name, namespace), options);
  }

  as(fieldManager: string): TestClient {
    return createTestClient(this.#deps, fieldManager);
  }

  #findFor({ apiVersion, kind, metadata }: KubeObject): { view: ResourceView; resource: ResourceName } {
    if (metadata === undefined) throw badRequest("an object has metadata");
    return this.#find(`${apiVersion ?? ""}/${kind ?? ""}`);
  }

  #find(kind: string): { view: ResourceView; resource: ResourceName } {
    const view = viewOfKind(this.#deps.registry, kind);
    return { view, resource: resourceOf(view) };
  }
}

function keyOf({ definition }: ResourceView, name: string, namespace: string | undefined): ObjectKey {
  if (name === "") throw badRequest("an object has a name");
  if (definition.namespaceScoped) return { name, namespace: namespace ?? "default" };
  if (namespace) throw badRequest(`${definition.kind} is cluster-scoped and has no namespace`);
  return { name, namespace: "" };
}

function checkSelecting(view: ResourceView, { fieldSelector }: Selecting): void {
  if (fieldSelector) checkFieldsSelectable(view, parseFieldSelector(fieldSelector));
}

/** The watch of a test: returns one event at a time, each as a separate copy, until it is closed. */
class ObjectWatch implements Watch<KubeObject> {
  readonly #opening: Promise<ClientWatch>;
  #events: readonly ClientWatchEvent[] = [];
  #next = 0;
  #closed = false;

  constructor(client: Client, resource: ResourceName, watching: Watching) {
    this.#opening = this.#open(client, resource, watching);
    this.#opening.catch(() => {}); // next() rejects with the error
    const { signal } = watching;
    if (signal?.aborted) this.close();
    else signal?.addEventListener("abort", () => this.close(), { once: true });
  }

  /** The watch starts at the version of the list, so no event is lost in between. */
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

  /** Rejects when the watch has ended with an error, such as 410. */
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
      () => {}, // the watch failed to open
    );
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

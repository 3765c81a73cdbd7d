// The API on a store in memory with running controllers, for tests of controllers that handle any kind. All parts are
// real, except the frozen clock and the faults that a test injects.

import { createIds } from "../../src/apimachinery/meta/ids.ts";
import type { KubeObject } from "../../src/apimachinery/meta/object-meta.ts";
import { StatusError } from "../../src/apimachinery/meta/status.ts";
import { definitionFromCrd } from "../../src/apiserver/registry/custom-resource.ts";
import { ResourceRegistry } from "../../src/apiserver/registry/resource-registry.ts";
import { ResourceStore } from "../../src/apiserver/registry/resource-store.ts";
import type { ResourceCatalog, ServedResource } from "../../src/controller/api.ts";
import type {
  Client,
  ClientFactory,
  ClientListOptions,
  ClientWatch,
  ObjectKey,
  ResourceName,
} from "../../src/controller/client.ts";
import { ControllerManager } from "../../src/controller/controller-manager.ts";
import type { ControllerDescriptor } from "../../src/controller/definition.ts";
import { createInProcessClients } from "../../src/controller/in-process-client.ts";
import { createNamespaceLifecycle } from "../../src/kube/admission/namespace-lifecycle.ts";
import { BUILT_IN_RESOURCES } from "../../src/kube/index.ts";
import { createMemoryEngine } from "../../src/storage/engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";
import type { Store } from "../../src/storage/store.ts";
import { keptLog, ManualClock } from "../unit/kube/controllers/support.ts";

export const core = (resource: string): ResourceName => ({ group: "", version: "v1", resource });
export const NAMESPACES = core("namespaces");
export const CONFIG_MAPS = core("configmaps");
export const NODES = core("nodes");
export const EVENTS = core("events");

/** A call of a controller to the API. */
export interface Call {
  readonly verb: keyof Client;
  readonly resource: string;
  readonly name: string;
  readonly subresource?: string;
}

const SILENT: ClientWatch = { next: () => new Promise(() => {}), close: () => {} };

export class ApiWorld {
  readonly clock = new ManualClock();
  readonly log = keptLog();
  readonly registry = new ResourceRegistry();
  /** The calls of the controllers so far. */
  readonly calls: Call[] = [];
  /** Returns an error to throw, or a promise to await first, when a controller calls the API. */
  trouble: (call: Call) => unknown = () => undefined;
  /** Suppresses the events of watches on a single namespace that controllers open from then on. */
  deaf = false;
  readonly client: Client;
  readonly store: Store;
  readonly #clientFor: ClientFactory;
  readonly #descriptors: readonly ControllerDescriptor[];
  #controllers: ControllerManager;
  #abort = new AbortController();

  private constructor(store: Store, descriptors: readonly ControllerDescriptor[]) {
    this.store = store;
    this.#descriptors = descriptors;
    this.registry.set(...BUILT_IN_RESOURCES);
    const admission = [createNamespaceLifecycle({ store })];
    const resources = new ResourceStore({ store, resources: this.registry, admission });
    const { clock } = this;
    this.#clientFor = createInProcessClients({ resources, clock, ids: createIds(), onWarning: () => {} });
    this.client = this.#clientFor("test");
    this.#controllers = this.#create();
  }

  static async open(descriptors: readonly ControllerDescriptor[]): Promise<ApiWorld> {
    const store = await openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
    const world = new ApiWorld(store, descriptors);
    for (const name of ["default", "a", "b"]) await world.create(NAMESPACES, { name });
    await world.start();
    return world;
  }

  get catalog(): ResourceCatalog {
    const { registry } = this;
    return {
      list: () =>
        registry.definitions.flatMap(({ group, resource, kind, namespaceScoped, verbs, versions }) =>
          versions
            .filter(({ served }) => served)
            .map(({ name }): ServedResource => {
              return { group, version: name, resource, kind, namespaced: namespaceScoped, verbs };
            }),
        ),
      onChange: (listener) => registry.onChange(listener),
    };
  }

  async start(): Promise<void> {
    await this.#controllers.start(this.#abort.signal);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#controllers.stop();
    this.#abort = new AbortController();
    this.#controllers = this.#create();
  }

  /** Resolves once the controllers are idle; keys that are requeued with backoff do not count. */
  async settled(): Promise<void> {
    await this.#controllers.idle();
  }

  #create(): ControllerManager {
    const { clock, log, catalog } = this;
    const clientFor: ClientFactory = (manager) => this.#troubled(this.#clientFor(manager));
    return new ControllerManager(this.#descriptors, { clientFor, clock, log, catalog });
  }

  #troubled(client: Client): Client {
    const meet = async (call: Call): Promise<void> => {
      this.calls.push(call);
      const error = await this.trouble(call);
      if (error !== undefined) throw error;
    };
    return {
      get: (resource, key) => client.get(resource, key),
      list: (resource, options) => client.list(resource, options),
      watch: (resource, version, options) =>
        this.deaf && options?.namespace ? SILENT : client.watch(resource, version, options),
      create: (resource, object) => client.create(resource, object),
      post: async (resource, key, subresource, object) => {
        await meet({ verb: "post", resource: resource.resource, name: key.name, subresource });
        return client.post(resource, key, subresource, object);
      },
      update: async (resource, object, subresource = "") => {
        const name = object.metadata.name ?? "";
        await meet({ verb: "update", resource: resource.resource, name, subresource });
        return client.update(resource, object, subresource);
      },
      patch: async (resource, key, options) => {
        await meet({ verb: "patch", resource: resource.resource, name: key.name });
        return client.patch(resource, key, options);
      },
      delete: async (resource, key, options) => {
        await meet({ verb: "delete", resource: resource.resource, name: key.name });
        return client.delete(resource, key, options);
      },
    };
  }

  /** Serves another custom resource. */
  serve(kind: string, scope: "Namespaced" | "Cluster"): ResourceName {
    const plural = `${kind.toLowerCase()}s`;
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const spec = {
      group: "example.com",
      scope,
      names: { kind, plural },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    };
    this.registry.set(definitionFromCrd({ kind: "CustomResourceDefinition", metadata: {}, spec }));
    return { group: "example.com", version: "v1", resource: plural };
  }

  async create(
    resource: ResourceName,
    metadata: KubeObject["metadata"],
    content: Record<string, unknown> = {},
  ): Promise<KubeObject> {
    const view = this.registry.find(resource.group, resource.version, resource.resource);
    const { group, version } = resource;
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const kind = view?.definition.kind ?? "";
    return this.client.create(resource, { apiVersion, kind, metadata, ...content });
  }

  async get(resource: ResourceName, key: ObjectKey): Promise<KubeObject | undefined> {
    try {
      return await this.client.get(resource, key);
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    }
  }

  /** Returns the sorted names of the stored objects. */
  async names(resource: ResourceName, options: ClientListOptions = {}): Promise<string[]> {
    const { items } = await this.client.list(resource, options);
    return items.map(({ metadata }) => metadata.name ?? "").sort();
  }

  async change(resource: ResourceName, key: ObjectKey, metadata: unknown): Promise<void> {
    await this.client.patch(resource, key, { type: "merge", body: { metadata } });
  }
}

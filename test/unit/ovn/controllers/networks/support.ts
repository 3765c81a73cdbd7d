// The API in memory with the shipped kinds and the network controllers. Every step ends when the controllers are idle; the
// clock is frozen.

import { isObject, objectAt } from "../../../../../src/apimachinery/json/json.ts";
import { createIds } from "../../../../../src/apimachinery/meta/ids.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { definitionFromCrd } from "../../../../../src/apiserver/registry/custom-resource.ts";
import { ResourceRegistry } from "../../../../../src/apiserver/registry/resource-registry.ts";
import { ResourceStore } from "../../../../../src/apiserver/registry/resource-store.ts";
import type { Client, ClientFactory, ResourceName } from "../../../../../src/controller/client.ts";
import { ControllerManager } from "../../../../../src/controller/controller-manager.ts";
import type { ControllerDescriptor } from "../../../../../src/controller/definition.ts";
import { createInProcessClients } from "../../../../../src/controller/in-process-client.ts";
import { createNamespaceLifecycle } from "../../../../../src/kube/admission/namespace-lifecycle.ts";
import { BUILT_IN_RESOURCES } from "../../../../../src/kube/index.ts";
import { readShippedDefinitions } from "../../../../../src/server/manifests.ts";
import { createMemoryEngine } from "../../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../../src/storage/mvcc/mvcc-store.ts";
import type { Store } from "../../../../../src/storage/store.ts";
import { type KeptLog, keptLog, ManualClock } from "../../../kube/controllers/support.ts";

export const core = (resource: string): ResourceName => ({ group: "", version: "v1", resource });
export const ovn = (resource: string, version = "v1"): ResourceName => ({
  group: "k8s.ovn.org",
  version,
  resource,
});
export const NADS: ResourceName = {
  group: "k8s.cni.cncf.io",
  version: "v1",
  resource: "network-attachment-definitions",
};

/** What a controller writes. */
export interface Write {
  readonly verb: "create" | "update" | "patch" | "delete";
  readonly resource: string;
  readonly name: string;
}

const shipped = await readShippedDefinitions();

export class World {
  readonly clock = new ManualClock();
  readonly log: KeptLog = keptLog();
  readonly registry = new ResourceRegistry();
  /** Answers what a write of a controller is to fail with. */
  refuse: (write: Write) => unknown = () => undefined;
  readonly client: Client;
  readonly clientFor: ClientFactory;
  readonly #writes: Write[] = [];
  readonly #descriptors: readonly ControllerDescriptor[];
  #controllers: ControllerManager;
  #abort = new AbortController();

  private constructor(store: Store, descriptors: readonly ControllerDescriptor[]) {
    this.#descriptors = descriptors;
    this.registry.set(...BUILT_IN_RESOURCES, ...shipped.map((crd) => definitionFromCrd(crd)));
    const admission = [createNamespaceLifecycle({ store })];
    const resources = new ResourceStore({ store, resources: this.registry, admission });
    const { clock } = this;
    this.clientFor = createInProcessClients({ resources, clock, ids: createIds(), onWarning: () => {} });
    this.client = this.clientFor("test");
    this.#controllers = this.#create();
  }

  static async start(...descriptors: ControllerDescriptor[]): Promise<World> {
    const store = await openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
    const world = new World(store, descriptors);
    await world.client.create(core("namespaces"), namespaceObject("default"));
    await world.#controllers.start(world.#abort.signal);
    await world.idle();
    return world;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#controllers.stop();
  }

  /** whileDown is done between the stop and the new start. */
  async restart(whileDown: () => Promise<unknown> = async () => undefined): Promise<void> {
    await this.stop();
    await whileDown();
    this.#abort = new AbortController();
    this.#controllers = this.#create();
    await this.#controllers.start(this.#abort.signal);
    await this.idle();
  }

  idle(): Promise<void> {
    return this.#controllers.idle();
  }

  /** Lets retries that wait come to their turn. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.idle();
  }

  #create(): ControllerManager {
    const { clock, log } = this;
    const clientFor: ClientFactory = (manager) => this.#noting(this.clientFor(manager));
    return new ControllerManager(this.#descriptors, { clientFor, clock, log });
  }

  #noting(client: Client): Client {
    const note = (verb: Write["verb"], { resource }: ResourceName, name = ""): void => {
      const write = { verb, resource, name };
      this.#writes.push(write);
      const error = this.refuse(write);
      if (error !== undefined) throw error;
    };
    return {
      get: (resource, key) => client.get(resource, key),
      list: (resource, options) => client.list(resource, options),
      watch: (resource, version, options) => client.watch(resource, version, options),
      create: async (resource, object) => {
        note("create", resource, object.metadata.name);
        return client.create(resource, object);
      },
      post: (resource, key, subresource, object) => client.post(resource, key, subresource, object),
      update: async (resource, object, subresource) => {
        note("update", resource, object.metadata.name);
        return client.update(resource, object, subresource);
      },
      patch: async (resource, key, options) => {
        note("patch", resource, key.name);
        return client.patch(resource, key, options);
      },
      delete: async (resource, key, options) => {
        note("delete", resource, key.name);
        return client.delete(resource, key, options);
      },
    };
  }

  /** What the controllers wrote since this was last asked. */
  takeWrites(): string[] {
    return this.#writes.splice(0).map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
  }

  async add(resource: ResourceName, object: KubeObject): Promise<void> {
    await this.client.create(resource, object);
    await this.idle();
  }

  async edit(
    resource: ResourceName,
    name: string,
    body: unknown,
    namespace = "",
    subresource = "",
  ): Promise<void> {
    await this.client.patch(resource, { namespace, name }, { type: "merge", body, subresource });
    await this.idle();
  }

  async remove(resource: ResourceName, name: string, namespace = ""): Promise<void> {
    await this.client.delete(resource, { namespace, name });
    await this.idle();
  }

  async find(resource: ResourceName, name: string, namespace = ""): Promise<KubeObject | undefined> {
    const { items } = await this.client.list(resource, namespace ? { namespace } : {});
    return items.find(({ metadata }) => metadata.name === name && (metadata.namespace ?? "") === namespace);
  }

  /** "namespace/name" of everything there is. */
  async keys(resource: ResourceName): Promise<string[]> {
    const { items } = await this.client.list(resource);
    return items.map(({ metadata }) => [metadata.namespace, metadata.name].filter(Boolean).join("/"));
  }

  /** "True Reason: message" of a condition. */
  async condition(resource: ResourceName, type: string, name: string, namespace = ""): Promise<string> {
    const object = await this.find(resource, name, namespace);
    const conditions = objectAt({ ...object }, "status")?.["conditions"];
    const list = Array.isArray(conditions) ? conditions.filter(isObject) : [];
    const found = list.find((item) => item["type"] === type);
    return found ? `${found["status"]} ${found["reason"]}: ${found["message"]}` : "none";
  }

  async events(): Promise<string[]> {
    const { items } = await this.client.list(core("events"));
    return items.map((event) => {
      const about = isObject(event["involvedObject"]) ? event["involvedObject"] : {};
      return `${about["kind"]} ${about["name"]} ${event["reason"]}: ${event["message"]}`;
    });
  }
}

export function namespaceObject(name: string, labels: Record<string, string> = {}): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

export function nadObject(
  namespace: string,
  name: string,
  config = "",
  metadata: KubeObject["metadata"] = {},
): KubeObject {
  return {
    apiVersion: "k8s.cni.cncf.io/v1",
    kind: "NetworkAttachmentDefinition",
    metadata: { ...metadata, namespace, name },
    spec: { config },
  };
}

export function nodeObject(name: string, metadata: KubeObject["metadata"] = {}): KubeObject {
  return { apiVersion: "v1", kind: "Node", metadata: { ...metadata, name } };
}

export function podObject(
  namespace: string,
  name: string,
  metadata: KubeObject["metadata"] = {},
): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...metadata, namespace, name },
    spec: { containers: [{ name: "c", image: "i" }] },
  };
}

// The API in memory with the shipped kinds and some controllers: the cluster as the controllers that report on rules see
// it. The clock is frozen.

import { createIds } from "../../../../../src/apimachinery/meta/ids.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { definitionFromCrd } from "../../../../../src/apiserver/registry/custom-resource.ts";
import { ResourceRegistry } from "../../../../../src/apiserver/registry/resource-registry.ts";
import { ResourceStore } from "../../../../../src/apiserver/registry/resource-store.ts";
import type { ClientFactory, ObjectKey, ResourceName } from "../../../../../src/controller/client.ts";
import { ControllerManager } from "../../../../../src/controller/controller-manager.ts";
import type { ControllerDescriptor } from "../../../../../src/controller/definition.ts";
import { createInProcessClients } from "../../../../../src/controller/in-process-client.ts";
import { BUILT_IN_RESOURCES } from "../../../../../src/kube/index.ts";
import { zones } from "../../../../../src/ovn/controllers/zones/controller.ts";
import {
  EGRESS_FIREWALL,
  EGRESS_QOS,
  EXTERNAL_ROUTE,
  NETWORK_QOS,
  statusManager,
  type ZonedKind,
} from "../../../../../src/ovn/controllers/zones/status-manager.ts";
import { readShippedDefinitions } from "../../../../../src/server/manifests.ts";
import { createMemoryEngine } from "../../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../../src/storage/mvcc/mvcc-store.ts";
import type { Store } from "../../../../../src/storage/store.ts";
import { keptLog, ManualClock, NODES } from "../../../kube/controllers/support.ts";

const core = (resource: string): ResourceName => ({ group: "", version: "v1", resource });
export const NAMESPACES = core("namespaces");
export const PODS = core("pods");
export const ATTACHMENTS: ResourceName = {
  group: "k8s.cni.cncf.io",
  version: "v1",
  resource: "network-attachment-definitions",
};
export { EGRESS_FIREWALL, EGRESS_QOS, EXTERNAL_ROUTE, NETWORK_QOS, NODES, statusManager, zones };

const shipped = await readShippedDefinitions();

export class ZoneCluster {
  readonly clock = new ManualClock();
  readonly log = keptLog();
  readonly store: Store;
  readonly clientFor: ClientFactory;
  readonly #descriptors: readonly ControllerDescriptor[];
  #controllers: ControllerManager;
  #abort = new AbortController();
  #started = false;

  private constructor(store: Store, descriptors: readonly ControllerDescriptor[]) {
    this.store = store;
    this.#descriptors = descriptors;
    const registry = new ResourceRegistry();
    registry.set(...BUILT_IN_RESOURCES, ...shipped.map((crd) => definitionFromCrd(crd)));
    const resources = new ResourceStore({ store, resources: registry, admission: [] });
    const { clock } = this;
    this.clientFor = createInProcessClients({ resources, clock, ids: createIds(), onWarning: () => {} });
    this.#controllers = this.#create();
  }

  static async start(descriptors: readonly ControllerDescriptor[], nodes: readonly string[] = []) {
    const cluster = new ZoneCluster(
      await openMvccStore(createMemoryEngine(), { clock: new ManualClock() }),
      descriptors,
    );
    for (const name of ["a", "b"]) await cluster.create(NAMESPACES, "v1", "Namespace", { name });
    for (const name of nodes) await cluster.addNode(name);
    await cluster.#start();
    return cluster;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#controllers.stop();
  }

  async restart(): Promise<void> {
    await this.stop();
    this.#abort = new AbortController();
    this.#controllers = this.#create();
    await this.#start();
  }

  async #start(): Promise<void> {
    await this.#controllers.start(this.#abort.signal);
    this.#started = true;
    await this.idle();
  }

  #create(): ControllerManager {
    const { clientFor, clock, log } = this;
    return new ControllerManager(this.#descriptors, { clientFor, clock, log });
  }

  /** Controllers that have not started yet never come to rest. */
  async idle(): Promise<void> {
    if (this.#started) await this.#controllers.idle();
  }

  get revision(): number {
    return this.store.revision;
  }

  get #client() {
    return this.clientFor("test");
  }

  async create(
    resource: ResourceName,
    apiVersion: string,
    kind: string,
    metadata: KubeObject["metadata"],
    content: Record<string, unknown> = {},
  ): Promise<void> {
    await this.#client.create(resource, { apiVersion, kind, metadata, ...content });
    await this.idle();
  }

  async add({ kind, resource }: ZonedKind, key: ObjectKey, spec: Record<string, unknown>): Promise<void> {
    const metadata = { name: key.name, ...(key.namespace ? { namespace: key.namespace } : {}) };
    await this.create(resource, `${resource.group}/${resource.version}`, kind, metadata, { spec });
  }

  async addNode(name: string, metadata: KubeObject["metadata"] = {}): Promise<void> {
    await this.create(NODES, "v1", "Node", { name, ...metadata });
  }

  async merge(resource: ResourceName, key: ObjectKey, body: unknown, subresource?: string): Promise<void> {
    const options = { type: "merge", body, ...(subresource ? { subresource } : {}) } as const;
    await this.#client.patch(resource, key, options);
    await this.idle();
  }

  async delete(resource: ResourceName, key: ObjectKey): Promise<void> {
    await this.#client.delete(resource, key);
    await this.idle();
  }

  /** Applies to the status as another manager, as an agent on a node does. */
  async report(zoned: ZonedKind, key: ObjectKey, manager: string, status: Record<string, unknown>) {
    const { kind, resource } = zoned;
    const { namespace, name } = key;
    const metadata = { name, ...(namespace ? { namespace } : {}) };
    const body = { apiVersion: `${resource.group}/${resource.version}`, kind, metadata, status };
    const options = { type: "apply", subresource: "status", force: true, body } as const;
    await this.clientFor(manager).patch(resource, key, options);
    await this.idle();
  }

  get({ resource }: Pick<ZonedKind, "resource">, key: ObjectKey): Promise<KubeObject> {
    return this.#client.get(resource, key);
  }

  async status(
    zoned: Pick<ZonedKind, "resource">,
    key: ObjectKey,
  ): Promise<Record<string, unknown> | undefined> {
    return (await this.get(zoned, key))["status"] as Record<string, unknown> | undefined;
  }

  /** status.status, "" when there is none. */
  async summary(zoned: ZonedKind, key: ObjectKey): Promise<unknown> {
    return (await this.status(zoned, key))?.["status"] ?? "";
  }

  /** The field managers that apply the status, each with its field set. */
  async owners(zoned: ZonedKind, key: ObjectKey): Promise<Record<string, unknown>> {
    const { metadata } = await this.get(zoned, key);
    const entries = (metadata.managedFields ?? []).filter(({ operation }) => operation === "Apply");
    return Object.fromEntries(entries.map(({ manager = "", fieldsV1 }) => [manager, fieldsV1]));
  }
}

export const node = (name: string): ObjectKey => ({ namespace: "", name });
export const inA: ObjectKey = { namespace: "a", name: "default" };

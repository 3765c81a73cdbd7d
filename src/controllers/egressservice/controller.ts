// The EgressService controller: gives each EgressService the node that its traffic leaves through, says so in its
// status and labels the node. The decisions are made in requirement.ts and place.ts; here they are joined to the API.
import type { ResourceName } from "../../client/client.ts";
import { type Informer, keyOf } from "../../client/informer.ts";
import type { Cidr } from "../../meta/ip.ts";
import { equalJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";
import { informerFor } from "../kit/informers.ts";
import { LoopController } from "../kit/loop-controller.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { ReachabilityCheck } from "../runtime/reachability.ts";
import { ServiceAllocator } from "./allocator.ts";
import { NO_HOST, readEgressService, readService } from "./egress-service.ts";
import { EndpointIndex } from "./endpoint-index.ts";
import { labelChanges, serviceLabel } from "./node-labels.ts";
import { readNodeState } from "./node-state.ts";
import { keepService, placeService } from "./place.ts";
import { type Requirement, requirementOf } from "./requirement.ts";
import { EGRESS_SERVICES, writeHost } from "./status-writer.ts";

const NODES: ResourceName = { group: "", version: "v1", resource: "nodes" };
const SERVICES: ResourceName = { group: "", version: "v1", resource: "services" };
const ENDPOINT_SLICES: ResourceName = {
  group: "discovery.k8s.io",
  version: "v1",
  resource: "endpointslices",
};

/** Keys of services have a slash, those of nodes this in front. */
const NODE_KEY = "node:";

export interface EgressServiceControllerDeps extends ControllerDeps {
  /** The networks of pods; endpoints elsewhere are pods on the network of their host. */
  readonly clusterNetworks: readonly Cidr[];
}

export interface EgressServiceController extends Controller {
  describe(): ReturnType<ServiceAllocator["describe"]>;
}

export function createEgressServiceController(deps: EgressServiceControllerDeps): EgressServiceController {
  return new NodeChoosingController(deps);
}

class NodeChoosingController extends LoopController implements EgressServiceController {
  readonly name = "egressservice";
  readonly #deps: EgressServiceControllerDeps;
  readonly #allocator = new ServiceAllocator();
  readonly #endpoints: EndpointIndex;
  readonly #nodes: Informer;
  readonly #services: Informer;
  readonly #slices: Informer;
  readonly #egressServices: Informer;
  protected readonly loop: ReconcileLoop;
  readonly #reachability: ReachabilityCheck;
  /** Before that, handlers only gather; everything is looked at once when it starts. */
  #working = false;

  constructor(deps: EgressServiceControllerDeps) {
    super();
    this.#deps = deps;
    const informer = (resource: ResourceName) => informerFor(deps, this.name, resource);
    this.#endpoints = new EndpointIndex(deps.clusterNetworks);
    this.#nodes = informer(NODES);
    this.#services = informer(SERVICES);
    this.#slices = informer(ENDPOINT_SLICES);
    this.#egressServices = informer(EGRESS_SERVICES);
    this.loop = new ReconcileLoop({
      name: this.name,
      deps,
      informers: [this.#nodes, this.#services, this.#slices, this.#egressServices],
      reconcile: (key) =>
        key.startsWith(NODE_KEY) ? this.#labelNode(key.slice(NODE_KEY.length)) : this.#reconcileService(key),
      prepare: () => this.#prepare(),
    });
    this.#reachability = new ReachabilityCheck(deps.clock, () => this.#checkReachability());
    this.loop.signal.addEventListener("abort", () => this.#reachability.stop(), { once: true });
    this.#addHandlers();
  }

  describe(): ReturnType<ServiceAllocator["describe"]> {
    return this.#allocator.describe();
  }

  #addHandlers(): void {
    this.#nodes.addHandlers({
      add: (node) => this.#takeNode(node),
      update: (_old, node) => this.#takeNode(node),
      delete: ({ metadata }) => this.#lookAt(this.#allocator.removeNode(metadata.name ?? "")),
    });
    this.#services.addHandlers({
      add: (service) => this.#lookAt([keyOfObject(service)]),
      update: (_old, service) => this.#lookAt([keyOfObject(service)]),
      delete: (service) => this.#lookAt([keyOfObject(service)]),
    });
    this.#slices.addHandlers({
      add: (slice) => this.#lookAt([this.#endpoints.set(slice)]),
      update: (old, slice) => this.#lookAt([this.#endpoints.delete(old), this.#endpoints.set(slice)]),
      delete: (slice) => this.#lookAt([this.#endpoints.delete(slice)]),
    });
    this.#egressServices.addHandlers({
      add: (object) => this.#lookAt([keyOfObject(object)]),
      update: (_old, object) => this.#lookAt([keyOfObject(object)]),
      delete: (object) => this.#dropEgressService(keyOfObject(object)),
    });
  }

  /** What the statuses say was chosen before is so still: a restart moves nothing. */
  #prepare(): void {
    const all = [...this.#egressServices.list()].sort((a, b) => (keyOfObject(a) < keyOfObject(b) ? -1 : 1));
    for (const object of all) {
      const key = keyOfObject(object);
      keepService(this.#allocator, key, readEgressService(object), this.#requirement(key, object));
    }
    this.#allocator.drainUnanswering();
    this.#working = true;
    this.#lookAt(all.map(keyOfObject));
    for (const {
      metadata: { name = "" },
    } of this.#nodes.list()) {
      this.loop.queue.add(NODE_KEY + name);
      this.#expectCheck(name);
    }
  }

  #takeNode(node: KubeObject): void {
    const state = readNodeState(node);
    // Nodes report all the time; most of it concerns nobody here.
    if (equalJson(this.#allocator.node(state.name), state)) return;
    this.#lookAt(this.#allocator.setNode(state));
    if (this.#working) this.loop.queue.add(NODE_KEY + state.name);
    this.#expectCheck(state.name);
  }

  #checkReachability(): void {
    const { nodes, services } = this.#allocator.checkReachability();
    for (const name of nodes) this.loop.queue.add(NODE_KEY + name);
    this.#lookAt(services);
  }

  /** Nodes are asked only when one would answer otherwise than it is held to. */
  #expectCheck(node: string): void {
    if (this.#working && this.#allocator.isMisjudged(node)) this.#reachability.expect();
  }

  /** Frees the node at once, so that whatever comes after it in the line finds it free. */
  #dropEgressService(key: string): void {
    const node = this.#allocator.allocationOf(key)?.node;
    this.#allocator.release(key);
    this.loop.queue.forget(key);
    if (node !== undefined) this.loop.queue.add(NODE_KEY + node);
  }

  /** Services that have no EgressService of their name are nobody's concern here. */
  #lookAt(keys: readonly (string | undefined)[]): void {
    if (!this.#working) return;
    for (const key of [...new Set(keys)].sort()) {
      if (key !== undefined && this.#egressServices.get(key)) this.loop.queue.add(key);
    }
  }

  #requirement(key: string, object: KubeObject): Requirement {
    const service = this.#services.get(key);
    return requirementOf(
      readEgressService(object),
      service ? readService(service) : undefined,
      this.#endpoints.nodesOf(key),
    );
  }

  async #reconcileService(key: string): Promise<void> {
    const object = this.#egressServices.get(key);
    if (!object) return;
    const { namespace, name, host: written } = readEgressService(object);
    const requirement = this.#requirement(key, object);
    if (requirement.type === "unclear") {
      this.#deps.log.warn("invalid nodeSelector", { egressService: key, error: requirement.complaint });
    }
    const before = this.#allocator.allocationOf(key)?.node;
    const waiting = written === undefined ? undefined : NO_HOST;
    const host = placeService(this.#allocator, key, requirement) ?? waiting;
    const after = this.#allocator.allocationOf(key)?.node;
    if (before !== after || host !== written) {
      this.#deps.log.debug?.("host chosen", {
        controller: this.name,
        object: `egressservices.k8s.ovn.org ${key}`,
        what: { host, before },
        why: { requirement: requirement.type, endpoints: this.#endpoints.nodesOf(key) },
      });
    }
    if (before !== undefined && before !== after) this.loop.queue.add(NODE_KEY + before);
    if (host !== undefined && host !== written) await writeHost(this.#deps.client, { namespace, name }, host);
    // The label follows the status: whoever finds it can rely on the host.
    if (after === undefined) return;
    this.loop.queue.add(NODE_KEY + after);
    this.#expectCheck(after);
  }

  async #labelNode(name: string): Promise<void> {
    const node = this.#nodes.get(name);
    if (!node) return;
    const services = this.#allocator.servicesOn(name);
    const labels = labelChanges(node.metadata.labels ?? {}, services);
    if (!labels) return;
    for (const service of services) {
      if (serviceLabel(service) === undefined) {
        this.#deps.log.warn("too long for a label", { egressService: service, node: name });
      }
    }
    try {
      const body = { metadata: { labels } };
      await this.#deps.client.patch(NODES, { namespace: "", name }, { type: "merge", body });
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
    }
  }
}

const keyOfObject = ({ metadata }: KubeObject): string =>
  keyOf({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" });

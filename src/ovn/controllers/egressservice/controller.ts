// The EgressService controller: selects the egress node of each EgressService, writes status.host and labels the node
// (src/ovn/rules.md R110 to R116). Requirements come from egress-service.ts, the choice from service-allocator.ts.

import { equalJson } from "../../../apimachinery/json/json.ts";
import { InvalidSelectorError } from "../../../apimachinery/meta/label-requirement.ts";
import { isQualifiedName } from "../../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { parseClusterSubnets } from "../../../cluster/cluster-subnets.ts";
import { ENDPOINT_SLICES, ignoring, keyOfObject, keysIn, NODES, SERVICES } from "../../../controller/api.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { Change, Keys, KitWith } from "../../../controller/definition.ts";
import { everyFiveSeconds } from "../../../controller/reachability.ts";
import { isNewest } from "../../../controller/settings.ts";
import {
  hostOf,
  NO_HOST,
  type Requirement,
  readHost,
  requirementOf,
  serviceOf,
} from "../../assignment/egress-service.ts";
import { EGRESS_SERVICES, endpointNodes, writeHost } from "./egress-service.ts";
import { ServiceAllocator } from "./service-allocator.ts";

/** Prefix of node keys in the work queue; service keys are NAMESPACE/NAME. */
const NODE_KEY = "node:";

type Names = "nodes" | "services" | "slices" | "egressServices";

export const egressService = defineController({
  name: "egressservice",
  summary: "chooses the node of each EgressService; status and the label of the node",
  fieldManager: "ovnkube-cluster-manager",
  isWanted: isNewest,
  memory: (kit: KitWith<Names>) => new EgressServices(kit),
  watches: {
    nodes: { resource: NODES, take: (change, { memory }) => memory.takeNode(change) },
    services: { resource: SERVICES, toKeys: ({ object }, { memory }) => memory.known([keyOfObject(object)]) },
    slices: {
      resource: ENDPOINT_SLICES,
      toKeys: ({ object, old }, { memory }) => memory.known([old && serviceOf(old), serviceOf(object)]),
    },
    egressServices: {
      resource: EGRESS_SERVICES,
      take: ({ type, object }, { memory }) =>
        type === "delete" ? memory.drop(keyOfObject(object)) : undefined,
    },
  },
  prepare: ({ memory }) => memory.prepare(),
  reconcile: (key, { memory }) =>
    key.startsWith(NODE_KEY) ? memory.labelNode(key.slice(NODE_KEY.length)) : memory.reconcile(key),
});

class EgressServices {
  readonly #kit: KitWith<Names>;
  readonly #allocator = new ServiceAllocator();
  readonly #endpointNodes: (service: string) => string[];
  readonly #checkLater: () => void;

  constructor(kit: KitWith<Names>) {
    this.#kit = kit;
    const clusterNetworks = parseClusterSubnets(kit.settings.clusterSubnets).map(({ cidr }) => cidr);
    this.#endpointNodes = endpointNodes(kit.slices, clusterNetworks);
    this.#checkLater = everyFiveSeconds(kit, () => {
      const { nodes, services } = this.#allocator.checkReachability();
      kit.look([...nodes.map((name) => NODE_KEY + name), ...this.known(services)]);
    });
  }

  describe(): ReturnType<ServiceAllocator["describe"]> {
    return this.#allocator.describe();
  }

  /** Rebuilds allocations from the statuses after a start, so a restart moves nothing. Enqueues all services and nodes. */
  prepare(): Keys {
    const keys = keysIn(this.#kit.egressServices);
    for (const key of keys) {
      const object = this.#kit.egressServices.get(key);
      const host = object && hostOf(object);
      if (host) this.#allocator.keep(key, host, this.#requirement(key, object));
    }
    this.#allocator.drainUnanswering();
    const nodes = [...this.#kit.nodes.list()].map(({ metadata }) => metadata.name ?? "");
    for (const name of nodes) this.#expectCheck(name);
    return [...keys, ...nodes.map((name) => NODE_KEY + name)];
  }

  takeNode({ type, object }: Change): Keys {
    const { name = "" } = object.metadata;
    if (type === "delete") return this.known(this.#allocator.removeNode(name));
    const state = readHost(object);
    // Most node updates (heartbeats) change none of these fields.
    if (equalJson(this.#allocator.host(name), state)) return [];
    const services = this.known(this.#allocator.setNode(state));
    this.#expectCheck(name);
    return [...services, NODE_KEY + name];
  }

  /** Releases the node at once, so that later keys in the work queue can use it. */
  drop(key: string): Keys {
    const node = this.#allocator.nodeOf(key);
    this.#allocator.release(key);
    this.#kit.queue.forget(key);
    return node === undefined ? [] : [NODE_KEY + node];
  }

  /** Keeps keys with an existing EgressService, distinct and sorted. */
  known(keys: Keys): Keys {
    const { egressServices } = this.#kit;
    return [...new Set(keys)].filter((key) => key !== undefined && egressServices.get(key)).sort();
  }

  /** Schedules a reachability check only if the node's result would change. */
  #expectCheck(node: string): void {
    if (this.#allocator.isMisjudged(node)) this.#checkLater();
  }

  #requirement(key: string, object: KubeObject): Requirement {
    return requirementOf(object, this.#kit.services.get(key), this.#endpointNodes(key));
  }

  async reconcile(key: string): Promise<void> {
    const object = this.#kit.egressServices.get(key);
    if (!object) return;
    const written = hostOf(object);
    const requirement = this.#requirement(key, object);
    if (requirement instanceof InvalidSelectorError) {
      this.#kit.log.warn("invalid nodeSelector", { egressService: key, error: requirement.message });
    }
    const before = this.#allocator.nodeOf(key);
    const waiting = written === undefined ? undefined : NO_HOST;
    const host = this.#allocator.place(key, requirement) ?? waiting;
    const after = this.#allocator.nodeOf(key);
    if (before !== after || host !== written) {
      this.#kit.log.debug?.("host chosen", {
        controller: this.#kit.name,
        object: `egressservices.k8s.ovn.org ${key}`,
        what: { host, before },
        why: { endpoints: this.#endpointNodes(key) },
      });
    }
    if (before !== undefined && before !== after) this.#kit.queue.add(NODE_KEY + before);
    if (host !== undefined && host !== written) await writeHost(this.#kit.client, object, host);
    // The label is written after the status, so a labelled node is always the host.
    if (after === undefined) return;
    this.#kit.queue.add(NODE_KEY + after);
    this.#expectCheck(after);
  }

  async labelNode(name: string): Promise<void> {
    const node = this.#kit.nodes.get(name);
    if (!node) return;
    const services = this.#allocator.servicesOn(name);
    const labels = labelChanges(node.metadata.labels ?? {}, services);
    if (!labels) return;
    for (const service of services) {
      if (serviceLabel(service) === undefined) {
        this.#kit.log.warn("too long for a label", { egressService: service, node: name });
      }
    }
    const options = { type: "merge", body: { metadata: { labels } } } as const;
    await ignoring([404], this.#kit.client.patch(NODES, { namespace: "", name }, options));
  }
}

// The controller owns all labels with this prefix: it removes every label that does not belong to a service on the node
// (src/ovn/rules.md R116).
const PREFIX = "egress-service.k8s.ovn.org";

/** Undefined if namespace and name are too long for a label key; such a service has a host, but no label. */
function serviceLabel(key: string): string | undefined {
  const label = `${PREFIX}/${key.replace("/", "-")}`;
  return isQualifiedName(label).length === 0 ? label : undefined;
}

/** Merge patch of labels: "" sets, null removes; undefined if nothing changes. */
function labelChanges(
  labels: Readonly<Record<string, string>>,
  services: Iterable<string>,
): Record<string, "" | null> | undefined {
  const wanted = new Set([...services].flatMap((service) => serviceLabel(service) ?? []));
  const changes: Record<string, "" | null> = {};
  for (const label of wanted) if (labels[label] !== "") changes[label] = "";
  for (const label of Object.keys(labels)) {
    if (label.startsWith(PREFIX) && !wanted.has(label)) changes[label] = null;
  }
  return Object.keys(changes).length === 0 ? undefined : changes;
}

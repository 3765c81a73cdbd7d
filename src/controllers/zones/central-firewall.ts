// EgressFirewalls as OpenShift 4.13 had them: one process for the whole cluster puts the rules into force and says in
// status.status, with an update of the whole object, how that went (behaviour.md c.12).
import type { ResourceName } from "../../client/client.ts";
import { keyOf } from "../../client/informer.ts";
import { isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";
import { informerFor } from "../kit/informers.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { EGRESS_FIREWALL } from "../status-manager/zoned-kinds.ts";
import { checkEgressFirewall, selectsNodes } from "./egress-firewall.ts";
import type { ZoneWorld } from "./zone-world.ts";

const NODES: ResourceName = { group: "", version: "v1", resource: "nodes" };
const APPLIED = "EgressFirewall Rules applied";
const NOT_ADDED = "EgressFirewall Rules not correctly added";

export function createCentralFirewallController(deps: ControllerDeps): Controller {
  const { client } = deps;
  const name = "egressfirewall";
  const firewalls = informerFor(deps, name, EGRESS_FIREWALL.resource);
  const nodes = informerFor(deps, name, NODES);
  const loop = new ReconcileLoop({
    name,
    deps,
    informers: [nodes, firewalls],
    async reconcile(key) {
      const firewall = firewalls.get(key);
      if (firewall === undefined) return;
      const status = isSound(firewall, [...nodes.list()]) ? APPLIED : NOT_ADDED;
      if (isObject(firewall["status"]) && firewall["status"]["status"] === status) return;
      await update({ ...firewall, status: { status } });
    },
  });

  async function update(firewall: KubeObject): Promise<void> {
    try {
      await client.update(EGRESS_FIREWALL.resource, firewall);
    } catch (error) {
      const isStale = error instanceof StatusError && (error.code === 409 || error.code === 404);
      if (!isStale) throw error; // of what has changed meanwhile an event is on its way
    }
  }

  const lookAt = ({ metadata }: KubeObject) => {
    loop.queue.add(keyOf({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" }));
  };
  const lookAtSelecting = () => {
    for (const firewall of firewalls.list()) if (selectsNodes(firewall)) lookAt(firewall);
  };
  firewalls.addHandlers({ add: lookAt, update: (_old, firewall) => lookAt(firewall) });
  nodes.addHandlers({ add: lookAtSelecting, update: lookAtSelecting, delete: lookAtSelecting });
  return loop;
}

/** Nobody had a network of his own then, so that of the cluster only the nodes count. */
function isSound(firewall: KubeObject, nodes: readonly KubeObject[]): boolean {
  const world: ZoneWorld = {
    nodes: (selector) => nodes.filter(({ metadata }) => selector.matches(metadata.labels)),
    hasNamespace: () => true,
    primaryNetwork: () => ({ type: "cluster" }),
    namespaces: () => [],
    pods: () => [],
    attachments: () => [],
    externalRoutes: () => [],
  };
  return checkEgressFirewall(firewall, world, { dnsNameResolver: false }) === undefined;
}

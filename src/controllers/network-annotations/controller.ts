// Gives every node its part of the cluster network and writes it into the node's annotations, as the cluster manager
// does for the agents on the nodes. The annotations are also the memory: a restart reads them back and changes nothing.
import type { ResourceName } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";
import { informerFor } from "../kit/informers.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import type { ClusterSubnet } from "./cluster-subnets.ts";
import { NodeNetworks } from "./node-network.ts";
import { ExhaustedError } from "./node-parts.ts";

const NODES: ResourceName = { group: "", version: "v1", resource: "nodes" };

export interface NetworkAnnotationsDeps extends ControllerDeps {
  readonly clusterSubnets: readonly ClusterSubnet[];
}

export function createNetworkAnnotationsController(deps: NetworkAnnotationsDeps): Controller {
  const name = "network-annotations";
  const { client, log, clusterSubnets } = deps;
  const networks = new NodeNetworks(clusterSubnets);
  /** Nodes for which nothing was left; a node that goes may leave something. */
  const waiting = new Set<string>();
  let working = false;
  const nodes = informerFor(deps, name, NODES);
  const loop = new ReconcileLoop({
    name,
    deps,
    informers: [nodes],
    // One after the other, so that who comes first in the line is served first.
    workers: 1,
    reconcile: async (node) => annotate(node),
    prepare: () => {
      const all = [...nodes.list()].sort(comesBefore);
      for (const node of all) networks.keep(node);
      working = true;
      for (const { metadata } of all) loop.queue.add(metadata.name ?? "");
    },
  });
  nodes.addHandlers({
    add: ({ metadata }) => look(metadata.name ?? ""),
    update: (_old, { metadata }) => look(metadata.name ?? ""),
    delete: ({ metadata }) => {
      networks.release(metadata.name ?? "");
      waiting.delete(metadata.name ?? "");
      for (const node of waiting) look(node);
    },
  });

  function look(node: string): void {
    if (working) loop.queue.add(node);
  }

  async function annotate(key: string): Promise<void> {
    const node = nodes.get(key);
    if (!node) return;
    try {
      waiting.delete(key);
      const annotations = networks.missing(node);
      if (!annotations) return;
      // Others write parts of their networks into the same text: the version keeps theirs from being lost.
      const { resourceVersion } = node.metadata;
      const body = { metadata: { resourceVersion, annotations } };
      await client.patch(NODES, { namespace: "", name: key }, { type: "merge", body });
    } catch (error) {
      if (error instanceof ExhaustedError) {
        waiting.add(key);
        log.warn("node without a network", { controller: name, node: key, error: error.message });
      } else if (!isOvertaken(error)) throw error;
    }
  }

  return loop;
}

/** The node is gone or has changed, and the event that says so is on its way. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof StatusError && (error.code === 404 || error.code === 409);

/** Of two nodes that claim the same the older one has it, then the first by name. */
function comesBefore(a: KubeObject, b: KubeObject): number {
  const [first, second] = [a, b].map(
    ({ metadata }) => `${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`,
  );
  return (first ?? "") < (second ?? "") ? -1 : 1;
}

// Gives every node its part of the cluster network and writes it into the node's annotations, as the cluster manager
// does for the agents on the nodes. The annotations are also the memory: a restart reads them back and changes nothing.

import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring, NODES } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { Kit } from "../kit/definition.ts";
import { parseClusterSubnets } from "./cluster-subnets.ts";
import { NodeNetworks } from "./node-network.ts";
import { ExhaustedError } from "./node-parts.ts";

export const networkAnnotations = defineController({
  name: "network-annotations",
  summary: "gives every node its number and its parts of the pod networks",
  fieldManager: "ovnkube-cluster-manager",
  // One after the other, so that who comes first in the line is served first.
  workers: 1,
  memory: ({ settings }: Kit) => ({
    networks: new NodeNetworks(parseClusterSubnets(settings.clusterSubnets)),
    /** Nodes for which nothing was left; a node that goes may leave something. */
    waiting: new Set<string>(),
  }),
  watches: {
    nodes: {
      resource: NODES,
      take({ type, object }, { memory }) {
        const { name = "" } = object.metadata;
        if (type !== "delete") return;
        memory.networks.release(name);
        memory.waiting.delete(name);
      },
      toKeys: ({ type, object }, { memory }) =>
        type === "delete" ? [...memory.waiting] : [object.metadata.name],
    },
  },
  prepare({ nodes, memory }) {
    const all = [...nodes.list()].sort(comesBefore);
    for (const node of all) memory.networks.keep(node);
    return all.map(({ metadata }) => metadata.name);
  },
  async reconcile(key, { nodes, client, log, name, memory }) {
    const node = nodes.get(key);
    if (!node) return;
    try {
      memory.waiting.delete(key);
      const annotations = memory.networks.missing(node);
      if (!annotations) return;
      // Others write parts of their networks into the same text: the version keeps theirs from being lost.
      const { resourceVersion } = node.metadata;
      const body = { metadata: { resourceVersion, annotations } };
      // If the node is gone or has changed, the event that says so is on its way.
      await ignoring([404, 409], client.patch(NODES, { namespace: "", name: key }, { type: "merge", body }));
    } catch (error) {
      if (!(error instanceof ExhaustedError)) throw error;
      memory.waiting.add(key);
      log.warn("node without a network", { controller: name, node: key, error: error.message });
    }
  },
});

/** Of two nodes that claim the same the older one has it, then the first by name. */
function comesBefore(a: KubeObject, b: KubeObject): number {
  const [first, second] = [a, b].map(
    ({ metadata }) => `${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`,
  );
  return (first ?? "") < (second ?? "") ? -1 : 1;
}

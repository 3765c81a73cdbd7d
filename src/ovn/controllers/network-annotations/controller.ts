// Annotates every node with its node subnets, node id and transit addresses, as ovnkube-cluster-manager does. The state is
// rebuilt from the annotations after a start, so a restart changes nothing.

import { ipFromValue, parseCidr } from "../../../apimachinery/meta/ip.ts";
import { byAge, type KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { ExhaustedError, NodeParts, parseClusterSubnets } from "../../../cluster/cluster-subnets.ts";
import { NODE_SUBNETS_ANNOTATION } from "../../../cluster/node-annotations.ts";
import { ignoring, keyOfObject, NODES } from "../../../controller/api.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { Kit } from "../../../controller/definition.ts";
import { Numbers } from "./numbers.ts";

const ID = "k8s.ovn.org/node-id";
const TRANSIT_ADDRESSES = "k8s.ovn.org/node-transit-switch-port-ifaddr";
const DEFAULT_NETWORK = "default";
const TRANSIT = { 4: "100.88.0.0/16", 6: "fd97::/64" } as const;
/** Node ids; 0 and 1 are not used. */
const IDS = { first: 2, last: 5000, goingRound: true } as const;

interface Memory {
  readonly parts: NodeParts;
  readonly ids: Numbers;
  /** Nodes without a free subnet or id; requeued when a node is deleted. */
  readonly waiting: Set<string>;
}

export const networkAnnotations = defineController({
  name: "network-annotations",
  summary: "gives every node its number and its parts of the pod networks",
  fieldManager: "ovnkube-cluster-manager",
  // One worker, so that nodes get subnets in queue order.
  workers: 1,
  memory: ({ settings }: Kit): Memory => ({
    parts: new NodeParts(DEFAULT_NETWORK, parseClusterSubnets(settings.clusterSubnets)),
    ids: new Numbers(IDS),
    waiting: new Set(),
  }),
  watches: {
    nodes: {
      resource: NODES,
      take({ type, object }, { memory: { parts, ids, waiting } }) {
        if (type !== "delete") return;
        const name = keyOfObject(object);
        parts.release(name);
        ids.release(name);
        waiting.delete(name);
      },
      toKeys: ({ type, object }, { memory }) =>
        type === "delete" ? [...memory.waiting] : [keyOfObject(object)],
    },
  },
  // If two nodes are annotated with the same subnet or id, the older one keeps it.
  prepare({ nodes, memory: { parts, ids } }) {
    const all = [...nodes.list()].sort(byAge);
    for (const node of all) {
      claimId(ids, node);
      parts.keep(keyOfObject(node), node.metadata.annotations?.[NODE_SUBNETS_ANNOTATION]);
    }
    return all.map(keyOfObject);
  },
  async reconcile(key, { nodes, client, log, name, memory }) {
    const node = nodes.get(key);
    if (!node) return;
    try {
      memory.waiting.delete(key);
      const annotations = missingAnnotations(node, memory);
      if (!annotations) return;
      // The networks controller writes the same annotation: resourceVersion is the precondition against lost updates.
      const { resourceVersion } = node.metadata;
      const body = { metadata: { resourceVersion, annotations } };
      // If the node is deleted or changed, its watch event requeues it.
      await ignoring([404, 409], client.patch(NODES, { namespace: "", name: key }, { type: "merge", body }));
    } catch (error) {
      if (!(error instanceof ExhaustedError)) throw error;
      memory.waiting.add(key);
      log.warn("node without a network", { controller: name, node: key, error: error.message });
    }
  },
});

/** Reserves the node id of the annotation, if no other node has it. */
function claimId(ids: Numbers, node: KubeObject): void {
  const text = node.metadata.annotations?.[ID] ?? "";
  if (/^[1-9]\d{0,3}$/.test(text)) ids.reserve(keyOfObject(node), Number(text));
}

/** The missing or wrong annotations of the node; undefined if there are none. Throws ExhaustedError. */
function missingAnnotations(node: KubeObject, { parts, ids }: Memory): Record<string, string> | undefined {
  const { name = "", annotations = {} } = node.metadata;
  const subnets = parts.wanted(name, annotations[NODE_SUBNETS_ANNOTATION]);
  claimId(ids, node);
  const id = ids.of(name);
  if (id === undefined) throw new ExhaustedError(`no number is left for node ${name}`);
  const addresses = parts.families.map((family) => [`ipv${family}`, transitAddress(family, id)]);
  const wanted: Record<string, string> = {
    ...(subnets === undefined ? {} : { [NODE_SUBNETS_ANNOTATION]: subnets }),
    [ID]: String(id),
    [TRANSIT_ADDRESSES]: JSON.stringify(Object.fromEntries(addresses)),
  };
  const changes = Object.entries(wanted).filter(([key, value]) => annotations[key] !== value);
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

function transitAddress(family: 4 | 6, offset: number): string {
  const network = parseCidr(TRANSIT[family]);
  return network ? `${ipFromValue(family, network.first + BigInt(offset)).text}/${network.prefix}` : "";
}

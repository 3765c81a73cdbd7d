// Traffic between two pod networks: whether it is possible, and its path (src/ovn/rules.md R9, R10).
import type { Cluster } from "../cluster/cluster.ts";
import type { Network } from "../cluster/network-view.ts";
import type { Place } from "./destination-kind.ts";
import { leave } from "./egress-ip-source.ts";
import { type Exit, end, type PacketPath, type Step } from "./packet-path.ts";
import { SERVICES_FOR_ALL } from "./services.ts";

/** Networks are connected, both advertised with loose isolation, or the packet goes to a Service that all networks reach. */
export function isReachable(way: PacketPath, { networks, facts }: Cluster, other: Network): boolean {
  const own = way.sender.network;
  const isAnnounced = (network: Network) => networks.advertisement(network) !== undefined;
  return (
    networks.connection(own, other) !== undefined ||
    isForAll(way) ||
    (facts.advertisedIsolation === "loose" && isAnnounced(own) && isAnnounced(other))
  );
}

/** Reports whether the destination was translated from a Service that pods of all networks reach. */
export const isForAll = ({ steps }: PacketPath): boolean =>
  steps.some(
    ({ result, by: [service] }) =>
      result === "translated" && SERVICES_FOR_ALL.has(`${service?.namespace}/${service?.name}`),
  );

export function toOtherNetwork(
  way: PacketPath,
  cluster: Cluster,
  { network, pod }: Extract<Place, { type: "other-network" }>,
  own: Exit,
): PacketPath {
  const { sender } = way;
  if (!isReachable(way, cluster, network)) {
    const text = `the destination is in network ${network.name}, from which ${sender.network.name} is isolated`;
    const step: Step = { stage: "isolation", result: "denied", by: [], text, evidence: "source" };
    return end(way, step, { verdict: "dropped", node: sender.pod.node });
  }
  if (isForAll(way)) {
    const text = "the Service is one that pods of all networks reach";
    return leave(way, { ...own, node: pod?.node ?? own.node }, { by: [], text, evidence: "test" });
  }
  const name = cluster.networks.connection(sender.network, network);
  const text =
    name === undefined
      ? `pods of ${network.name} are reached through the provider's network`
      : `ClusterNetworkConnect ${name} joins the networks: it is reached with the pod's own address`;
  const by = name === undefined ? [] : [{ kind: "ClusterNetworkConnect", name }];
  return leave(
    way,
    { ...own, node: pod?.node ?? own.node, interface: name === undefined ? undefined : "overlay" },
    { by, text, evidence: "source" },
  );
}

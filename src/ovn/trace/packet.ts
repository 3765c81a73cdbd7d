// One packet of one pod: runs the stages until every possible path has an outcome (src/ovn/rules.md R1).
import type { Cluster } from "../cluster/cluster.ts";
import type { Network } from "../cluster/network-view.ts";
import { nodeAddress } from "../cluster/node-view.ts";
import { isLive, type PodView } from "../cluster/pod-view.ts";
import { type Place, placeOfDestination } from "./destination-kind.ts";
import { marked, mindQos } from "./dscp.ts";
import { matchingEgressIps, mindNetwork } from "./egress-ip-source.ts";
import { throughFirewall } from "./firewall.ts";
import { isReachable } from "./other-network.ts";
import { outcomesOf, type TracedOutcome } from "./outcome.ts";
import {
  begin,
  type Destination,
  end,
  type PacketKind,
  type PacketPath,
  type Sender,
  type Step,
  type Verdict,
} from "./packet-path.ts";
import type { Peer } from "./peers.ts";
import { throughPolicies } from "./policies.ts";
import { routed } from "./route.ts";
import { throughServices } from "./services.ts";
import type { Case } from "./unused.ts";

/** The result for one address, or for all addresses of a part of a range. */
export interface Traced {
  readonly destination: Destination;
  readonly ways: readonly PacketPath[];
  readonly outcomes: readonly TracedOutcome[];
  readonly about: Case;
}

/** Undefined: the pod has no live address of this family in a pod network (src/ovn/rules.md R2, R3). */
export function senderOf(
  cluster: Cluster,
  pod: PodView,
  network: Network | undefined,
  family: 4 | 6,
): Sender | undefined {
  const address = network && cluster.addressOf(pod, network, family);
  return isLive(pod) && network && address
    ? { pod, node: cluster.nodes.get(pod.node), network, address }
    : undefined;
}

export function traceOne(
  cluster: Cluster,
  pod: PodView,
  network: Network | undefined,
  destination: Destination,
  packet: PacketKind,
): Traced {
  const { family } = destination.address;
  const sender = senderOf(cluster, pod, network, family);
  if (!sender) {
    const node = cluster.nodes.get(pod.node);
    const known = { pod, network: network ?? cluster.networks.default, node, destination, packet };
    const ways = [withoutPacket(known, cluster, network !== undefined)];
    const about = { pod, family, sender, place: undefined, ways };
    return { destination, ways, outcomes: outcomesOf(ways), about };
  }
  const begun = begin({ sender, destination, packet });
  const ways = goOn(throughServices(begun, cluster), (way) => afterServices(way, cluster));
  // The place of the requested destination, or of the endpoint that a Service translated it to.
  const place = placeOfDestination(cluster, sender, ways[0]?.destination.address ?? destination.address);
  return { destination, ways, outcomes: outcomesOf(ways), about: { pod, family, sender, place, ways } };
}

/** Applies the stage to paths without an outcome; others are unchanged. */
const goOn = (ways: readonly PacketPath[], stage: (way: PacketPath) => PacketPath[]): PacketPath[] =>
  ways.flatMap((way) => (way.outcome === undefined ? stage(way) : [way]));

function afterServices(way: PacketPath, cluster: Cluster): PacketPath[] {
  const { sender, destination } = way;
  const place = placeOfDestination(cluster, sender, destination.address);
  const pod = place.type === "pods" || place.type === "other-network" ? place.pod : undefined;
  const isReached = place.type !== "other-network" || isReachable(way, cluster, place.network);
  const peer: Peer = { address: destination.address, pod, network: sender.network };
  let ways = goOn(isolated(way, cluster, place), (one) =>
    one.packet !== "new"
      ? [one]
      : throughPolicies(one, cluster, { direction: "egress", pod: sender.pod, peer, to: destination }),
  );
  if (pod && isReached && way.packet === "new") {
    const from: Peer = { address: sender.address, pod: sender.pod, network: sender.network };
    ways = goOn(ways, (one) =>
      throughPolicies(one, cluster, { direction: "ingress", pod, peer: from, to: destination }),
    );
  }
  ways = goOn(ways, (one) => (one.packet !== "new" ? [one] : throughFirewall(one, cluster)));
  ways = goOn(ways, (one) => marked(mindQos(one, cluster), cluster, peer));
  ways = goOn(ways, (one) => [
    mindNetwork(one, sender.network.isDefault ? [] : matchingEgressIps(cluster, sender.pod)),
  ]);
  return goOn(ways, (one) => routed(one, cluster, place));
}

/**
 * Tier 0: advertised networks are isolated from each other, and the default-network address of a pod with a primary UDN is
 * unreachable (src/ovn/rules.md R10). Networks that are not advertised have no route to each other; the route stage
 * drops those packets.
 */
function isolated(way: PacketPath, cluster: Cluster, place: Place): PacketPath[] {
  if (place.type === "pods" && place.pod) return notByDefault(way, cluster, place.pod);
  if (place.type !== "other-network") return [way];
  const { networks, facts } = cluster;
  const { network } = way.sender;
  if (networks.connection(network, place.network) !== undefined) return [way];
  const bothAdvertised =
    networks.advertisement(network) !== undefined && networks.advertisement(place.network) !== undefined;
  if (!bothAdvertised || facts.advertisedIsolation === "loose") return [way];
  const text = `the destination is in network ${place.network.name}, from which ${network.name} is isolated`;
  return [dropped(way, text, "test")];
}

function notByDefault(way: PacketPath, cluster: Cluster, pod: PodView): PacketPath[] {
  const { network } = way.sender;
  const its = cluster.networks.ofNamespace(pod.namespace);
  if (!network.isDefault || its?.isDefault !== false) return [way];
  const text = `pod ${pod.namespace}/${pod.name} is in network ${its.name}: nobody reaches the address that it has in the cluster's network`;
  return [dropped(way, text, "source")];
}

function dropped(way: PacketPath, text: string, evidence: Step["evidence"]): PacketPath {
  const step: Step = { stage: "isolation", result: "denied", by: [], text, evidence };
  return end(way, step, { verdict: "dropped", node: way.sender.pod.node });
}

/** The outcome for a hostNetwork pod, or for a pod that sends nothing of this family. */
function withoutPacket(
  { pod, destination, packet, ...rest }: Omit<Sender, "address"> & Pick<PacketPath, "destination" | "packet">,
  cluster: Cluster,
  hasNetwork: boolean,
): PacketPath {
  const { family } = destination.address;
  const sender: Sender = { pod, ...rest, address: destination.address };
  const way = begin({ sender, destination, packet });
  const said = (text: string, verdict: Verdict, evidence: Step["evidence"]) =>
    end(
      way,
      { stage: "source", result: verdict === "allowed" ? "routed" : "skipped", by: [], text, evidence },
      { verdict, ...(pod.node === "" ? {} : { node: pod.node }) },
    );
  if (pod.node === "") return said("the pod is not scheduled", "no verdict", "test");
  if (pod.finished) return said("the pod has finished", "no verdict", "test");
  if (pod.hostNetwork) {
    const own = said(
      "the pod is on the network of its host: the host's routes and address hold, and no feature applies",
      "allowed",
      "test",
    );
    const source =
      pod.statusAddresses.find((ip) => ip.family === family) ?? (rest.node && nodeAddress(rest.node, family));
    return own.outcome
      ? { ...own, outcome: { ...own.outcome, source: source?.text, interface: "by the host's routes" } }
      : own;
  }
  if (!hasNetwork)
    return said("the primary network that the namespace asks for is not there", "no verdict", "source");
  if (cluster.addressesOf(pod, rest.network).length === 0)
    return said("the pod has no address yet", "no verdict", "test");
  return said(`the pod has no IPv${family} address`, "unreachable", "source");
}

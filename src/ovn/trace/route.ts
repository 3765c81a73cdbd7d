// Stages 7 to 9: the winning route, the resulting source address, and the node and interface of the exit
// (src/ovn/rules.md R6 to R9).
import { isWithin, ofFamily } from "../cluster/cidr-texts.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { type NodeView, nodeAddress, secondaryNetwork } from "../cluster/node-view.ts";
import type { Place } from "./destination-kind.ts";
import { bridgeExit, byEgressIp, leave } from "./egress-ip-source.ts";
import { byEgressService, egressServicesOf } from "./egress-service.ts";
import { byExternalRoutes, type Gateways, hopsOf } from "./external-routes.ts";
import { isForAll, toOtherNetwork } from "./other-network.ts";
import {
  decider,
  doubt,
  type Evidence,
  type Exit,
  end,
  type PacketPath,
  type Step,
  warn,
} from "./packet-path.ts";

const NOWHERE: Exit = {
  source: undefined,
  node: undefined,
  interface: undefined,
  nextHop: undefined,
  via: undefined,
};

export function routed(way: PacketPath, cluster: Cluster, place: Place): PacketPath[] {
  const { sender } = way;
  const own = { ...NOWHERE, source: sender.address.text, node: sender.pod.node };
  const said = (text: string, evidence: Evidence) => ({ by: [], text, evidence });
  switch (place.type) {
    case "pods": {
      const isUnderlay = sender.network.transport === "no-overlay";
      const exit = {
        ...own,
        node: place.pod?.node ?? sender.pod.node,
        interface: isUnderlay ? "underlay" : "overlay",
      };
      const text = "the destination is in the networks of pods: it is reached with the pod's own address";
      return [leave(way, exit, said(text, "test"))];
    }
    case "join":
      return [
        leave(
          way,
          { ...own, interface: "overlay" },
          said("the destination is a router between the nodes", "test"),
        ),
      ];
    case "own-node":
      return [toOwnNode(way, cluster, own)];
    case "node":
      return toNodeOrGateways(way, cluster, place.node);
    case "host-internal":
      return [leave(way, own, said("the destination is internal to the host: no feature applies", "source"))];
    case "other-network":
      return [toOtherNetwork(way, cluster, place, own)];
    case "outside":
      return way.packet === "reply"
        ? [replied(way, cluster)]
        : toOutside(way, cluster).map((one) => unpromised(one, cluster));
  }
}

/**
 * Marks the outcome as inferred. Upstream neither tests nor documents endpoints outside of the cluster, unused addresses of
 * the service CIDR, and the transit network.
 */
function unpromised(way: PacketPath, cluster: Cluster): PacketPath {
  const isTold =
    !way.steps.some(({ result }) => result === "translated") &&
    !isWithin([...cluster.serviceSubnets, ...cluster.transitSubnets], way.destination.address);
  return isTold || !way.outcome ? way : { ...way, outcome: { ...way.outcome, evidence: "inferred" } };
}

function toOwnNode(way: PacketPath, cluster: Cluster, own: Exit): PacketPath {
  const { network } = way.sender;
  const isService = !network.isDefault && isForAll(way);
  if (!network.isDefault && !isService && cluster.networks.advertisement(network)) {
    const text = `pods of the advertised network ${network.name} do not reach their own node`;
    return end(
      way,
      { stage: "route", result: "denied", by: [], text, evidence: "test" },
      { verdict: "unreachable", node: own.node },
    );
  }
  const text = "the destination is the pod's own node, which sees the pod's own address";
  const isTested = isService || (network.transport === "no-overlay" && network.outboundSnat);
  const evidence = isTested ? "test" : "source";
  return leave(way, { ...own, interface: "management port" }, { by: [], text, evidence });
}

/** In local gateway mode LRP 501 sends everything but cluster subnets and the own node to external gateways (R68). */
function toNodeOrGateways(way: PacketPath, cluster: Cluster, target: NodeView): PacketPath[] {
  const { network, node } = way.sender;
  if (!network.isDefault || way.packet === "reply" || cluster.modeOf(node) !== "local")
    return [toNode(way, cluster, target)];
  return byExternalRoutes(way, cluster, (one, { gateways }) =>
    gateways && hopsOf(gateways, way.destination.address.family).length > 0
      ? viaGateways(one, cluster, gateways)
      : [toNode(way, cluster, target)],
  );
}

/** EgressIP and EgressService do not apply: LRP 102 exempts node addresses, mark 1008 (src/ovn/rules.md R6). */
function toNode(way: PacketPath, cluster: Cluster, target: NodeView): PacketPath {
  const { node } = way.sender;
  const text = `the destination is an address of node ${target.name}: the packet leaves its own node with that node's address`;
  if (!node) return leave(way, NOWHERE, { by: [], text, evidence: "inferred" });
  const exit = { ...plainExit(way, cluster, node), nextHop: way.destination.address.text };
  return leave(way, exit, { by: [], text, evidence: "test" });
}

/**
 * The exit is the bridge. In local gateway mode the host routes the packet, and the source is the address of the interface
 * that the route selects (src/ovn/rules.md R8).
 */
function plainExit({ sender, destination }: PacketPath, cluster: Cluster, node: NodeView): Exit {
  const { family } = destination.address;
  const exit = { ...bridgeExit(node, family), source: nodeAddress(node, family)?.text };
  if (cluster.modeOf(node) !== "local") return exit;
  const near = sender.network.isDefault ? secondaryNetwork(node, destination.address) : undefined;
  const out = { ...exit, nextHop: undefined };
  return near
    ? { ...out, source: near.address.text, interface: `interface in ${near.text}` }
    : { ...out, interface: "by the host's routes" };
}

/** Mark 42 makes replies take the normal route (src/ovn/rules.md R5). */
function replied(way: PacketPath, cluster: Cluster): PacketPath {
  const { sender, destination } = way;
  const exit = sender.node ? bridgeExit(sender.node, destination.address.family) : NOWHERE;
  const via = cluster.modeOf(sender.node) === "local" ? { ...exit, interface: "by the host's routes" } : exit;
  const text = "a reply goes back the way the connection came, with the address that was called";
  return leave(way, { ...via, source: undefined }, { by: [], text, evidence: "test" });
}

/**
 * By priority (src/ovn/rules.md R7): 501 external gateways (local mode), 101 EgressService, 100 EgressIP, external
 * gateways (shared mode), plain source NAT.
 */
function toOutside(way: PacketPath, cluster: Cluster): PacketPath[] {
  return way.sender.network.isDefault
    ? byExternalRoutes(way, cluster, (one, { gateways }) => toOutsideUnder(one, cluster, gateways))
    : toOutsideUnder(way, cluster, undefined);
}

function toOutsideUnder(way: PacketPath, cluster: Cluster, gateways: Gateways | undefined): PacketPath[] {
  const { pod, network, node } = way.sender;
  const plain = (one: PacketPath) => plainly(one, cluster);
  if (!gateways) return byEgressService(way, cluster, (one) => byEgressIp(one, cluster, plain));
  const { family } = way.destination.address;
  if (hopsOf(gateways, family).length === 0) {
    const why = `AdminPolicyBasedExternalRoute ${gateways.policy.metadata.name} has no gateway of IPv${family}: gateway specified for namespace ${pod.namespace} no valid routes exist`;
    return byEgressService(warn(way, why), cluster, (one) => byEgressIp(one, cluster, plain));
  }
  const byGateways = (one: PacketPath) => viaGateways(one, cluster, gateways);
  if (cluster.modeOf(node) === "local") {
    const isServed = egressServicesOf(cluster, pod, cluster.addressesOf(pod, network)).length > 0;
    return byGateways(
      isServed ? warn(way, "the external gateways take the packet before the EgressService") : way,
    );
  }
  return byEgressService(way, cluster, (one) =>
    byEgressIp(one, cluster, byGateways).map((end) => mixed(end, cluster, gateways)),
  );
}

/** Shared gateway mode, EgressIP on the pod's own node: the gateway router sends the packet to the external gateway (R7). */
function mixed(way: PacketPath, cluster: Cluster, gateways: Gateways): PacketPath {
  const { outcome, sender } = way;
  const isByEgressIp = way.steps.at(-1)?.by.some(({ kind }) => kind === "EgressIP");
  if (!outcome || !isByEgressIp) return way;
  const what = `EgressIP and AdminPolicyBasedExternalRoute ${gateways.policy.metadata.name} on one pod: unsupported combination`;
  const warned = warn(way, what);
  if (outcome.node !== sender.pod.node) return { ...warned, outcome: { ...outcome, evidence: "inferred" } };
  const [hop] = hopsOf(gateways, way.destination.address.family);
  const source = cluster.facts.disableSnatMultipleGateways ? sender.address.text : outcome.source;
  return { ...warned, outcome: { ...outcome, source, nextHop: hop?.text, evidence: "inferred" } };
}

function viaGateways(way: PacketPath, cluster: Cluster, gateways: Gateways): PacketPath[] {
  const { sender, destination } = way;
  const { family } = destination.address;
  const hops = hopsOf(gateways, family);
  const by = [decider("AdminPolicyBasedExternalRoute", gateways.policy)];
  const keepsAddress = cluster.facts.disableSnatMultipleGateways;
  const source = keepsAddress ? sender.address : sender.node && nodeAddress(sender.node, family);
  const lost = gateways.hasBfd
    ? ""
    : "; the share of one that is dead is lost, since BFD does not watch all of them";
  const why = `AdminPolicyBasedExternalRoute ${gateways.policy.metadata.name} has ${hops.length} gateways: each connection takes any of them${lost}`;
  const unsure = hops.length > 1 ? doubt(way, why) : way;
  const isLocal = cluster.modeOf(sender.node) === "local";
  const warned =
    isLocal && !keepsAddress
      ? warn(
          unsure,
          "in local gateway mode without disable-snat-multiple-gws the gateway is probably by-passed",
        )
      : unsure;
  return hops.map((hop) => {
    const text = `AdminPolicyBasedExternalRoute ${gateways.policy.metadata.name} sends the packet to the gateway ${hop.text}`;
    const exit = {
      ...(sender.node ? bridgeExit(sender.node, family) : NOWHERE),
      source: source?.text,
      nextHop: hop.text,
    };
    return leave(warned, exit, { by, text, evidence: isLocal && !keepsAddress ? "inferred" : "test" });
  });
}

/** No egress feature applies: plain source NAT (src/ovn/rules.md R8, R9). */
function plainly(way: PacketPath, cluster: Cluster): PacketPath[] {
  const { sender, destination } = way;
  const { network, node, pod } = sender;
  const { family } = destination.address;
  if (!node) return [ended(way, "unreachable", `node ${pod.node} of the pod is not there`, "inferred")];
  const isLocal = cluster.modeOf(node) === "local";
  const out = plainExit(way, cluster, node);
  const advertised = cluster.networks.advertisement(network);
  const keeps = advertised ? "its network is advertised" : keepsAddress(way);
  if (!isLocal && node.gateway && !ofFamily(node.gateway.nextHops, family)) {
    return [
      ended(
        way,
        "unreachable",
        `node ${node.name} has no next hop of IPv${family} in its l3-gateway-config`,
        "test",
      ),
    ];
  }
  if (keeps !== undefined) {
    const text = `nothing else applies, and ${keeps}: the packet leaves its own node with the pod's own address`;
    const said = { by: [], text, evidence: network.transport === "overlay" ? "test" : "docs" } as const;
    const exit = { ...out, source: sender.address.text };
    if (!(advertised && advertised.targetVrf !== "" && isLocal)) return [leave(way, exit, said)];
    const why = `network ${network.name} has a VRF of its own, without a default route: only learned routes lead out of it`;
    const unsure = doubt(way, why);
    return [leave(unsure, exit, said), ended(unsure, "unreachable", `${why}, and none was learned`, "docs")];
  }
  if (out.source === undefined)
    return [
      ended(
        way,
        "dropped",
        `node ${node.name} has no IPv${family} address to give to the packet`,
        "inferred",
      ),
    ];
  const text = `nothing else applies: the packet leaves its own node with the address of node ${node.name}`;
  return [leave(way, out, { by: [], text, evidence: isLocal ? "source" : "test" })];
}

/** Why packets of the network keep the pod IP; undefined if source NAT applies. */
function keepsAddress({ sender: { network } }: PacketPath): string | undefined {
  if (network.transport === "evpn") return "its network is an EVPN";
  return network.transport === "no-overlay" && !network.outboundSnat
    ? "its network has no overlay and outboundSNAT is off"
    : undefined;
}

function ended(
  way: PacketPath,
  verdict: "unreachable" | "dropped",
  text: string,
  evidence: Evidence,
): PacketPath {
  const step: Step = { stage: "route", result: "denied", by: [], text, evidence };
  return end(way, step, { verdict, node: way.sender.pod.node });
}

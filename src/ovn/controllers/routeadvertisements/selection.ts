// The networks and nodes that a RouteAdvertisements selects. Throws a Complaint if the selection is invalid, or Pending if
// it is still empty.

import { goQuote } from "../../../apimachinery/go/strconv.ts";
import { textAt, textsAt } from "../../../apimachinery/json/json.ts";
import { cidrsOverlap, parseCidr } from "../../../apimachinery/meta/ip.ts";
import { type KubeObject, specOf } from "../../../apimachinery/meta/object-meta.ts";
import { byName, keyOfObject } from "../../../controller/api.ts";
import { Complaint, selectorOf } from "../../../controller/conditions.ts";
import { type ClusterNetworks, cidrsOf, readNetworkInfo } from "../networks/cluster-networks.ts";
import {
  CLUSTER_NETWORK_PREFIX,
  DEFAULT_NETWORK,
  isPrimary,
  NETWORK_ID_ANNOTATION,
  type NetConf,
  readNetConf,
} from "../networks/net-conf.ts";

/** The selection is still empty. */
export class Pending extends Complaint {}

/** A pod network, and the prefix length of its node subnets. */
export interface NodePart {
  readonly prefix: string;
  readonly length: number;
}

export interface AdvertisedNetwork {
  readonly name: string;
  readonly vrf: string;
  readonly topology: string;
  /** Canonical CIDRs, sorted. */
  readonly subnets: readonly string[];
  /** For no-overlay networks: node subnets that nodes must learn from each other. */
  readonly received: readonly NodePart[];
}

export type Advertisement = Readonly<ReturnType<typeof readAdvertisement>>;

export function readAdvertisement(object: KubeObject) {
  const kinds = textsAt(specOf(object), "advertisements");
  return {
    name: keyOfObject(object),
    podNetwork: kinds.includes("PodNetwork"),
    egressIps: kinds.includes("EgressIP"),
    /** "auto": each network in its own VRF; "": the default VRF. */
    targetVrf: textAt(specOf(object), "targetVRF"),
  };
}

/** The networks of the NetworkAttachmentDefinitions, sorted by name. */
export function advertisedNetworks(
  nads: readonly KubeObject[],
  advertisement: Advertisement,
  cluster: ClusterNetworks,
): AdvertisedNetwork[] {
  const networks = new Map<string, AdvertisedNetwork>();
  for (const nad of nads) {
    const network = advertisedNetwork(nad, advertisement, cluster);
    if (network && !networks.has(network.name)) networks.set(network.name, network);
  }
  const sorted = [...networks.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  checkOverlaps(sorted, advertisement);
  return sorted;
}

function advertisedNetwork(
  nad: KubeObject,
  { egressIps }: Advertisement,
  cluster: ClusterNetworks,
): AdvertisedNetwork | undefined {
  if (nad.metadata.name === DEFAULT_NETWORK && !nad.metadata.ownerReferences) {
    const subnets = cidrsOf(cluster.clusterSubnets)
      .map(({ text }) => text)
      .sort();
    return { name: DEFAULT_NETWORK, vrf: DEFAULT_NETWORK, topology: "layer3", subnets, received: [] };
  }
  const conf = readNetConf(nad);
  if (!conf) return undefined;
  const { name, topology } = conf;
  if (!isPrimary(conf)) {
    throw new Complaint(`selected network ${goQuote(name)} is not the default nor a primary network`);
  }
  if (egressIps && topology === "layer2") {
    throw new Complaint(
      `EgressIP advertisement is currently not supported for Layer2 networks, network: ${name}`,
    );
  }
  const parts = subnetsOf(conf, cluster);
  return {
    name,
    vrf: vrfOf(conf, nad),
    topology,
    subnets: parts.map(({ prefix }) => prefix),
    received: conf.transport === "no-overlay" ? parts : [],
  };
}

const subnetsOf = (conf: NetConf, cluster: ClusterNetworks): NodePart[] =>
  readNetworkInfo(conf, cluster)
    .subnets.map(({ cidr, hostPrefix }) => ({ prefix: cidr.text, length: hostPrefix }))
    .sort((a, b) => (a.prefix < b.prefix ? -1 : 1));

const VRF_NAME_MAX = 15;

/** The name of the network's VRF device. Linux limits interface names to 15 characters. */
function vrfOf({ name }: NetConf, { metadata }: KubeObject): string {
  const short = name.startsWith(CLUSTER_NETWORK_PREFIX) ? name.slice(CLUSTER_NETWORK_PREFIX.length) : "";
  if (short !== "" && short.length <= VRF_NAME_MAX) return short;
  return `mp${metadata.annotations?.[NETWORK_ID_ANNOTATION] ?? ""}-udn-vrf`;
}

/** Throws a Complaint if networks in one VRF overlap. */
function checkOverlaps(networks: readonly AdvertisedNetwork[], { name, targetVrf }: Advertisement): void {
  if (targetVrf === "auto") return;
  const all = networks.flatMap((network) =>
    network.subnets.map((text) => ({ network, text, cidr: parseCidr(text) })),
  );
  const overlapping = all.filter(({ network, cidr }) =>
    all.some((other) => network !== other.network && cidr && other.cidr && cidrsOverlap(cidr, other.cidr)),
  );
  if (overlapping.length === 0) return;
  const texts = overlapping.map(({ network, text }) => `${network.name}:${text}`).sort();
  throw new Complaint(
    `overlapping CIDR detected within RouteAdvertisement ${goQuote(name)} in VRF ${goQuote(targetVrf)}: [${texts.join(" ")}]`,
  );
}

/** The selected nodes, sorted by name. */
export function advertisingNodes(
  object: KubeObject,
  { podNetwork }: Advertisement,
  nodes: Iterable<KubeObject>,
): KubeObject[] {
  const selector = selectorOf(specOf(object)["nodeSelector"]);
  if (!selector.isEmpty && podNetwork) {
    throw new Complaint("node selector has to select all nodes if pod network is advertised");
  }
  const selected = [...nodes].filter(({ metadata }) => selector.matches(metadata.labels));
  if (selected.length === 0) throw new Pending("no nodes selected");
  return selected.sort(byName);
}

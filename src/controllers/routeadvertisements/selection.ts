// What a RouteAdvertisements chooses: networks, nodes and FRRConfigurations. Throws ConfigurationProblem where the
// choice is wrong, or comes to nothing yet.

import { goQuote } from "../../go/strconv.ts";
import { cidrsOverlap, parseCidr } from "../../meta/ip.ts";
import { isObject } from "../../meta/json.ts";
import {
  InvalidSelectorError,
  type LabelSelector,
  labelSelectorFromObject,
} from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { ClusterNetworks } from "../networks/cluster-networks.ts";
import { DEFAULT_NETWORK, isPrimary, type NetConf, readNetConf } from "../networks/net-conf.ts";
import { NetworkError } from "../networks/network-error.ts";
import { readNetworkInfo } from "../networks/network-info.ts";
import { NETWORK_ID_ANNOTATION } from "../networks/network-keys.ts";
import { pending, wrong } from "./problem.ts";

export interface Advertisement {
  readonly name: string;
  readonly podNetwork: boolean;
  readonly egressIps: boolean;
  /** "auto": each network in its own VRF; "": the default one. */
  readonly targetVrf: string;
}

/** A network that nodes have parts of, and how large those are. */
export interface NodePart {
  readonly prefix: string;
  readonly length: number;
}

export interface AdvertisedNetwork {
  readonly name: string;
  readonly vrf: string;
  readonly topology: string;
  /** Canonical, sorted. */
  readonly subnets: readonly string[];
  /** Without an overlay, nodes have to learn of each other's parts. */
  readonly received: readonly NodePart[];
}

export function readAdvertisement({ metadata, spec }: KubeObject): Advertisement {
  const fields = isObject(spec) ? spec : {};
  const kinds = Array.isArray(fields["advertisements"]) ? fields["advertisements"] : [];
  const vrf = fields["targetVRF"];
  return {
    name: metadata.name ?? "",
    podNetwork: kinds.includes("PodNetwork"),
    egressIps: kinds.includes("EgressIP"),
    targetVrf: typeof vrf === "string" ? vrf : "",
  };
}

/** A selector of the spec; one that is left out chooses all. */
export function selectorAt({ spec }: KubeObject, key: string): LabelSelector {
  try {
    return labelSelectorFromObject((isObject(spec) ? spec[key] : undefined) ?? {});
  } catch (error) {
    if (error instanceof InvalidSelectorError) throw wrong(error.message);
    throw error;
  }
}

/** The networks behind the NetworkAttachmentDefinitions, by name. */
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
    const subnets = cluster.clusterSubnets.map(({ cidr }) => cidr.text).sort();
    return { name: DEFAULT_NETWORK, vrf: DEFAULT_NETWORK, topology: "layer3", subnets, received: [] };
  }
  const conf = readNetConf(nad);
  if (!conf) return undefined;
  const { name, topology } = conf;
  if (!isPrimary(conf)) {
    throw wrong(`selected network ${goQuote(name)} is not the default nor a primary network`);
  }
  if (egressIps && topology === "layer2") {
    throw wrong(`EgressIP advertisement is currently not supported for Layer2 networks, network: ${name}`);
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

function subnetsOf(conf: NetConf, cluster: ClusterNetworks): NodePart[] {
  try {
    return readNetworkInfo(conf, cluster)
      .subnets.map(({ cidr, hostSubnet }) => ({ prefix: cidr.text, length: hostSubnet }))
      .sort((a, b) => (a.prefix < b.prefix ? -1 : 1));
  } catch (error) {
    if (error instanceof NetworkError) throw wrong(error.message);
    throw error;
  }
}

const VRF_NAME_MAX = 15;
const CLUSTER_PREFIX = "cluster_udn_";

/** The name of the network's VRF device: a network interface holds so many letters and no more. */
function vrfOf({ name }: NetConf, { metadata }: KubeObject): string {
  const short = name.startsWith(CLUSTER_PREFIX) ? name.slice(CLUSTER_PREFIX.length) : "";
  if (short !== "" && short.length <= VRF_NAME_MAX) return short;
  return `mp${metadata.annotations?.[NETWORK_ID_ANNOTATION] ?? ""}-udn-vrf`;
}

/** In one VRF no two networks may share addresses. */
function checkOverlaps(networks: readonly AdvertisedNetwork[], { name, targetVrf }: Advertisement): void {
  if (targetVrf === "auto") return;
  const all = networks.flatMap((network) => network.subnets.map((text) => ({ network, text })));
  const overlapping = all.filter((a) => all.some((b) => a.network !== b.network && overlap(a.text, b.text)));
  if (overlapping.length === 0) return;
  const texts = overlapping.map(({ network, text }) => `${network.name}:${text}`).sort();
  throw wrong(
    `overlapping CIDR detected within RouteAdvertisement ${goQuote(name)} in VRF ${goQuote(targetVrf)}: [${texts.join(" ")}]`,
  );
}

function overlap(a: string, b: string): boolean {
  const [left, right] = [parseCidr(a), parseCidr(b)];
  return left !== undefined && right !== undefined && cidrsOverlap(left, right);
}

/** The nodes that advertise, by name. */
export function advertisingNodes(
  object: KubeObject,
  { podNetwork }: Advertisement,
  nodes: Iterable<KubeObject>,
): KubeObject[] {
  const selector = selectorAt(object, "nodeSelector");
  if (!selector.isEmpty && podNetwork) {
    throw wrong("node selector has to select all nodes if pod network is advertised");
  }
  const selected = [...nodes].filter(({ metadata }) => selector.matches(metadata.labels));
  if (selected.length === 0) throw pending("no nodes selected");
  return selected.sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
}

// Cluster-internal networks, which user-defined networks must not overlap; and subnet lists in the syntax of
// ovn-kubernetes: "10.128.0.0/14/23,fd01::/48/64", where the last number is the prefix length of node subnets.

import { goQuote } from "../../../apimachinery/go/strconv.ts";
import {
  type Cidr,
  cidrContains,
  cidrsOverlap,
  type IpFamily,
  ipFromValue,
  parseCidr,
} from "../../../apimachinery/meta/ip.ts";
import { type ClusterSubnet, HOST_PREFIX } from "../../../cluster/cluster-subnets.ts";
import { Complaint, telling } from "../../../controller/conditions.ts";
import { type ControllerSettings, DEFAULT_SETTINGS } from "../../../controller/settings.ts";
import { isPrimary, type NetConf } from "./net-conf.ts";

export type ClusterNetworks = ReturnType<typeof readClusterNetworks>;

const SERVICE_CIDRS = "10.96.0.0/16,fd00:10:96::/112";
export const USER_JOIN_SUBNETS = ["100.65.0.0/16", "fd99::/64"] as const;

/** Throws if a setting is invalid. Pairs are IPv4, then IPv6. */
export function readClusterNetworks({
  clusterSubnets = DEFAULT_SETTINGS.clusterSubnets,
  serviceClusterIpRange = "",
}: Partial<ControllerSettings> = {}) {
  return {
    clusterSubnets: parseSubnets(clusterSubnets, true),
    serviceCidrs: (serviceClusterIpRange || SERVICE_CIDRS).split(",").map(knownCidr),
    /** Join subnets of the default network. */
    joinSubnets: pair(["100.64.0.0/16", "fd98::/64"]),
    masqueradeSubnets: pair(["169.254.0.0/17", "fd69::/112"]),
    transitSubnets: pair(["100.88.0.0/16", "fd97::/64"]),
    /** Default join subnets of primary user-defined networks. */
    userJoinSubnets: pair(USER_JOIN_SUBNETS),
    /** MTU of the overlay in bytes; physical networks have 100 more. */
    mtu: 1400,
  };
}

const pair = ([ipv4, ipv6]: readonly [string, string]): readonly [Cidr, Cidr] => [
  knownCidr(ipv4),
  knownCidr(ipv6),
];

function knownCidr(text: string): Cidr {
  const cidr = parseCidr(text.trim());
  if (!cidr) throw new Error(`${text} is no network`);
  return cidr;
}

/** A CIDR with its name in messages about overlaps. */
export interface NamedCidr {
  readonly kind: string;
  readonly cidr: Cidr;
}

export const named = (kind: string, cidrs: readonly Cidr[]): NamedCidr[] =>
  cidrs.map((cidr) => ({ kind, cidr }));

/** Cluster-internal networks, with or without the transit subnets. */
export const clusterNetworksOf = (cluster: ClusterNetworks, { transit = true } = {}): NamedCidr[] => [
  ...named("cluster subnet", cidrsOf(cluster.clusterSubnets)),
  ...named("service subnet", cluster.serviceCidrs),
  ...named("built-in join subnet", cluster.joinSubnets),
  ...named("masquerade subnet", cluster.masqueradeSubnets),
  ...named("transit switch subnet", transit ? cluster.transitSubnets : []),
];

/** The first of the others that overlaps the network, and the message about it. */
export function overlapWith(
  { kind, cidr }: NamedCidr,
  others: readonly NamedCidr[],
): { readonly cidr: Cidr; readonly text: string } | undefined {
  const other = others.find((item) => cidrsOverlap(cidr, item.cidr));
  if (!other) return undefined;
  const text = `${kind} ${goQuote(cidr.text)} overlaps ${other.kind} ${goQuote(other.cidr.text)}`;
  return { cidr: other.cidr, text };
}

export const cidrsOf = (subnets: readonly ClusterSubnet[]): Cidr[] => subnets.map(({ cidr }) => cidr);

/** Parses a list; without perNode there are no node subnets, and hostPrefix is 0. Throws a Complaint. */
export function parseSubnets(text: string, perNode: boolean): ClusterSubnet[] {
  if (text.trim() === "") return [];
  return text.split(",").map((entry) => parseEntry(entry.trim(), perNode));
}

function parseEntry(entry: string, perNode: boolean): ClusterSubnet {
  const parts = entry.split("/");
  if (parts.length < 2 || parts.length > 3 || (parts.length === 3 && !perNode)) {
    throw new Complaint(`CIDR ${goQuote(entry)} not properly formatted`);
  }
  const written = `${parts[0]}/${parts[1]}`;
  const cidr = parseCidr(written);
  if (!cidr) throw new Complaint(`invalid CIDR address: ${written}`);
  if (!perNode) return { cidr, hostPrefix: 0 };
  const hostPrefix = parts[2] === undefined ? HOST_PREFIX[cidr.family] : Number(parts[2]);
  checkHostPrefix(cidr, hostPrefix);
  return { cidr, hostPrefix };
}

function checkHostPrefix({ family, prefix }: Cidr, hostPrefix: number): void {
  if (family === 6 && hostPrefix !== 64) throw new Complaint("IPv6 only supports /64 host subnets");
  if (family === 4 && hostPrefix > 32) {
    throw new Complaint("invalid host subnet, IPv4 subnet must be < 32");
  }
  if (hostPrefix > prefix) return;
  throw new Complaint(
    "cannot use a host subnet length mask shorter than or equal to the cluster subnet mask. " +
      `host subnet length: ${hostPrefix}, cluster subnet length: ${prefix}`,
  );
}

// Parses the subnets of a network configuration, and checks that they do not overlap cluster-internal networks. As in
// upstream, user-defined networks are not compared with each other.

export type NetworkInfo = ReturnType<typeof readNetworkInfo>;

/** Parses the subnets of the configuration; throws a Complaint. */
export function readNetworkInfo(conf: NetConf, cluster: ClusterNetworks) {
  const subnets = readSubnets(conf);
  const info = {
    subnets,
    /** IPv4, then IPv6. Every network but a localnet has both; defaults apply. */
    joinSubnets: conf.topology === "localnet" ? [] : readJoinSubnets(conf, cluster),
    transitSubnets: conf.topology === "layer2" && isPrimary(conf) ? cidrs(conf.transitSubnet) : [],
  };
  if (isPrimary(conf)) checkFamilies(conf, subnets, cluster);
  return info;
}

/** The CIDRs of a list; throws a Complaint. */
const cidrs = (text: string): Cidr[] => cidrsOf(parseSubnets(text, false));

function readSubnets({ topology, name, ...conf }: NetConf): ClusterSubnet[] {
  if (topology === "layer3") return parseSubnets(conf.subnets, true);
  const what = topology === "layer2" ? "network subnets for layer2" : "localnet";
  const [subnets, excluded] = telling(
    `invalid ${what} netconf ${name}`,
    () => [parseSubnets(conf.subnets, false), cidrs(conf.excludeSubnets)] as const,
  );
  const outside = excluded.find((cidr) => !subnets.some((subnet) => contains(subnet.cidr, cidr)));
  if (outside) {
    throw new Complaint(`the provided network subnets do not contain excluded subnets ${outside.text}`);
  }
  return subnets;
}

/** Reports whether `outer` contains the whole other CIDR. */
const contains = (outer: Cidr, { family, first, last }: Cidr): boolean =>
  [first, last].every((value) => cidrContains(outer, ipFromValue(family, value)));

function readJoinSubnets({ joinSubnet }: NetConf, { userJoinSubnets }: ClusterNetworks): Cidr[] {
  const given = cidrs(joinSubnet);
  return userJoinSubnets.map((usual) => given.findLast(({ family }) => family === usual.family) ?? usual);
}

function checkFamilies({ name }: NetConf, subnets: readonly ClusterSubnet[], cluster: ClusterNetworks): void {
  const supported = new Set(cidrsOf(cluster.clusterSubnets).map(({ family }) => family));
  for (const family of [4, 6] satisfies IpFamily[]) {
    if (supported.has(family) || !subnets.some(({ cidr }) => cidr.family === family)) continue;
    throw new Complaint(
      `network ${name} is attempting to use ipv${family} subnets but the cluster does not support ipv${family}`,
    );
  }
}

/** The first two overlapping networks, if any. Throws a Complaint if the configuration is invalid. */
export function findOverlap(conf: NetConf, cluster: ClusterNetworks) {
  const info = telling("error while parsing subnets", () => readNetworkInfo(conf, cluster));
  const all = [
    ...clusterNetworksOf(cluster, { transit: conf.topology === "layer3" }),
    ...named("user defined subnet", cidrsOf(info.subnets)),
    ...named("user defined join subnet", info.joinSubnets),
    ...named("transit switch subnet", info.transitSubnets),
  ];
  for (const [index, network] of all.entries()) {
    const overlap = overlapWith(network, all.slice(0, index));
    if (!overlap) continue;
    const message = `pod or join subnet overlaps with already configured internal subnets: ${overlap.text}`;
    return { subnets: [network.cidr, overlap.cidr] as const, message };
  }
  return undefined;
}

const ATTEMPTS_MAX = 10;
const CANNOT = "can't generate transit subnets";

/**
 * A primary Layer2 network has a transit subnet for each family of its subnets: the cluster's, or the next range without an
 * overlap. Returns the text for the configuration; throws a Complaint for any other overlap or invalid subnet.
 */
export function chooseTransitSubnets(conf: NetConf, cluster: ClusterNetworks): string {
  const chosen = conf.subnets.split(",").map((text) => {
    const subnet = parseCidr(text);
    if (subnet) return chooseTransitSubnet(conf, cluster, subnet.family).text;
    throw new Complaint(`${CANNOT}: failed to parse CIDR "${text}": invalid CIDR address: ${text}`);
  });
  return chosen.join(",");
}

function chooseTransitSubnet(conf: NetConf, cluster: ClusterNetworks, family: IpFamily): Cidr {
  let transit = cluster.transitSubnets[family === 4 ? 0 : 1];
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const overlap = findOverlap({ ...conf, transitSubnet: transit.text }, cluster);
    if (!overlap) return transit;
    const [first, second] = overlap.subnets;
    if (first.text !== transit.text && second.text !== transit.text) throw new Complaint(overlap.message);
    transit = after(second.prefix < first.prefix ? second : first, transit.prefix);
  }
  throw new Complaint(`${CANNOT}: failed to find non-overlapping transit subnet after 10 attempts`);
}

/** The CIDR with the given prefix length that follows the other one. */
function after({ family, last }: Cidr, prefix: number): Cidr {
  const next = parseCidr(`${ipFromValue(family, last + 1n).text}/${prefix}`);
  if (!next) throw new Complaint(`${CANNOT}: no range is left`);
  return next;
}

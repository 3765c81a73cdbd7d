// What the text of a network's configuration means, and whether it keeps clear of the cluster's own networks. A network
// is never compared with other user-defined networks.
import { type Cidr, cidrContains, type IpFamily, ipFromValue, parseCidr } from "../../meta/ip.ts";
import type { ClusterSubnet } from "../network-annotations/cluster-subnets.ts";
import {
  type ClusterNetworks,
  cidrsOf,
  clusterNetworksOf,
  named,
  overlapWith,
  parseSubnets,
} from "./cluster-networks.ts";
import { isPrimary, type NetConf, NetworkError, telling } from "./net-conf.ts";

export interface NetworkInfo {
  readonly subnets: readonly ClusterSubnet[];
  /** IPv4, then IPv6; every network but a localnet has both, given or not. */
  readonly joinSubnets: readonly Cidr[];
  readonly transitSubnets: readonly Cidr[];
}

/** Reads the configuration; throws NetworkError. */
export function readNetworkInfo(conf: NetConf, cluster: ClusterNetworks): NetworkInfo {
  const subnets = readSubnets(conf);
  const info = {
    subnets,
    joinSubnets: conf.topology === "localnet" ? [] : readJoinSubnets(conf, cluster),
    transitSubnets: conf.topology === "layer2" && isPrimary(conf) ? cidrs(conf.transitSubnet) : [],
  };
  if (isPrimary(conf)) checkFamilies(conf, subnets, cluster);
  return info;
}

/** The networks of a list; throws NetworkError. */
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
    throw new NetworkError(`the provided network subnets do not contain excluded subnets ${outside.text}`);
  }
  return subnets;
}

/** True if all of inner lies in outer. */
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
    throw new NetworkError(
      `network ${name} is attempting to use ipv${family} subnets but the cluster does not support ipv${family}`,
    );
  }
}

/** Two networks that share addresses. */
export interface Overlap {
  readonly subnets: readonly [Cidr, Cidr];
  readonly message: string;
}

/** The first pair of overlapping networks, if any. Throws NetworkError where the configuration cannot be read. */
export function findOverlap(conf: NetConf, cluster: ClusterNetworks): Overlap | undefined {
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
    return { subnets: [network.cidr, overlap.cidr], message };
  }
  return undefined;
}

const ATTEMPTS_MAX = 10;
const CANNOT = "can't generate transit subnets";

/**
 * A primary Layer2 network has a transit subnet of its own per family: the cluster's, or the next range that is free. In the
 * form of the configuration; throws NetworkError for what is wrong apart from them.
 */
export function chooseTransitSubnets(conf: NetConf, cluster: ClusterNetworks): string {
  const chosen = conf.subnets.split(",").map((text) => {
    const subnet = parseCidr(text);
    if (subnet) return chooseTransitSubnet(conf, cluster, subnet.family).text;
    throw new NetworkError(`${CANNOT}: failed to parse CIDR "${text}": invalid CIDR address: ${text}`);
  });
  return chosen.join(",");
}

function chooseTransitSubnet(conf: NetConf, cluster: ClusterNetworks, family: IpFamily): Cidr {
  let transit = cluster.transitSubnets[family === 4 ? 0 : 1];
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const overlap = findOverlap({ ...conf, transitSubnet: transit.text }, cluster);
    if (!overlap) return transit;
    const [first, second] = overlap.subnets;
    if (first.text !== transit.text && second.text !== transit.text) throw new NetworkError(overlap.message);
    transit = after(second.prefix < first.prefix ? second : first, transit.prefix);
  }
  throw new NetworkError(`${CANNOT}: failed to find non-overlapping transit subnet after 10 attempts`);
}

/** The network of the given size that begins where the other ends. */
function after({ family, last }: Cidr, prefix: number): Cidr {
  const next = parseCidr(`${ipFromValue(family, last + 1n).text}/${prefix}`);
  if (!next) throw new NetworkError(`${CANNOT}: no range is left`);
  return next;
}

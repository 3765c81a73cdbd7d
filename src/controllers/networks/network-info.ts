// What the text of a network's configuration means, and whether it keeps clear of the cluster's own networks. A network
// is never compared with other user-defined networks.

import { goQuote } from "../../go/strconv.ts";
import { type Cidr, cidrContains, cidrsOverlap, type IpFamily, ipFromValue } from "../../meta/ip.ts";
import { parseSubnetEntries, type SubnetEntry } from "./addresses/subnet-entries.ts";
import type { ClusterNetworks } from "./cluster-networks.ts";
import { isPrimary, type NetConf } from "./net-conf.ts";
import { NetworkError } from "./network-error.ts";

export interface NetworkInfo {
  readonly subnets: readonly SubnetEntry[];
  /** IPv4, then IPv6; every network but a localnet has both, given or not. */
  readonly joinSubnets: readonly Cidr[];
  readonly transitSubnets: readonly Cidr[];
}

/** Two networks that share addresses. */
export interface Overlap {
  readonly subnets: readonly [Cidr, Cidr];
  readonly message: string;
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

function readSubnets(conf: NetConf): SubnetEntry[] {
  const { topology, name } = conf;
  if (topology === "layer3") return parseSubnetEntries(conf.subnets, true);
  const where = topology === "layer2" ? `invalid network subnets for layer2 netconf ${name}` : "";
  const whereElse = `invalid localnet netconf ${name}`;
  let subnets: SubnetEntry[];
  let excluded: Cidr[];
  try {
    subnets = parseSubnetEntries(conf.subnets, false);
    excluded = cidrs(conf.excludeSubnets);
  } catch (error) {
    throw new NetworkError(`${where || whereElse}: ${error instanceof Error ? error.message : error}`);
  }
  for (const cidr of excluded) {
    if (subnets.some((subnet) => contains(subnet.cidr, cidr))) continue;
    throw new NetworkError(`the provided network subnets do not contain excluded subnets ${cidr.text}`);
  }
  return subnets;
}

function readJoinSubnets(conf: NetConf, { userJoinSubnets }: ClusterNetworks): Cidr[] {
  let [v4, v6] = userJoinSubnets;
  for (const cidr of cidrs(conf.joinSubnet)) {
    if (cidr.family === 4) v4 = cidr;
    else v6 = cidr;
  }
  return [v4, v6];
}

function checkFamilies({ name }: NetConf, subnets: readonly SubnetEntry[], cluster: ClusterNetworks): void {
  const supported = new Set(cluster.clusterSubnets.map(({ cidr }) => cidr.family));
  for (const family of [4, 6] satisfies IpFamily[]) {
    if (supported.has(family) || !subnets.some(({ cidr }) => cidr.family === family)) continue;
    throw new NetworkError(
      `network ${name} is attempting to use ipv${family} subnets but the cluster does not support ipv${family}`,
    );
  }
}

/** The first pair of overlapping networks, if any. Throws NetworkError where the configuration cannot be read. */
export function findOverlap(conf: NetConf, cluster: ClusterNetworks): Overlap | undefined {
  let info: NetworkInfo;
  try {
    info = readNetworkInfo(conf, cluster);
  } catch (error) {
    throw new NetworkError(`error while parsing subnets: ${error instanceof Error ? error.message : error}`);
  }
  const named = (kind: string, list: readonly Cidr[]) => list.map((cidr) => ({ kind, cidr }));
  const all = [
    ...named(
      "cluster subnet",
      cluster.clusterSubnets.map(({ cidr }) => cidr),
    ),
    ...named("service subnet", cluster.serviceCidrs),
    ...named("built-in join subnet", cluster.joinSubnets),
    ...named("masquerade subnet", cluster.masqueradeSubnets),
    ...(conf.topology === "layer3" ? named("transit switch subnet", cluster.transitSubnets) : []),
    ...named(
      "user defined subnet",
      info.subnets.map(({ cidr }) => cidr),
    ),
    ...named("user defined join subnet", info.joinSubnets),
    ...named("transit switch subnet", info.transitSubnets),
  ];
  for (const [index, { kind, cidr }] of all.entries()) {
    const other = all.slice(0, index).find((earlier) => cidrsOverlap(cidr, earlier.cidr));
    if (!other) continue;
    const pair = `${kind} ${goQuote(cidr.text)} overlaps ${other.kind} ${goQuote(other.cidr.text)}`;
    return {
      subnets: [cidr, other.cidr],
      message: `pod or join subnet overlaps with already configured internal subnets: ${pair}`,
    };
  }
  return undefined;
}

/** The networks of a list; throws NetworkError. */
export const cidrs = (text: string): Cidr[] => parseSubnetEntries(text, false).map(({ cidr }) => cidr);

/** True if all of inner lies in outer. */
export const contains = (outer: Cidr, inner: Cidr): boolean =>
  cidrContains(outer, ipFromValue(inner.family, inner.first)) &&
  cidrContains(outer, ipFromValue(inner.family, inner.last));

// Whether the networks that a ClusterNetworkConnect chooses can be connected over its subnets.

import { goQuote } from "../../go/strconv.ts";
import { type Cidr, cidrsOverlap, type IpFamily, parseCidr } from "../../meta/ip.ts";
import { isObject } from "../../meta/json.ts";
import { smallest } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { ClusterNetworks } from "../networks/cluster-networks.ts";
import { NetworkError, within } from "../networks/network-error.ts";
import { type NetworkInfo, readNetworkInfo } from "../networks/network-info.ts";
import { NETWORK_ID_ANNOTATION } from "../networks/network-keys.ts";
import type { SelectedNetwork } from "../networks/selected-networks.ts";

export interface ConnectSubnet {
  readonly cidr: Cidr;
  /** Prefix length of the part that a Layer3 network gets. */
  readonly networkPrefix: number;
}

/** Another ClusterNetworkConnect. */
export interface OtherConnect {
  readonly name: string;
  readonly subnets: readonly ConnectSubnet[];
  readonly networks: readonly SelectedNetwork[];
}

interface Named {
  readonly kind: string;
  readonly cidr: Cidr;
}

export function readConnectSubnets({ spec }: KubeObject): ConnectSubnet[] {
  const subnets = isObject(spec) && Array.isArray(spec["connectSubnets"]) ? spec["connectSubnets"] : [];
  return subnets.filter(isObject).flatMap((subnet) => {
    const cidr = parseCidr(String(subnet["cidr"]));
    return cidr ? [{ cidr, networkPrefix: Number(subnet["networkPrefix"]) }] : [];
  });
}

/** Throws NetworkError. */
export function checkConnect(
  subnets: readonly ConnectSubnet[],
  networks: readonly SelectedNetwork[],
  cluster: ClusterNetworks,
): void {
  const own = subnets.map(({ cidr }) => ({ kind: "ClusterNetworkConnect.connectSubnets", cidr }));
  const infos = networks.map(({ conf }) => ({ name: conf.name, info: readNetworkInfo(conf, cluster) }));
  refuse("cluster subnets overlap with cluster network connect subnets", own, clusterNetworksOf(cluster));
  for (const { name, info } of infos) {
    refuse("selected networks overlap with cluster network connect subnets", own, [
      ...podSubnetsOf(name, info),
      ...info.joinSubnets.map((cidr) => ({ kind: `join subnet of network ${name}`, cidr })),
      ...info.transitSubnets.map((cidr) => ({ kind: `transit subnet of network ${name}`, cidr })),
    ]);
  }
  for (const [index, { name, info }] of infos.entries()) {
    const others = infos.slice(0, index).flatMap((other) => podSubnetsOf(other.name, other.info));
    refuse(
      "can not connect selected networks: selected networks have overlapping subnets",
      podSubnetsOf(name, info),
      others,
    );
  }
  checkFamilies(subnets, infos);
}

const podSubnetsOf = (name: string, { subnets }: NetworkInfo): Named[] =>
  subnets.map(({ cidr }) => ({ kind: `subnet of network ${name}`, cidr }));

function clusterNetworksOf(cluster: ClusterNetworks): Named[] {
  const named = (kind: string, list: readonly Cidr[]): Named[] => list.map((cidr) => ({ kind, cidr }));
  const pods = cluster.clusterSubnets.map(({ cidr }) => cidr);
  return [
    ...named("cluster subnet", pods),
    ...named("service subnet", cluster.serviceCidrs),
    ...named("built-in join subnet", cluster.joinSubnets),
    ...named("masquerade subnet", cluster.masqueradeSubnets),
    ...named("transit switch subnet", cluster.transitSubnets),
  ];
}

function refuse(where: string, left: readonly Named[], right: readonly Named[]): void {
  for (const a of left) {
    const b = right.find(({ cidr }) => cidrsOverlap(a.cidr, cidr));
    if (!b) continue;
    const pair = `${a.kind} ${goQuote(a.cidr.text)} overlaps ${b.kind} ${goQuote(b.cidr.text)}`;
    throw new NetworkError(`${where}: ${pair}`);
  }
}

/** Networks of one family each can only be connected with their like. */
function checkFamilies(
  subnets: readonly ConnectSubnet[],
  infos: readonly { readonly name: string; readonly info: NetworkInfo }[],
): void {
  const only = new Map<IpFamily, string>();
  for (const { name, info } of infos) {
    const [family, other] = new Set(info.subnets.map(({ cidr }) => cidr.family));
    if (family === undefined || other !== undefined) continue;
    const rest: IpFamily = family === 4 ? 6 : 4;
    const opposite = only.get(rest);
    if (opposite !== undefined) {
      throw new NetworkError(
        `IP family conflict: connected network ${name} has only ipv${family} subnets, ` +
          `but another connected network ${opposite} has only ipv${rest} subnets`,
      );
    }
    only.set(family, name);
  }
  for (const [family, name] of only) {
    if (subnets.some(({ cidr }) => cidr.family === family)) continue;
    throw new NetworkError(
      `IP family conflict: connected network ${name} is ipv${family}-only but connectSubnets do not contain an ipv${family} subnet`,
    );
  }
}

/** Two that choose a network in common must not share subnets. Throws NetworkError. */
export function checkOthers(own: OtherConnect, others: readonly OtherConnect[]): void {
  for (const other of others) {
    const common = own.networks
      .filter(({ conf }) => other.networks.some((network) => network.conf.name === conf.name))
      .map(ownerKey);
    if (common.length === 0) continue;
    const overlaps = own.subnets.some((a) => other.subnets.some((b) => cidrsOverlap(a.cidr, b.cidr)));
    if (!overlaps) continue;
    throw new NetworkError(
      `connectSubnets overlap detected between CNC ${own.name} and CNC ${other.name} ` +
        `which both select networks [${common.join(" ")}]`,
    );
  }
}

const ownerKey = ({ conf, nads }: SelectedNetwork): string =>
  `${conf.topology}_${nads[0]?.metadata.annotations?.[NETWORK_ID_ANNOTATION] ?? conf.name}`;

/**
 * A Layer3 network takes a part of each connect subnet; Layer2 networks share parts, two addresses each. The first by
 * name that finds nothing left is told of. Throws NetworkError.
 */
export function checkCapacity(subnets: readonly ConnectSubnet[], networks: readonly SelectedNetwork[]): void {
  const parts = smallest(
    subnets.map(({ cidr, networkPrefix }) => 2 ** (networkPrefix - cidr.prefix)),
    Infinity,
  );
  const pairs = smallest(
    subnets.map(({ cidr, networkPrefix }) => 2 ** ((cidr.family === 4 ? 31 : 127) - networkPrefix)),
    Infinity,
  );
  let used = 0;
  let layer2 = 0;
  for (const { conf } of networks) {
    if (conf.topology === "layer3") used++;
    else if (layer2++ % pairs === 0) used++;
    if (used <= parts) continue;
    const kind = conf.topology === "layer3" ? "Layer3" : "Layer2";
    const where = `failed to allocate ${kind} subnet for network ${conf.name}`;
    throw within(where, new NetworkError("no subnets available."));
  }
}

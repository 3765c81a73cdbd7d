// Whether the networks that a ClusterNetworkConnect chooses can be connected over its subnets.
import { type Cidr, cidrsOverlap, type IpFamily, parseCidr } from "../../meta/ip.ts";
import { objectsAt } from "../../meta/json.ts";
import { smallest } from "../../meta/lists.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import {
  type ClusterNetworks,
  cidrsOf,
  clusterNetworksOf,
  type NamedCidr,
  named,
  overlapWith,
} from "../networks/cluster-networks.ts";
import { NETWORK_ID_ANNOTATION, NetworkError } from "../networks/net-conf.ts";
import { type NetworkInfo, readNetworkInfo } from "../networks/network-info.ts";
import type { SelectedNetwork } from "../networks/selected-networks.ts";

export interface ConnectSubnet {
  readonly cidr: Cidr;
  /** Prefix length of the part that a Layer3 network gets. */
  readonly networkPrefix: number;
}

/** What a ClusterNetworkConnect asks for. */
export interface Connect {
  readonly name: string;
  readonly subnets: readonly ConnectSubnet[];
  readonly networks: readonly SelectedNetwork[];
}

export const readConnectSubnets = (connect: KubeObject): ConnectSubnet[] =>
  objectsAt(specOf(connect), "connectSubnets").flatMap((subnet) => {
    const cidr = parseCidr(String(subnet["cidr"]));
    return cidr ? [{ cidr, networkPrefix: Number(subnet["networkPrefix"]) }] : [];
  });

interface NamedInfo {
  readonly name: string;
  readonly info: NetworkInfo;
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
      ...podSubnetsOf({ name, info }),
      ...named(`join subnet of network ${name}`, info.joinSubnets),
      ...named(`transit subnet of network ${name}`, info.transitSubnets),
    ]);
  }
  for (const [index, network] of infos.entries()) {
    const others = infos.slice(0, index).flatMap(podSubnetsOf);
    const where = "can not connect selected networks: selected networks have overlapping subnets";
    refuse(where, podSubnetsOf(network), others);
  }
  checkFamilies(subnets, infos);
}

const podSubnetsOf = ({ name, info }: NamedInfo): NamedCidr[] =>
  named(`subnet of network ${name}`, cidrsOf(info.subnets));

function refuse(where: string, left: readonly NamedCidr[], right: readonly NamedCidr[]): void {
  for (const network of left) {
    const overlap = overlapWith(network, right);
    if (overlap) throw new NetworkError(`${where}: ${overlap.text}`);
  }
}

/** Networks of one family each can only be connected with their like. */
function checkFamilies(subnets: readonly ConnectSubnet[], infos: readonly NamedInfo[]): void {
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
export function checkOther(own: Connect, other: Connect): void {
  const names = new Set(other.networks.map(({ conf }) => conf.name));
  const common = own.networks.filter(({ conf }) => names.has(conf.name)).map(ownerKey);
  const overlaps = own.subnets.some((a) => other.subnets.some((b) => cidrsOverlap(a.cidr, b.cidr)));
  if (common.length === 0 || !overlaps) return;
  throw new NetworkError(
    `connectSubnets overlap detected between CNC ${own.name} and CNC ${other.name} ` +
      `which both select networks [${common.join(" ")}]`,
  );
}

const ownerKey = ({ conf, nads }: SelectedNetwork): string =>
  `${conf.topology}_${nads[0]?.metadata.annotations?.[NETWORK_ID_ANNOTATION] ?? conf.name}`;

/**
 * A Layer3 network takes a part of each connect subnet; Layer2 networks share parts, two addresses each. The first by
 * name that finds nothing left is told of. Throws NetworkError.
 */
export function checkCapacity(subnets: readonly ConnectSubnet[], networks: readonly SelectedNetwork[]): void {
  const fewest = (bitsOf: (subnet: ConnectSubnet) => number): number =>
    smallest(
      subnets.map((subnet) => 2 ** bitsOf(subnet)),
      Infinity,
    );
  const parts = fewest(({ cidr, networkPrefix }) => networkPrefix - cidr.prefix);
  const pairs = fewest(({ cidr, networkPrefix }) => (cidr.family === 4 ? 31 : 127) - networkPrefix);
  let used = 0;
  let layer2 = 0;
  for (const { conf } of networks) {
    const kind = conf.topology === "layer3" ? "Layer3" : "Layer2";
    if (kind === "Layer3" || layer2++ % pairs === 0) used++;
    if (used <= parts) continue;
    throw new NetworkError(
      `failed to allocate ${kind} subnet for network ${conf.name}: no subnets available.`,
    );
  }
}

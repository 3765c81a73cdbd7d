// The ClusterNetworkConnect controller: reports in condition Accepted whether the selected networks can be connected.

import { equalJson, objectsAt } from "../../apimachinery/json/json.ts";
import { type Cidr, cidrsOverlap, type IpFamily, parseCidr } from "../../apimachinery/meta/ip.ts";
import { smallest } from "../../apimachinery/meta/lists.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { byName, keyOfObject, keysIn, NADS, NAMESPACES, ovn } from "../../controller/api.ts";
import {
  applyConditions,
  attempt,
  Complaint,
  complaintOf,
  conditionFor,
  type Said,
  telling,
} from "../../controller/conditions.ts";
import { defineController } from "../../controller/define-controller.ts";
import type { Kit } from "../../controller/definition.ts";
import type { Informer } from "../../controller/informer.ts";
import { isNewest } from "../../controller/settings.ts";
import {
  type ClusterNetworks,
  cidrsOf,
  clusterNetworksOf,
  type NamedCidr,
  type NetworkInfo,
  named,
  overlapWith,
  readClusterNetworks,
  readNetworkInfo,
} from "./networks/cluster-networks.ts";
import {
  NETWORK_ID_ANNOTATION,
  type NetworkSources,
  nadsOfSelectedClusterNetworks,
  nadsOfSelectedNamespaces,
  networkSelectorsOf,
  primaryNetworks,
  type SelectedNetwork,
} from "./networks/net-conf.ts";

const CONNECTS = ovn("clusternetworkconnects");

export const clusterNetworkConnect = defineController({
  name: "clusternetworkconnect",
  summary: "whether networks can be connected",
  fieldManager: "clustermanager-networkconnect-controller",
  isWanted: isNewest,
  workers: 1,
  memory: ({ settings }: Kit) => ({ cluster: readClusterNetworks(settings) }),
  watches: {
    namespaces: {
      resource: NAMESPACES,
      on: ["update"],
      facts: ({ metadata }) => metadata.labels,
      toKeys: (_, { connects }) => keysIn(connects),
    },
    nads: { resource: NADS, toKeys: (_, { connects }) => keysIn(connects) },
    connects: {
      resource: CONNECTS,
      toKeys: ({ object, old }, { connects }) =>
        old && equalJson(old["spec"], object["spec"]) ? [object.metadata.name] : keysIn(connects),
    },
  },
  prepare: ({ connects }) => keysIn(connects),
  async reconcile(name, world) {
    const object = world.connects.get(name);
    if (!object) return;
    const complaint = complaintOf(() => check(object, world, world.memory.cluster));
    const problem = complaint && { reason: "ResourceAllocationFailed", message: complaint.message };
    await applyConditions(world, CONNECTS, object, [conditionFor("Accepted", problem, ACCEPTED)]);
  },
});

const ACCEPTED: Said = {
  reason: "ResourceAllocationSucceeded",
  message: "All validation checks passed successfully",
};

/** Throws a Complaint if the selected networks cannot be connected. */
function check(
  connect: KubeObject,
  sources: NetworkSources & { readonly connects: Informer },
  cluster: ClusterNetworks,
): void {
  const name = keyOfObject(connect);
  const subnets = readConnectSubnets(connect);
  const where = `failed to discover selected networks for CNC ${name}`;
  const networks = telling(where, () => selectedBy(connect, sources));
  telling(`validation failed for CNC ${name}`, () => checkConnect(subnets, networks, cluster));
  // Both objects of a conflict report it.
  for (const other of [...sources.connects.list()].sort(byName)) {
    if (other.metadata.name === name) continue;
    telling(`cross-validation failed for CNC ${name}`, () =>
      checkOther({ name, subnets, networks }, connectOf(other, sources)),
    );
  }
  telling(`failed to allocate subnets for CNC ${name}`, () => checkCapacity(subnets, networks));
}

/** Reads another ClusterNetworkConnect; its own errors are ignored here, since it reports them itself. */
function connectOf(connect: KubeObject, sources: NetworkSources): Connect {
  const selected = attempt(() => selectedBy(connect, sources));
  const networks = selected instanceof Complaint ? [] : selected;
  return { name: keyOfObject(connect), subnets: readConnectSubnets(connect), networks };
}

function selectedBy(connect: KubeObject, sources: NetworkSources): SelectedNetwork[] {
  const found = networkSelectorsOf(connect).flatMap((selector) =>
    selector["networkSelectionType"] === "ClusterUserDefinedNetworks"
      ? nadsOfSelectedClusterNetworks(selector, sources)
      : nadsOfSelectedNamespaces(selector, sources),
  );
  const networks = primaryNetworks(found);
  const special = networks.find(({ conf }) => conf.transport !== "");
  if (!special) return networks;
  const { name, transport } = special.conf;
  throw new Complaint(
    `network ${name} has transport type ${transport} that is not supported for networkConnect`,
  );
}

interface ConnectSubnet {
  readonly cidr: Cidr;
  /** Prefix length of the subnet for one Layer3 network. */
  readonly networkPrefix: number;
}

/** Parsed spec of a ClusterNetworkConnect. */
interface Connect {
  readonly name: string;
  readonly subnets: readonly ConnectSubnet[];
  readonly networks: readonly SelectedNetwork[];
}

const readConnectSubnets = (connect: KubeObject): ConnectSubnet[] =>
  objectsAt(specOf(connect), "connectSubnets").flatMap((subnet) => {
    const cidr = parseCidr(String(subnet["cidr"]));
    return cidr ? [{ cidr, networkPrefix: Number(subnet["networkPrefix"]) }] : [];
  });

type NamedInfo = NetworkInfo & { readonly name: string };

/** Throws a Complaint. */
function checkConnect(
  subnets: readonly ConnectSubnet[],
  networks: readonly SelectedNetwork[],
  cluster: ClusterNetworks,
): void {
  const own = subnets.map(({ cidr }) => ({ kind: "ClusterNetworkConnect.connectSubnets", cidr }));
  const infos = networks.map(({ conf }) => ({ name: conf.name, ...readNetworkInfo(conf, cluster) }));
  refuse("cluster subnets overlap with cluster network connect subnets", own, clusterNetworksOf(cluster));
  for (const info of infos) {
    refuse("selected networks overlap with cluster network connect subnets", own, [
      ...podSubnetsOf(info),
      ...named(`join subnet of network ${info.name}`, info.joinSubnets),
      ...named(`transit subnet of network ${info.name}`, info.transitSubnets),
    ]);
  }
  for (const [index, network] of infos.entries()) {
    const others = infos.slice(0, index).flatMap(podSubnetsOf);
    const where = "can not connect selected networks: selected networks have overlapping subnets";
    refuse(where, podSubnetsOf(network), others);
  }
  checkFamilies(subnets, infos);
}

const podSubnetsOf = ({ name, subnets }: NamedInfo): NamedCidr[] =>
  named(`subnet of network ${name}`, cidrsOf(subnets));

function refuse(where: string, left: readonly NamedCidr[], right: readonly NamedCidr[]): void {
  for (const network of left) {
    const overlap = overlapWith(network, right);
    if (overlap) throw new Complaint(`${where}: ${overlap.text}`);
  }
}

/** Rejects an IPv4-only with an IPv6-only network, and connectSubnets without the family of a network. */
function checkFamilies(subnets: readonly ConnectSubnet[], infos: readonly NamedInfo[]): void {
  const only = new Map<IpFamily, string>();
  for (const { name, ...info } of infos) {
    const [family, other] = new Set(info.subnets.map(({ cidr }) => cidr.family));
    if (family === undefined || other !== undefined) continue;
    const rest: IpFamily = family === 4 ? 6 : 4;
    const opposite = only.get(rest);
    if (opposite !== undefined) {
      throw new Complaint(
        `IP family conflict: connected network ${name} has only ipv${family} subnets, ` +
          `but another connected network ${opposite} has only ipv${rest} subnets`,
      );
    }
    only.set(family, name);
  }
  for (const [family, name] of only) {
    if (subnets.some(({ cidr }) => cidr.family === family)) continue;
    throw new Complaint(
      `IP family conflict: connected network ${name} is ipv${family}-only but connectSubnets do not contain an ipv${family} subnet`,
    );
  }
}

/** Two ClusterNetworkConnects with a common network must not have overlapping subnets. Throws a Complaint. */
function checkOther(own: Connect, other: Connect): void {
  const names = new Set(other.networks.map(({ conf }) => conf.name));
  const common = own.networks.filter(({ conf }) => names.has(conf.name)).map(ownerKey);
  const overlaps = own.subnets.some((a) => other.subnets.some((b) => cidrsOverlap(a.cidr, b.cidr)));
  if (common.length === 0 || !overlaps) return;
  throw new Complaint(
    `connectSubnets overlap detected between CNC ${own.name} and CNC ${other.name} ` +
      `which both select networks [${common.join(" ")}]`,
  );
}

const ownerKey = ({ conf, nads }: SelectedNetwork): string =>
  `${conf.topology}_${nads[0]?.metadata.annotations?.[NETWORK_ID_ANNOTATION] ?? conf.name}`;

/**
 * A Layer3 network takes one subnet of each connectSubnet; Layer2 networks share subnets, two addresses each. Throws a
 * Complaint for the first network, by name, without a free subnet.
 */
function checkCapacity(subnets: readonly ConnectSubnet[], networks: readonly SelectedNetwork[]): void {
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
    throw new Complaint(`failed to allocate ${kind} subnet for network ${conf.name}: no subnets available.`);
  }
}

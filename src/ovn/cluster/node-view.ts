// Addresses, gateway, and join and transit addresses of a Node, from its annotations.

import {
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  parsedJson,
  parsedObject,
  textAt,
  textsOf,
} from "../../apimachinery/json/json.ts";
import {
  type Cidr,
  cidrContains,
  type IpAddress,
  type IpFamily,
  ipFromValue,
  parseCidr,
} from "../../apimachinery/meta/ip.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { addressesIn, ofFamily } from "./cidr-texts.ts";

const ANNOTATIONS = {
  primary: "k8s.ovn.org/node-primary-ifaddr",
  host: "k8s.ovn.org/host-cidrs",
  gateway: "k8s.ovn.org/l3-gateway-config",
  subnets: "k8s.ovn.org/node-subnets",
  join: "k8s.ovn.org/node-gateway-router-lrp-ifaddr",
  transit: "k8s.ovn.org/node-transit-switch-port-ifaddr",
  id: "k8s.ovn.org/node-id",
  cloud: "cloud.network.openshift.io/egress-ipconfig",
} as const;

const DEFAULT_BRIDGE = "br-ex";

export interface Gateway {
  readonly mode: string;
  readonly bridge: string;
  readonly addresses: readonly IpAddress[];
  readonly nextHops: readonly IpAddress[];
}

export interface NodeView {
  readonly name: string;
  readonly object: KubeObject;
  /** Primary addresses with prefix length, at most one of each family. */
  readonly primary: readonly Cidr[];
  /** host-cidrs; undefined if the annotation is absent or invalid. */
  readonly host: readonly Cidr[] | undefined;
  /** All known addresses of the host. */
  readonly addresses: readonly IpAddress[];
  /** Networks of egress-ipconfig; undefined without a cloud. */
  readonly cloud: readonly Cidr[] | undefined;
  readonly gateway: Gateway | undefined;
}

export const nodeView = memoize((node: KubeObject): NodeView => {
  const { name = "", annotations = {} } = node.metadata;
  const primary = cidrsOfFamilies(parsedObject(annotations[ANNOTATIONS.primary]));
  const host = cidrList(parsedJson(annotations[ANNOTATIONS.host]));
  const own = [...(host ?? []), ...primary].map(({ address }) => address);
  const reported = objectsAt(objectAt(node, "status"), "addresses")
    .filter(({ type }) => type === "InternalIP")
    .map((entry) => textAt(entry, "address"));
  const addresses = new Map([...own, ...addressesIn(reported)].map((address) => [address.text, address]));
  return {
    name,
    object: node,
    primary,
    host,
    addresses: [...addresses.values()],
    cloud: cloudNetworks(annotations[ANNOTATIONS.cloud]),
    gateway: gatewayOf(parsedObject(annotations[ANNOTATIONS.gateway])),
  };
});

/** The node's source address for plain source NAT (src/ovn/rules.md R8). */
export const nodeAddress = (
  { gateway, primary, addresses }: NodeView,
  family: IpFamily,
): IpAddress | undefined =>
  ofFamily(gateway?.addresses ?? [], family) ??
  ofFamily(
    primary.map(({ address }) => address),
    family,
  ) ??
  ofFamily(addresses, family);

export const bridgeOf = ({ gateway }: NodeView): string => gateway?.bridge ?? DEFAULT_BRIDGE;

/** The node's host network that contains the address; undefined if none does. */
export function placeOf(
  node: NodeView,
  ip: IpAddress,
): { readonly role: "primary" | "secondary"; readonly network: string } | undefined {
  const primary = node.cloud ?? node.primary;
  const inPrimary = primary.find((cidr) => cidrContains(cidr, ip));
  if (inPrimary) return { role: "primary", network: inPrimary.text };
  if (node.cloud !== undefined) return undefined;
  const secondary = secondaryNetwork(node, ip);
  return secondary && { role: "secondary", network: secondary.text };
}

/** The host address whose secondary network contains `ip`; undefined if there is none, or a primary network contains it. */
export function secondaryNetwork({ primary, host = [] }: NodeView, ip: IpAddress): Cidr | undefined {
  if (primary.some((cidr) => cidrContains(cidr, ip))) return undefined;
  // The longest prefix wins; single addresses do not count as networks (src/ovn/rules.md R57).
  const known = new Set(primary.map(({ address }) => address.text));
  const networks = host.filter(
    (cidr) => !known.has(cidr.address.text) && cidr.first < cidr.last && cidrContains(cidr, ip),
  );
  const [longest] = networks.sort((a, b) => b.prefix - a.prefix);
  return longest;
}

export type RouterPort = "join" | "transit";

/** The node's join or transit address; without the annotation it is computed from the node id. */
export function routerAddress(
  node: NodeView,
  port: RouterPort,
  networks: readonly Cidr[],
  family: IpFamily,
): string | undefined {
  const { annotations = {} } = node.object.metadata;
  const said = ofFamily(cidrsOfFamilies(parsedObject(annotations[ANNOTATIONS[port]])), family);
  if (said) return said.address.text;
  const id = Number(annotations[ANNOTATIONS.id]);
  const network = ofFamily(networks, family);
  if (!network || !Number.isSafeInteger(id) || id <= 0) return undefined;
  return ipFromValue(family, network.first + BigInt(id)).text;
}

/** The address of the management port: the second host address of the node subnet (.2). */
export function managementAddress({ object }: NodeView, family: IpFamily): string | undefined {
  const parts = parsedObject(object.metadata.annotations?.[ANNOTATIONS.subnets])?.["default"];
  const subnet = ofFamily(cidrList(typeof parts === "string" ? [parts] : parts) ?? [], family);
  return subnet && ipFromValue(family, subnet.first + 2n).text;
}

export const isNodeAddress = ({ addresses }: NodeView, ip: IpAddress): boolean =>
  addresses.some(({ text }) => text === ip.text);

function gatewayOf(config: JsonObject | undefined): Gateway | undefined {
  const gateway = objectAt(config, "default");
  if (!gateway) return undefined;
  return {
    mode: textAt(gateway, "mode"),
    bridge: textAt(gateway, "bridge-id") || DEFAULT_BRIDGE,
    addresses: addressesIn(several(gateway, "ip-address")),
    nextHops: addressesIn(several(gateway, "next-hop")),
  };
}

/** Reads a key with one value, or its plural with a list. */
function several(object: JsonObject, key: string): string[] {
  const plural = textsOf(object[key === "ip-address" ? "ip-addresses" : `${key}s`]);
  const single = textAt(object, key);
  return plural.length > 0 ? plural : single === "" ? [] : [single];
}

const cidrsOfFamilies = (value: JsonObject | undefined): Cidr[] =>
  [textAt(value, "ipv4"), textAt(value, "ipv6")].flatMap((text) => parseCidr(text) ?? []);

/** Undefined if the value is not a list of valid CIDRs. */
function cidrList(value: unknown): Cidr[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const read = value.map((text) => (typeof text === "string" ? parseCidr(text) : undefined));
  const cidrs = read.filter((cidr) => cidr !== undefined);
  return cidrs.length === read.length ? cidrs : undefined;
}

function cloudNetworks(text: string | undefined): Cidr[] | undefined {
  const list = parsedJson(text);
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return isObject(first) ? cidrsOfFamilies(objectAt(first, "ifaddr")) : undefined;
}

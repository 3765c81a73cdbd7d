// The networks that the cluster itself uses, which user-defined networks must keep clear of; and lists of subnets in the
// text form of ovn-kubernetes: "10.128.0.0/14/23,fd01::/48/64", where the last number is the size of a node's part.
import { goQuote } from "../../go/strconv.ts";
import { type Cidr, cidrsOverlap, parseCidr } from "../../meta/ip.ts";
import { type ControllerSettings, DEFAULT_SETTINGS } from "../kit/settings.ts";
import { type ClusterSubnet, HOST_PREFIX } from "../network-annotations/cluster-subnets.ts";
import { NetworkError } from "./net-conf.ts";

export interface ClusterNetworks {
  readonly clusterSubnets: readonly ClusterSubnet[];
  readonly serviceCidrs: readonly Cidr[];
  /** Between the nodes of the default network; IPv4 first, as in all pairs here. */
  readonly joinSubnets: readonly [Cidr, Cidr];
  readonly masqueradeSubnets: readonly [Cidr, Cidr];
  readonly transitSubnets: readonly [Cidr, Cidr];
  /** Where a primary network says nothing else. */
  readonly userJoinSubnets: readonly [Cidr, Cidr];
  /** MTU of the overlay; the physical networks have a hundred bytes more. */
  readonly mtu: number;
}

const SERVICE_CIDRS = "10.96.0.0/16,fd00:10:96::/112";
export const USER_JOIN_SUBNETS = ["100.65.0.0/16", "fd99::/64"] as const;

/** Throws where the settings cannot be read. */
export function readClusterNetworks({
  clusterSubnets = DEFAULT_SETTINGS.clusterSubnets,
  serviceClusterIpRange = "",
}: Partial<ControllerSettings> = {}): ClusterNetworks {
  return {
    clusterSubnets: parseSubnets(clusterSubnets, true),
    serviceCidrs: (serviceClusterIpRange || SERVICE_CIDRS).split(",").map(knownCidr),
    joinSubnets: [knownCidr("100.64.0.0/16"), knownCidr("fd98::/64")],
    masqueradeSubnets: [knownCidr("169.254.0.0/17"), knownCidr("fd69::/112")],
    transitSubnets: [knownCidr("100.88.0.0/16"), knownCidr("fd97::/64")],
    userJoinSubnets: [knownCidr(USER_JOIN_SUBNETS[0]), knownCidr(USER_JOIN_SUBNETS[1])],
    mtu: 1400,
  };
}

function knownCidr(text: string): Cidr {
  const cidr = parseCidr(text.trim());
  if (!cidr) throw new Error(`${text} is no network`);
  return cidr;
}

/** A network as messages about overlaps call it. */
export interface NamedCidr {
  readonly kind: string;
  readonly cidr: Cidr;
}

export const named = (kind: string, cidrs: readonly Cidr[]): NamedCidr[] =>
  cidrs.map((cidr) => ({ kind, cidr }));

/** The cluster's own networks, with those between the nodes or without. */
export const clusterNetworksOf = (cluster: ClusterNetworks, { transit = true } = {}): NamedCidr[] => [
  ...named("cluster subnet", cidrsOf(cluster.clusterSubnets)),
  ...named("service subnet", cluster.serviceCidrs),
  ...named("built-in join subnet", cluster.joinSubnets),
  ...named("masquerade subnet", cluster.masqueradeSubnets),
  ...named("transit switch subnet", transit ? cluster.transitSubnets : []),
];

/** The first of the others that shares addresses with the network, and how that is told. */
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

/** Reads a list; perNode: nodes get parts of the subnets, otherwise these have the size 0. Throws NetworkError. */
export function parseSubnets(text: string, perNode: boolean): ClusterSubnet[] {
  if (text.trim() === "") return [];
  return text.split(",").map((entry) => parseEntry(entry.trim(), perNode));
}

function parseEntry(entry: string, perNode: boolean): ClusterSubnet {
  const parts = entry.split("/");
  if (parts.length < 2 || parts.length > 3 || (parts.length === 3 && !perNode)) {
    throw new NetworkError(`CIDR ${goQuote(entry)} not properly formatted`);
  }
  const written = `${parts[0]}/${parts[1]}`;
  const cidr = parseCidr(written);
  if (!cidr) throw new NetworkError(`invalid CIDR address: ${written}`);
  if (!perNode) return { cidr, hostPrefix: 0 };
  const hostPrefix = parts[2] === undefined ? HOST_PREFIX[cidr.family] : Number(parts[2]);
  checkHostPrefix(cidr, hostPrefix);
  return { cidr, hostPrefix };
}

function checkHostPrefix({ family, prefix }: Cidr, hostPrefix: number): void {
  if (family === 6 && hostPrefix !== 64) throw new NetworkError("IPv6 only supports /64 host subnets");
  if (family === 4 && hostPrefix > 32) {
    throw new NetworkError("invalid host subnet, IPv4 subnet must be < 32");
  }
  if (hostPrefix > prefix) return;
  throw new NetworkError(
    "cannot use a host subnet length mask shorter than or equal to the cluster subnet mask. " +
      `host subnet length: ${hostPrefix}, cluster subnet length: ${prefix}`,
  );
}

// The annotation that describes the network of a pod, as the controller of ovnkube-node writes it: addresses, gateway
// and routes.
//
//   {"default":{"ip_addresses":["10.128.0.5/23"],"mac_address":"0a:58:0a:80:00:05","gateway_ips":["10.128.0.1"],
//    "routes":[{"dest":"10.128.0.0/14","nextHop":"10.128.0.1"},…],"ip_address":"10.128.0.5/23","gateway_ip":"10.128.0.1",
//    "role":"primary"}}
import { createHash } from "node:crypto";
import { type Cidr, ipFromValue, parseCidr } from "../../apimachinery/meta/ip.ts";
import type { ControllerSettings } from "../../controller/settings.ts";
import { parseClusterSubnets } from "../cluster-subnets.ts";
import { DEFAULT_NETWORK } from "./addresses.ts";

/**
 * Further routes of all pods through the gateway: the masquerade address for hairpin traffic, and the join subnet of
 * the gateways.
 */
const ALWAYS = { 4: ["169.254.0.5/32", "100.64.0.0/16"], 6: ["fd69::5/128", "fd98::/64"] } as const;

/** The pod and Service networks, by family. */
export function reachedNetworks(settings: ControllerSettings): Readonly<Record<4 | 6, readonly string[]>> {
  const pods = parseClusterSubnets(settings.clusterSubnets).map(({ cidr }) => cidr);
  const services = (settings.serviceClusterIpRange ?? "")
    .split(",")
    .flatMap((text) => parseCidr(text.trim()) ?? []);
  const of = (family: 4 | 6): string[] => [
    ...[...pods, ...services].filter((cidr) => cidr.family === family).map(({ text }) => text),
    ...ALWAYS[family],
  ];
  return { 4: of(4), 6: of(6) };
}

/** Derives the MAC address from the IPv4 address, or from a hash of the IPv6 address. */
function macOf({ family, value, text }: Cidr["address"]): string {
  const bytes =
    family === 4
      ? [24n, 16n, 8n, 0n].map((shift) => Number((value >> shift) & 255n))
      : [...createHash("sha256").update(text).digest().subarray(0, 4)];
  return ["0a", "58", ...bytes.map((byte) => byte.toString(16).padStart(2, "0"))].join(":");
}

/** The annotation of a pod with these addresses, each with its prefix length. */
export function podNetworksText(
  addresses: readonly string[],
  reached: Readonly<Record<4 | 6, readonly string[]>>,
): string {
  const cidrs = addresses.flatMap((text) => parseCidr(text) ?? []);
  const gateways = cidrs.map(({ family, first }) => ipFromValue(family, first + 1n).text);
  const [first] = cidrs;
  const single = cidrs.length === 1 ? { ip_address: addresses[0], gateway_ip: gateways[0] } : {};
  const entry = {
    ip_addresses: addresses,
    mac_address: first ? macOf(first.address) : "",
    gateway_ips: gateways,
    routes: cidrs.flatMap(({ family }, index) =>
      reached[family].map((dest) => ({ dest, nextHop: gateways[index] })),
    ),
    ...single,
    role: "primary",
  };
  return JSON.stringify({ [DEFAULT_NETWORK]: entry });
}

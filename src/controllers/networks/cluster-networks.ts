// The networks that the cluster itself uses: what user-defined networks must keep clear of.
import { type Cidr, parseCidr } from "../../meta/ip.ts";
import { type ControllerSettings, DEFAULT_SETTINGS } from "../kit/settings.ts";
import { parseSubnetEntries, type SubnetEntry } from "./addresses/subnet-entries.ts";

export interface ClusterNetworks {
  readonly clusterSubnets: readonly SubnetEntry[];
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
    clusterSubnets: parseSubnetEntries(clusterSubnets, true),
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

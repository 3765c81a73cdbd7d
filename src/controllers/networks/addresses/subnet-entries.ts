// Lists of subnets in the text form of ovn-kubernetes: "10.128.0.0/14/23,fd01::/48/64", where the last number is the
// size of the part that each node gets.

import { goQuote } from "../../../go/strconv.ts";
import { type Cidr, parseCidr } from "../../../meta/ip.ts";
import { NetworkError } from "../network-error.ts";

export interface SubnetEntry {
  readonly cidr: Cidr;
  /** Prefix length of a node's part; 0 where nodes have none. */
  readonly hostSubnet: number;
}

const HOST_SUBNET = { 4: 24, 6: 64 } as const;

/** Reads a list; perNode: nodes get parts of the subnets. Throws NetworkError. */
export function parseSubnetEntries(text: string, perNode: boolean): SubnetEntry[] {
  if (text.trim() === "") return [];
  return text.split(",").map((entry) => parseEntry(entry.trim(), perNode));
}

function parseEntry(entry: string, perNode: boolean): SubnetEntry {
  const parts = entry.split("/");
  if (parts.length < 2 || parts.length > 3 || (parts.length === 3 && !perNode)) {
    throw new NetworkError(`CIDR ${goQuote(entry)} not properly formatted`);
  }
  const written = `${parts[0]}/${parts[1]}`;
  const cidr = parseCidr(written);
  if (!cidr) throw new NetworkError(`invalid CIDR address: ${written}`);
  if (!perNode) return { cidr, hostSubnet: 0 };
  const hostSubnet = parts[2] === undefined ? HOST_SUBNET[cidr.family] : Number(parts[2]);
  checkHostSubnet(cidr, hostSubnet);
  return { cidr, hostSubnet };
}

function checkHostSubnet({ family, prefix }: Cidr, hostSubnet: number): void {
  if (family === 6 && hostSubnet !== 64) throw new NetworkError("IPv6 only supports /64 host subnets");
  if (family === 4 && hostSubnet > 32) {
    throw new NetworkError("invalid host subnet, IPv4 subnet must be < 32");
  }
  if (hostSubnet > prefix) return;
  throw new NetworkError(
    "cannot use a host subnet length mask shorter than or equal to the cluster subnet mask. " +
      `host subnet length: ${hostSubnet}, cluster subnet length: ${prefix}`,
  );
}

// --cluster-subnets: the networks of pods, and how large a part of each every node gets.
//
//   10.128.0.0/14/23,fd01::/48/64    →    10.128.0.0/14 in parts of /23, fd01::/48 in parts of /64
import { type Cidr, cidrsOverlap, parseCidr } from "../../meta/ip.ts";

export interface ClusterSubnet {
  readonly cidr: Cidr;
  /** Prefix length of a node's part. */
  readonly hostPrefix: number;
}

/** What is wrong with the text, in words for the person who wrote it. */
export class ClusterSubnetsError extends Error {}

const HOST_PREFIX = { 4: 24, 6: 64 } as const;

/** Reads the list; throws ClusterSubnetsError. */
export function parseClusterSubnets(text: string): ClusterSubnet[] {
  const subnets = text.split(",").map((entry) => parseEntry(entry.trim()));
  subnets.forEach((subnet, index) => {
    const other = subnets.slice(0, index).find(({ cidr }) => cidrsOverlap(cidr, subnet.cidr));
    if (other) throw new ClusterSubnetsError(`${other.cidr.text} and ${subnet.cidr.text} overlap`);
  });
  return subnets;
}

function parseEntry(entry: string): ClusterSubnet {
  const [address, prefix, hostPrefixText, ...rest] = entry.split("/");
  const cidr = parseCidr(`${address}/${prefix}`);
  if (!cidr || rest.length > 0)
    throw new ClusterSubnetsError(`CIDR ${JSON.stringify(entry)} not properly formatted`);
  const hostPrefix = hostPrefixText === undefined ? HOST_PREFIX[cidr.family] : Number(hostPrefixText);
  if (hostPrefixText !== undefined && !/^\d{1,3}$/.test(hostPrefixText)) {
    throw new ClusterSubnetsError(`${JSON.stringify(hostPrefixText)} in ${entry} is no prefix length`);
  }
  if (cidr.family === 6 && hostPrefix !== 64) {
    throw new ClusterSubnetsError(`${entry}: a node's part of an IPv6 network is a /64`);
  }
  if (hostPrefix <= cidr.prefix || (cidr.family === 4 && hostPrefix >= 32)) {
    throw new ClusterSubnetsError(
      `${entry}: a node's part has to be smaller than the network, and hold addresses`,
    );
  }
  return { cidr, hostPrefix };
}

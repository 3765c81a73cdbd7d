// Ranges of Service addresses and node ports: --service-cluster-ip-range and --service-node-port-range. The first range
// is that of the default family.
import { type Cidr, ipFromValue, parseCidr } from "../../../apimachinery/meta/ip.ts";
import type { PortRange } from "../../../apimachinery/meta/port-range.ts";

export type FamilyName = "IPv4" | "IPv6";

export interface ServiceNetwork {
  /** One or two, of different families. */
  readonly ranges: readonly Cidr[];
  readonly nodePorts: PortRange;
}

/** Error of a flag, for the administrator. */
export class ServiceNetworkError extends Error {}

export const DEFAULT_CLUSTER_IP_RANGE = "10.96.0.0/16,fd00:10:96::/112";
export const DEFAULT_NODE_PORT_RANGE = "30000-32767";

const RANGES_MAX = 2;
const PORT_MAX = 65_535;
/** An IPv6 range has at most 2⁶⁴ addresses, as upstream. */
const IPV6_PREFIX_MIN = 64;

/** Parses the flags. Throws ServiceNetworkError. */
export function readServiceNetwork(clusterIpRange: string, nodePortRange: string): ServiceNetwork {
  return { ranges: readRanges(clusterIpRange), nodePorts: readPorts(nodePortRange) };
}

function readRanges(text: string): Cidr[] {
  const ranges = text.split(",").map((item) => {
    const cidr = parseCidr(item.trim());
    if (cidr === undefined) throw new ServiceNetworkError(`${item} is no network`);
    if (cidr.last - cidr.first < 3n) throw new ServiceNetworkError(`${item} is too small`);
    if (cidr.family === 6 && cidr.prefix < IPV6_PREFIX_MIN) {
      throw new ServiceNetworkError(`${item} is larger than a /${IPV6_PREFIX_MIN}`);
    }
    return cidr;
  });
  if (ranges.length > RANGES_MAX) throw new ServiceNetworkError(`${text}: at most two networks can be given`);
  if (ranges.length === RANGES_MAX && ranges[0]?.family === ranges[1]?.family) {
    throw new ServiceNetworkError(`${text}: the two networks are of the same family`);
  }
  return ranges;
}

function readPorts(text: string): PortRange {
  const match = /^(\d{1,5})(?:([-+])(\d{1,5}))?$/.exec(text.trim());
  const first = Number(match?.[1]);
  const second = match?.[3] === undefined ? first : Number(match[3]);
  const last = match?.[2] === "+" ? first + second : second;
  if (match === null || first < 1 || last < first || last > PORT_MAX) {
    throw new ServiceNetworkError(`${text} is no range of ports`);
  }
  return { first, last };
}

export const DEFAULT_SERVICE_NETWORK: ServiceNetwork = readServiceNetwork(
  DEFAULT_CLUSTER_IP_RANGE,
  DEFAULT_NODE_PORT_RANGE,
);

export const familyName = ({ family }: { readonly family: 4 | 6 }): FamilyName => `IPv${family}`;

/** Families that Services can have, the default one first. */
export const familiesOf = ({ ranges }: ServiceNetwork): FamilyName[] => ranges.map(familyName);

/** Cluster IP of the API server's Service: the first usable address. */
export function apiServiceAddress({ ranges }: ServiceNetwork): string {
  const [range] = ranges;
  if (range === undefined) throw new Error("a network of Services has a range");
  return ipFromValue(range.family, range.first + 1n).text;
}

// A primary Layer2 network has a transit subnet of its own per family: the cluster's, or the next range that is free.
import { type Cidr, type IpFamily, ipFromValue, parseCidr } from "../../../meta/ip.ts";
import type { ClusterNetworks } from "../cluster-networks.ts";
import type { NetConf } from "../net-conf.ts";
import { NetworkError } from "../network-error.ts";
import { findOverlap } from "../network-info.ts";

const ATTEMPTS_MAX = 10;

/** The transit subnets in the form of the configuration. Throws NetworkError for what is wrong apart from them. */
export function chooseTransitSubnets(conf: NetConf, cluster: ClusterNetworks): string {
  return conf.subnets
    .split(",")
    .map((text) => {
      const subnet = parseCidr(text);
      if (!subnet) {
        throw new NetworkError(
          `can't generate transit subnets: failed to parse CIDR "${text}": invalid CIDR address: ${text}`,
        );
      }
      return chooseTransitSubnet(conf, cluster, subnet.family).text;
    })
    .join(",");
}

function chooseTransitSubnet(conf: NetConf, cluster: ClusterNetworks, family: IpFamily): Cidr {
  let transit = cluster.transitSubnets[family === 4 ? 0 : 1];
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const overlap = findOverlap({ ...conf, transitSubnet: transit.text }, cluster);
    if (!overlap) return transit;
    const [first, second] = overlap.subnets;
    if (first.text !== transit.text && second.text !== transit.text) throw new NetworkError(overlap.message);
    transit = after(second.prefix < first.prefix ? second : first, transit.prefix);
  }
  throw new NetworkError(
    "can't generate transit subnets: failed to find non-overlapping transit subnet after 10 attempts",
  );
}

/** The network of the given size that begins where the other ends. */
function after({ family, last }: Cidr, prefix: number): Cidr {
  const next = parseCidr(`${ipFromValue(family, last + 1n).text}/${prefix}`);
  if (!next) throw new NetworkError("can't generate transit subnets: no range is left");
  return next;
}

// Known addresses of DNS names: from ClusterFacts.names and from the status of DNSNameResolver objects.

import { objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import type { IpAddress } from "../../apimachinery/meta/ip.ts";
import { addressesIn } from "../cluster/cidr-texts.ts";
import type { Cluster } from "../cluster/cluster.ts";

const plain = (name: string): string => name.toLowerCase().replace(/\.$/, "");

/** Reports whether the pattern of a rule matches the name; a wildcard matches exactly one label. */
export function sameName(pattern: string, name: string): boolean {
  const [wanted, given] = [plain(pattern), plain(name)];
  if (!wanted.startsWith("*.")) return wanted === given;
  return given.slice(given.indexOf(".")) === wanted.slice(1) && given.indexOf(".") > 0;
}

/** The addresses of all names that the pattern matches; undefined if none is known. */
export function namedAddresses(cluster: Cluster, pattern: string): IpAddress[] | undefined {
  const told = Object.entries(cluster.facts.names)
    .filter(([name]) => sameName(pattern, name))
    .map(([, addresses]) => addressesIn(addresses));
  const resolved = cluster.snapshot
    .list("dnsnameresolvers.network.openshift.io")
    .flatMap((object) => objectsAt(objectAt(object, "status"), "resolvedNames"))
    .filter((entry) => sameName(pattern, textAt(entry, "dnsName")))
    .map((entry) => addressesIn(objectsAt(entry, "resolvedAddresses").map((one) => textAt(one, "ip"))));
  const found = [...told, ...resolved];
  return found.length === 0 ? undefined : found.flat();
}

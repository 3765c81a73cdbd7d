// AdminPolicyBasedExternalRoutes: the external gateways of the pods of a namespace (src/ovn/rules.md R65 to R69).

import { objectAt, objectsAt, objectsOf, parsedJson, textAt, textsAt } from "../../apimachinery/json/json.ts";
import { type IpAddress, type IpFamily, parseIp } from "../../apimachinery/meta/ip.ts";
import { append } from "../../apimachinery/meta/lists.ts";
import { byAge, isReady, type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { addressesIn } from "../cluster/cidr-texts.ts";
import { type Cluster, objectKey, selectorIn } from "../cluster/cluster.ts";
import { type PodView, podView } from "../cluster/pod-view.ts";
import { doubt, type PacketPath, warn } from "./packet-path.ts";

const NETWORK_STATUS = "k8s.v1.cni.cncf.io/network-status";

export interface Gateways {
  readonly policy: KubeObject;
  /** Next hops of both families. */
  readonly hops: readonly IpAddress[];
  readonly hasBfd: boolean;
}

export const selectsNamespace = (cluster: Cluster, policy: KubeObject, namespace: string): boolean =>
  selectorIn(objectAt(specOf(policy), "from")?.["namespaceSelector"]).matches(
    cluster.namespaceLabels(namespace),
  );

/** The policy in force for a namespace, and warnings about policies that are not in force. */
export interface ExternalRoute {
  readonly gateways: Gateways | undefined;
  readonly warnings: readonly string[];
}

/**
 * One policy is in force for a namespace: the one whose status is Success. If no policy reports a status, upstream applies
 * the one that it processed first, so each of them is returned (src/ovn/rules.md R67, R12). If all failed, the oldest is
 * returned.
 */
export function externalRoutesOf(
  cluster: Cluster,
  namespace: string,
): readonly [ExternalRoute, ...ExternalRoute[]] {
  const policies = cluster.snapshot
    .list("adminpolicybasedexternalroutes.k8s.ovn.org")
    .filter((policy) => selectsNamespace(cluster, policy, namespace))
    .sort((a, b) => REPORTS.indexOf(reportOf(a)) - REPORTS.indexOf(reportOf(b)) || byAge(a, b));
  const faults: string[] = [];
  const usable: Gateways[] = [];
  for (const policy of policies) {
    const found = readGateways(cluster, policy);
    if (typeof found !== "string") usable.push(found);
    else faults.push(`${notInForce(policy)}: ${found}`);
  }
  const [best, ...worse] = usable;
  if (!best) return [{ gateways: undefined, warnings: faults }];
  const equals = reportOf(best.policy) === "" ? worse.filter(({ policy }) => reportOf(policy) === "") : [];
  const inForce = ({ policy: first }: Gateways): string[] =>
    usable.flatMap(({ policy }) =>
      policy === first
        ? []
        : `${notInForce(policy)}: namespaces [${namespace}] are already affected by another policy: ${objectKey(first)}`,
    );
  const [first, ...others] = [best, ...equals].map((gateways) => ({
    gateways,
    warnings: equals.length > 0 ? faults : [...inForce(gateways), ...faults],
  }));
  return first ? [first, ...others] : [{ gateways: undefined, warnings: faults }];
}

/** The policy in force; the oldest candidate if several may be in force. */
export const externalRouteOf = (cluster: Cluster, namespace: string): ExternalRoute =>
  externalRoutesOf(cluster, namespace)[0];

/** The packet paths under each policy that may be in force. */
export function byExternalRoutes(
  way: PacketPath,
  cluster: Cluster,
  go: (way: PacketPath, by: ExternalRoute) => PacketPath[],
): PacketPath[] {
  const { namespace } = way.sender.pod;
  const routes = externalRoutesOf(cluster, namespace);
  const names = routes.map(({ gateways }) => gateways?.policy.metadata.name).join(", ");
  const why = `AdminPolicyBasedExternalRoutes ${names} are all for namespace ${namespace}, and none reports a status: the one that was processed first is in force`;
  const unsure = routes.length > 1 ? doubt(way, why) : way;
  return routes.flatMap((route) => go(route.warnings.reduce(warn, unsure), route));
}

/** Values of status.status, the preferred first; "" is an absent or unknown status. */
const REPORTS = ["Success", "", "Fail"];
const reportOf = (policy: KubeObject): string => {
  const said = textAt(objectAt(policy, "status"), "status");
  return REPORTS.includes(said) ? said : "";
};

const notInForce = (policy: KubeObject): string =>
  `AdminPolicyBasedExternalRoute ${objectKey(policy)} is not in force`;

export const hopsOf = ({ hops }: Gateways, family: IpFamily): IpAddress[] =>
  hops.filter((hop) => hop.family === family);

/** Returns the gateways, or the error that makes the policy fail. */
export function readGateways(cluster: Cluster, policy: KubeObject): Gateways | string {
  const hops = objectAt(specOf(policy), "nextHops");
  const [fixed, found] = [objectsAt(hops, "static"), objectsAt(hops, "dynamic")];
  const addresses: IpAddress[] = [];
  for (const hop of fixed) {
    const ip = parseIp(textAt(hop, "ip"));
    if (!ip) return `could not parse routing static gw annotation value '${textAt(hop, "ip")}'`;
    addresses.push(ip);
  }
  for (const hop of found) {
    const namespaces = cluster.namespaces(selectorIn(hop["namespaceSelector"]));
    const selector = selectorIn(hop["podSelector"]);
    for (const pod of namespaces.flatMap((namespace) => cluster.pods(namespace))) {
      if (!selector.matches(pod.labels) || !isUsable(pod.object)) continue;
      const of = podGateways(pod, textAt(hop, "networkAttachmentName"));
      if (typeof of === "string") return of;
      append(addresses, of);
    }
  }
  const distinct = new Map(addresses.map((ip) => [ip.text, ip]));
  const hasBfd = [...fixed, ...found].every((hop) => hop["bfdEnabled"] === true);
  return { policy, hops: [...distinct.values()], hasBfd };
}

function podGateways(pod: PodView, network: string): IpAddress[] | string {
  const { object, name } = pod;
  if (network === "") {
    if (pod.hostNetwork) return [...podView(object).statusAddresses];
    return `ignoring pod ${name} as an external gateway candidate. Invalid combination of host network: false and routing-network annotation: `;
  }
  const status = objectsOf(parsedJson(object.metadata.annotations?.[NETWORK_STATUS])).find(
    (one) => one["name"] === network,
  );
  return status
    ? addressesIn(textsAt(status, "ips"))
    : `unable to find multus network ${network} in pod ${pod.namespace}/${name}`;
}

const isUsable = (pod: KubeObject): boolean => pod.metadata.deletionTimestamp === undefined && isReady(pod);

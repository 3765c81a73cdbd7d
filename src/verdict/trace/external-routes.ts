// AdminPolicyBasedExternalRoutes: the gateways outside that pods of a namespace use (verdict.md 2.8).
import { type IpAddress, type IpFamily, parseIp } from "../../meta/ip.ts";
import { objectAt, objectsAt, objectsOf, parsedJson, textAt, textsAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { byAge, isReady, type KubeObject, specOf } from "../../meta/object-meta.ts";
import { addressesIn } from "../cluster/cidr-texts.ts";
import { type Cluster, objectKey, selectorIn } from "../cluster/cluster.ts";
import { type PodView, podView } from "../cluster/pod-view.ts";
import { type Way, warn } from "./way.ts";

const NETWORK_STATUS = "k8s.v1.cni.cncf.io/network-status";

export interface Gateways {
  readonly policy: KubeObject;
  /** Of both families. */
  readonly hops: readonly IpAddress[];
  readonly hasBfd: boolean;
}

export const selectsNamespace = (cluster: Cluster, policy: KubeObject, namespace: string): boolean =>
  selectorIn(objectAt(specOf(policy), "from")?.["namespaceSelector"]).matches(
    cluster.namespaceLabels(namespace),
  );

/** What is said of a policy over a namespace: one is in force, others are not. */
export interface ExternalRoute {
  readonly gateways: Gateways | undefined;
  readonly warnings: readonly string[];
}

/** A namespace is under one policy: the one that reports success, else the older one. */
export function externalRouteOf(cluster: Cluster, namespace: string): ExternalRoute {
  const policies = cluster.snapshot
    .list("adminpolicybasedexternalroutes.k8s.ovn.org")
    .filter((policy) => selectsNamespace(cluster, policy, namespace));
  const failed = (policy: KubeObject) => textAt(objectAt(policy, "status"), "status") === "Fail";
  const inOrder = policies.sort((a, b) => Number(failed(a)) - Number(failed(b)) || byAge(a, b));
  const warnings: string[] = [];
  let gateways: Gateways | undefined;
  for (const policy of inOrder) {
    if (gateways) {
      warnings.push(
        `AdminPolicyBasedExternalRoute ${objectKey(policy)} is not in force: namespaces [${namespace}] are already affected by another policy: ${objectKey(gateways.policy)}`,
      );
      continue;
    }
    const found = readGateways(cluster, policy);
    if (typeof found === "string")
      warnings.push(`AdminPolicyBasedExternalRoute ${objectKey(policy)} is not in force: ${found}`);
    else gateways = found;
  }
  return { gateways, warnings };
}

export const hopsOf = ({ hops }: Gateways, family: IpFamily): IpAddress[] =>
  hops.filter((hop) => hop.family === family);

/** The gateways, or why there are none. */
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

export const mindExternalRoute = (way: Way, { warnings }: ExternalRoute): Way => warnings.reduce(warn, way);

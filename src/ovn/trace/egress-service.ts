// EgressServices: packets of a Service's endpoints leave from the node in status.host with the Service's ingress address
// (src/ovn/rules.md R45 to R48).

import { objectAt, objectsAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import type { IpAddress } from "../../apimachinery/meta/ip.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { addressesIn } from "../cluster/cidr-texts.ts";
import { type Cluster, objectKey } from "../cluster/cluster.ts";
import { managementAddress, nodeAddress, routerAddress } from "../cluster/node-view.ts";
import type { PodView } from "../cluster/pod-view.ts";
import { leave } from "./egress-ip-source.ts";
import { decider, doubt, end, type PacketPath, warn } from "./packet-path.ts";
import { ingressAddresses, slicesOf } from "./services.ts";

const ALL = "ALL";
const BLACKHOLE = "blackhole";

export interface ServedBy {
  readonly object: KubeObject;
  readonly service: KubeObject;
  /** The name of a node, or "ALL". */
  readonly host: string;
}

/** The EgressServices in force whose Service has the pod as an endpoint. */
export function egressServicesOf(
  cluster: Cluster,
  pod: PodView,
  addresses: readonly IpAddress[],
): ServedBy[] {
  const served: ServedBy[] = [];
  for (const object of cluster.snapshot.list("egressservices.k8s.ovn.org", pod.namespace)) {
    const host = textAt(objectAt(object, "status"), "host");
    const service = cluster.snapshot.get("services", pod.namespace, object.metadata.name ?? "");
    if (host === "" || !service) continue;
    const nodes = endpointNodes(cluster, service);
    if (!addresses.some(({ text }) => nodes.has(text))) continue;
    // externalTrafficPolicy Local requires an endpoint on the host; without one the EgressService is not in force.
    const isLocal = textAt(specOf(service), "externalTrafficPolicy") === "Local";
    if (isLocal && host !== ALL && ![...nodes.values()].includes(host)) continue;
    served.push({ object, service, host });
  }
  return served;
}

/** Address → node of each endpoint, ready or not. */
function endpointNodes(cluster: Cluster, service: KubeObject): Map<string, string> {
  const nodes = new Map<string, string>();
  for (const slice of slicesOf(cluster, service)) {
    for (const endpoint of objectsAt(slice, "endpoints")) {
      const node = textAt(endpoint, "nodeName");
      if (node === "") continue;
      for (const { text } of addressesIn(textsAt(endpoint, "addresses"))) nodes.set(text, node);
    }
  }
  return nodes;
}

/** The paths through EgressServices; calls `otherwise` if none applies to the packet. */
export function byEgressService(
  way: PacketPath,
  cluster: Cluster,
  otherwise: (way: PacketPath) => PacketPath[],
): PacketPath[] {
  const { pod, network } = way.sender;
  const served = network.isDefault ? egressServicesOf(cluster, pod, cluster.addressesOf(pod, network)) : [];
  if (served.length === 0) return otherwise(way);
  const why = `EgressServices ${served.map(({ object }) => objectKey(object)).join(", ")} have the pod as an endpoint: which one serves it is undefined`;
  const unsure = served.length > 1 ? doubt(way, why) : way;
  return served.flatMap((one) =>
    one.host === ALL ? byTable(unsure, cluster, one, otherwise) : byHost(unsure, cluster, one),
  );
}

/** The last ingress address of the family (src/ovn/rules.md R46). */
function ingressOf(service: KubeObject, family: 4 | 6): IpAddress | undefined {
  return ingressAddresses(service)
    .filter((ip) => ip.family === family)
    .at(-1);
}

function byHost(way: PacketPath, cluster: Cluster, { object, service, host }: ServedBy): PacketPath[] {
  const { sender, destination } = way;
  const { family } = destination.address;
  const by = [decider("EgressService", object)];
  const network = textAt(specOf(object), "network");
  const name = objectKey(object);
  const node = cluster.nodes.get(host);
  if (network !== "" && cluster.facts.tables[network] === BLACKHOLE)
    return [blackholed(way, object, network, host)];
  const source = ingressOf(service, family);
  const via = !node
    ? undefined
    : host === sender.pod.node
      ? managementAddress(node, family)
      : routerAddress(node, "transit", cluster.transitSubnets, family);
  const exit = {
    source: source?.text,
    node: host,
    interface: network === "" ? "by the host's routes" : `by table ${network}`,
    nextHop: undefined,
    via,
  };
  if (source) {
    const text = `EgressService ${name} has its host on ${host}: the packet leaves there with ${source.text}, an address of the Service`;
    return [leave(way, exit, { by, text, evidence: "test" })];
  }
  const text = `EgressService ${name} sends the packet to ${host}, but the Service has no IPv${family} address: the source is undefined`;
  return [leave(warn(way, `${text} (unsupported)`), exit, { by, text, evidence: "inferred" })];
}

/** The path with sourceIPBy Network (src/ovn/rules.md R47). */
function byTable(
  way: PacketPath,
  cluster: Cluster,
  { object }: ServedBy,
  otherwise: (way: PacketPath) => PacketPath[],
): PacketPath[] {
  const { sender, destination } = way;
  const network = textAt(specOf(object), "network");
  const name = objectKey(object);
  if (cluster.modeOf(sender.node) === "shared") {
    return otherwise(
      warn(
        way,
        `EgressService ${name}: Using SourceIPBy=Network is not supported on Shared gateway mode: it has no effect`,
      ),
    );
  }
  const table = cluster.facts.tables[network];
  if (table === BLACKHOLE) return [blackholed(way, object, network, sender.pod.node)];
  const usual = sender.node && nodeAddress(sender.node, destination.address.family)?.text;
  const exit = {
    source: table ?? (network === "" ? usual : undefined),
    node: sender.pod.node,
    interface: network === "" ? "by the host's routes" : `by table ${network}`,
    nextHop: undefined,
    via: undefined,
  };
  const text = `EgressService ${name} lets the packet leave its own node with the address of the interface that ${network === "" ? "the host's routes pick" : `table ${network} picks`}`;
  return [leave(way, exit, { by: [decider("EgressService", object)], text, evidence: "test" })];
}

function blackholed(way: PacketPath, object: KubeObject, network: string, node: string): PacketPath {
  const text = `EgressService ${objectKey(object)} routes by table ${network} of ${node}, where a blackhole takes the packet`;
  const step = {
    stage: "route",
    result: "denied",
    by: [decider("EgressService", object)],
    text,
    evidence: "test",
  } as const;
  return end(way, step, { verdict: "unreachable", node });
}

// Stage "service": a Service address is translated to an endpoint before policies are evaluated (src/ovn/rules.md R4).

import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import type { IpAddress, IpFamily } from "../../apimachinery/meta/ip.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { addressesIn } from "../cluster/cidr-texts.ts";
import { type Cluster, objectKey } from "../cluster/cluster.ts";
import { isNodeAddress } from "../cluster/node-view.ts";
import type { Lookup } from "../cluster/object-index.ts";
import {
  type Destination,
  decider,
  doubt,
  end,
  type PacketPath,
  pass,
  type Step,
  warn,
} from "./packet-path.ts";

const SERVICE_NAME = "kubernetes.io/service-name";

/** Services of the default network that pods of other networks also reach (src/ovn/rules.md R10). */
export const SERVICES_FOR_ALL = new Set([
  "default/kubernetes",
  "kube-system/kube-dns",
  "openshift-dns/dns-default",
]);

export interface Endpoint {
  readonly address: IpAddress;
  readonly port: number | undefined;
  readonly node: string;
}

export const ingressAddresses = (service: KubeObject): IpAddress[] =>
  addressesIn(
    objectsAt(objectAt(objectAt(service, "status"), "loadBalancer"), "ingress").map((entry) =>
      textAt(entry, "ip"),
    ),
  );

export const clusterAddresses = (service: KubeObject): IpAddress[] => {
  const spec = specOf(service);
  const several = textsAt(spec, "clusterIPs");
  return addressesIn(several.length > 0 ? several : [textAt(spec, "clusterIP")]);
};

const addressesOf = (service: KubeObject): string[] => {
  const external = addressesIn(textsAt(specOf(service), "externalIPs"));
  return [...clusterAddresses(service), ...external, ...ingressAddresses(service)].map(({ text }) => text);
};

export const SERVICES_BY_ADDRESS: Lookup = { resource: "services", keysOf: addressesOf };

export const servicesAt = (cluster: Cluster, { text }: IpAddress): readonly KubeObject[] =>
  cluster.by(SERVICES_BY_ADDRESS).get(text) ?? [];

interface Hit {
  readonly service: KubeObject;
  readonly port: JsonObject;
}

/** The Service ports that match the destination's address, port and protocol; node ports only on the own node. */
function hits(cluster: Cluster, way: PacketPath): Hit[] {
  const { address, port, protocol } = way.destination;
  const portsOf = (service: KubeObject, key: "port" | "nodePort"): Hit[] =>
    objectsAt(specOf(service), "ports")
      .filter((one) => (textAt(one, "protocol") || "TCP").toLowerCase() === protocol)
      .filter((one) => (key === "port" && port === undefined) || numberAt(one, key) === port)
      .map((one) => ({ service, port: one }));
  const direct = servicesAt(cluster, address).flatMap((service) => portsOf(service, "port"));
  const { node } = way.sender;
  if (direct.length > 0 || port === undefined || !node || !isNodeAddress(node, address)) return direct;
  return cluster.snapshot.list("services").flatMap((service) => portsOf(service, "nodePort"));
}

/** The EndpointSlices of a Service, selected by label kubernetes.io/service-name. */
export const slicesOf = (cluster: Cluster, { metadata }: KubeObject): KubeObject[] =>
  cluster.snapshot
    .list("endpointslices.discovery.k8s.io", metadata.namespace ?? "")
    .filter((slice) => slice.metadata.labels?.[SERVICE_NAME] === metadata.name);

/** Endpoints that receive traffic: the ready ones; without ready ones the serving, terminating ones. */
export function endpointsOf(
  cluster: Cluster,
  service: KubeObject,
  port: JsonObject | undefined,
  family: IpFamily,
): Endpoint[] {
  const ready: Endpoint[] = [];
  const serving: Endpoint[] = [];
  for (const slice of slicesOf(cluster, service)) {
    const target =
      port && objectsAt(slice, "ports").find((one) => textAt(one, "name") === textAt(port, "name"));
    if (port && !target) continue;
    for (const endpoint of objectsAt(slice, "endpoints")) {
      const conditions = objectAt(endpoint, "conditions");
      const into =
        conditions?.["ready"] !== false ? ready : conditions["serving"] === true ? serving : undefined;
      const [address] = addressesIn(textsAt(endpoint, "addresses"));
      if (address?.family !== family) continue;
      into?.push({ address, port: numberAt(target, "port"), node: textAt(endpoint, "nodeName") });
    }
  }
  return ready.length > 0 ? ready : serving;
}

export function throughServices(way: PacketPath, cluster: Cluster): PacketPath[] {
  const found = hits(cluster, way);
  const { address } = way.destination;
  if (found.length === 0) {
    const [service] = servicesAt(cluster, address);
    if (!service) return [way];
    const what = `${address.text} is an address of Service ${objectKey(service)}, but not with this port and protocol: no load balancer takes it`;
    return [warn(way, what)];
  }
  return found.flatMap((hit) => translate(way, cluster, hit));
}

function translate(way: PacketPath, cluster: Cluster, { service, port }: Hit): PacketPath[] {
  const { sender, destination } = way;
  const by = [decider("Service", service)];
  const refusal = isolatedFrom(way, cluster, service);
  if (refusal) return [end(way, { ...refusal, by }, { verdict: "dropped", node: sender.pod.node })];
  const isLocal = textAt(specOf(service), "internalTrafficPolicy") === "Local";
  const endpoints = endpointsOf(cluster, service, port, destination.address.family).filter(
    ({ node }) => !isLocal || node === sender.pod.node,
  );
  if (endpoints.length === 0) {
    const text = `Service ${objectKey(service)} has no ready endpoint${isLocal ? " on this node" : ""}: the connection is refused`;
    return [
      end(
        way,
        { stage: "service", result: "denied", by, text, evidence: "docs" },
        { verdict: "rejected", node: sender.pod.node },
      ),
    ];
  }
  const why = `Service ${objectKey(service)} has ${endpoints.length} endpoints, and the load balancer takes any`;
  return endpoints.map((endpoint) => {
    const next: Destination = {
      ...destination,
      within: undefined,
      address: endpoint.address,
      port: endpoint.port ?? destination.port,
    };
    const to = `${endpoint.address.text}${next.port === undefined ? "" : ` port ${next.port}`}`;
    const text = `Service ${objectKey(service)} becomes its endpoint ${to}`;
    const step: Step = { stage: "service", result: "translated", by, text, evidence: "docs" };
    const translated = pass({ ...way, destination: next }, step);
    return endpoints.length > 1 ? doubt(translated, why) : translated;
  });
}

/** Pods of a primary UDN reach Services of that network, and only SERVICES_FOR_ALL of the default network. */
function isolatedFrom(
  { sender }: PacketPath,
  cluster: Cluster,
  service: KubeObject,
): Omit<Step, "by"> | undefined {
  const own = sender.network;
  const its = cluster.networks.ofNamespace(service.metadata.namespace ?? "");
  if (its === undefined || its.name === own.name) return undefined;
  if (its.isDefault && SERVICES_FOR_ALL.has(objectKey(service))) return undefined;
  if (cluster.networks.connection(own, its) !== undefined) return undefined;
  return {
    stage: "isolation",
    result: "denied",
    text: `Service ${objectKey(service)} is of network ${its.name}, which pods of network ${own.name} do not reach`,
    evidence: its.isDefault ? "test" : "source",
  };
}

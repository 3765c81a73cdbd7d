// Clusters for tests: two nodes and a namespace by default, as in the examples of src/ovn/rules.md ("Numbers in
// tests").
import type { JsonObject } from "../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { Cluster } from "../../../src/ovn/cluster/cluster.ts";
import { type ClusterFacts, DEFAULT_FACTS, snapshotOf } from "../../../src/ovn/snapshot.ts";
import { type Trace, type TraceRequest, trace } from "../../../src/ovn/trace/trace.ts";

const RESOURCES: Readonly<Record<string, string>> = {
  Node: "nodes",
  Namespace: "namespaces",
  Pod: "pods",
  Service: "services",
  EndpointSlice: "endpointslices.discovery.k8s.io",
  NetworkPolicy: "networkpolicies.networking.k8s.io",
  AdminNetworkPolicy: "adminnetworkpolicies.policy.networking.k8s.io",
  BaselineAdminNetworkPolicy: "baselineadminnetworkpolicies.policy.networking.k8s.io",
  EgressIP: "egressips.k8s.ovn.org",
  EgressFirewall: "egressfirewalls.k8s.ovn.org",
  EgressQoS: "egressqoses.k8s.ovn.org",
  NetworkQoS: "networkqoses.k8s.ovn.org",
  EgressService: "egressservices.k8s.ovn.org",
  AdminPolicyBasedExternalRoute: "adminpolicybasedexternalroutes.k8s.ovn.org",
  RouteAdvertisements: "routeadvertisements.k8s.ovn.org",
  ClusterNetworkConnect: "clusternetworkconnects.k8s.ovn.org",
  Event: "events",
  UserDefinedNetwork: "userdefinednetworks.k8s.ovn.org",
  EgressRouter: "egressrouters.network.operator.openshift.io",
  CloudPrivateIPConfig: "cloudprivateipconfigs.cloud.network.openshift.io",
  DNSNameResolver: "dnsnameresolvers.network.openshift.io",
  NetworkAttachmentDefinition: "network-attachment-definitions.k8s.cni.cncf.io",
};

interface Naming {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

export const object = (kind: string, metadata: Naming, content: JsonObject = {}): KubeObject => ({
  kind,
  metadata,
  ...content,
});

/** A node with addresses "192.168.126.12/24", of each family the first one primary; the others are of secondary interfaces. */
export function node(
  name: string,
  addresses: readonly string[],
  more: Omit<Partial<Naming>, "name"> & { id?: number; gateway?: JsonObject } = {},
): KubeObject {
  const of = (family: 4 | 6) => addresses.find((text) => text.includes(":") === (family === 6));
  const [ipv4, ipv6] = [of(4), of(6)];
  const hops = [...(ipv4 ? ["192.168.126.1"] : []), ...(ipv6 ? ["fc00::1"] : [])];
  const gateway = more.gateway ?? {
    mode: "shared",
    "bridge-id": "br-ex",
    "ip-addresses": [ipv4, ipv6].filter(Boolean),
    "next-hops": hops,
  };
  return object("Node", {
    name,
    ...(more.labels ? { labels: more.labels } : {}),
    annotations: {
      "k8s.ovn.org/node-primary-ifaddr": JSON.stringify({
        ...(ipv4 ? { ipv4 } : {}),
        ...(ipv6 ? { ipv6 } : {}),
      }),
      "k8s.ovn.org/host-cidrs": JSON.stringify(addresses),
      "k8s.ovn.org/l3-gateway-config": JSON.stringify({ default: gateway }),
      "k8s.ovn.org/node-id": String(more.id ?? (name === "n1" ? 2 : 3)),
      "k8s.ovn.org/node-subnets": JSON.stringify({ default: [`10.128.${name === "n1" ? 1 : 2}.0/24`] }),
      ...more.annotations,
    },
  });
}

export const LABEL = { "k8s.ovn.org/egress-assignable": "" };
export const READY = { status: { conditions: [{ type: "Ready", status: "True" }] } };

/** A node that egress addresses can be placed on. */
export const egressNode = (
  name: string,
  addresses: readonly string[],
  more: Parameters<typeof node>[2] = {},
): KubeObject => ({
  ...node(name, addresses, { labels: LABEL, ...more }),
  ...READY,
});
export const N1 = node("n1", ["192.168.126.12/24"]);
export const N2 = node("n2", ["192.168.126.51/24"]);

export interface PodWords extends Partial<Naming> {
  readonly node?: string;
  readonly ips?: readonly string[];
  readonly phase?: string;
  readonly hostNetwork?: boolean;
  readonly ready?: boolean;
}

/** Pod p of namespace ns on n1 with 10.128.1.3, unless something else is said. */
export function pod({
  name = "p",
  namespace = "ns",
  node: nodeName = "n1",
  ips = ["10.128.1.3"],
  phase = "Running",
  hostNetwork,
  ready = true,
  ...more
}: PodWords = {}): KubeObject {
  return object(
    "Pod",
    { name, namespace, ...more },
    {
      spec: { ...(nodeName ? { nodeName } : {}), ...(hostNetwork ? { hostNetwork } : {}) },
      status: {
        phase,
        podIPs: ips.map((ip) => ({ ip })),
        conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
      },
    },
  );
}

export const namespace = (name: string, labels: Record<string, string> = {}): KubeObject =>
  object("Namespace", { name, labels: { "kubernetes.io/metadata.name": name, ...labels } });

/** egressIp("web", "192.168.126.101@n1"): selects everything unless something else is said. */
export const egressIp = (
  name: string,
  items: readonly string[],
  spec: JsonObject = {},
  annotations: Record<string, string> = {},
): KubeObject =>
  object(
    "EgressIP",
    { name, annotations },
    {
      spec: { namespaceSelector: {}, egressIPs: items.map((item) => item.split("@")[0]), ...spec },
      status: {
        items: items
          .filter((item) => item.includes("@"))
          .map((item) => ({ egressIP: item.split("@")[0], node: item.split("@")[1] })),
      },
    },
  );

export const firewall = (...egress: readonly JsonObject[]): KubeObject =>
  object("EgressFirewall", { name: "default", namespace: "ns" }, { spec: { egress } });

export const DENY_ALL = { type: "Deny", to: { cidrSelector: "0.0.0.0/0" } };

export function clusterOf(objects: readonly KubeObject[], facts: Partial<ClusterFacts> = {}): Cluster {
  return new Cluster(
    snapshotOf(objects, ({ kind = "" }) => RESOURCES[kind]),
    { ...DEFAULT_FACTS, ...facts },
  );
}

/** n1, n2, namespace ns and pod p unless others of that kind and name are given. */
export function world(...objects: readonly KubeObject[]): KubeObject[] {
  const key = ({ kind, metadata }: KubeObject) =>
    `${kind} ${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
  return [...new Map([N1, N2, namespace("ns"), pod(), ...objects].map((one) => [key(one), one])).values()];
}

export function traced(
  objects: readonly KubeObject[],
  to: string,
  options: Partial<TraceRequest> & { facts?: Partial<ClusterFacts> } = {},
): Trace {
  const { facts, ...request } = options;
  return trace(clusterOf(objects, facts), { namespace: "ns", pod: "p", to, protocol: "tcp", ...request });
}

/** Each outcome in few words, sorted: "allowed 192.168.126.101 n1", "denied EgressFirewall 1". */
export function told({ outcomes }: Trace): string[] {
  const words = outcomes.map(({ verdict, source, node: at, steps }) => {
    if (verdict === "allowed") return `allowed ${source ?? "?"} ${at ?? "?"}`;
    const by = steps.at(-1)?.by[0];
    return by ? `${verdict} ${by.kind}${by.rule === undefined ? "" : ` ${by.rule}`}` : verdict;
  });
  return [...new Set(words)].sort();
}

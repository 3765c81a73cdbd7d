// What examples of packets are made of.
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import type { ClusterFacts } from "../../../../src/ovn/snapshot.ts";
import type { TraceRequest } from "../../../../src/ovn/trace/trace.ts";
import { egressIp, node, object, pod } from "../world.ts";

export const EXT = "8.8.8.8";
export const EXT6 = "2001:4860:4860::8888";

export interface Example {
  /** The number of the example, or of the section with the rule; several rows may share one. */
  readonly n: number;
  readonly what: string;
  readonly objects: readonly KubeObject[];
  readonly to?: string;
  readonly ask?: Partial<TraceRequest> & { facts?: Partial<ClusterFacts> };
  readonly expect: readonly string[];
  /** Among the outcomes. */
  readonly hop?: string;
  readonly via?: string;
  readonly dscp?: number;
  readonly warning?: RegExp;
  readonly ambiguity?: RegExp;
  /** Of all outcomes. */
  readonly likely?: boolean;
  readonly undefined?: true;
}

export const eip1 = egressIp("eip", ["192.168.126.101@n1"]);
export const eip12 = egressIp("eip", ["192.168.126.101@n1", "192.168.126.102@n2"]);
export const onN2 = pod({ ips: ["10.128.2.16"], node: "n2" });
export const dual = node("n1", ["192.168.126.12/24", "fc00:f853:ccd:e793::12/64"]);
export const dualPod = pod({ ips: ["10.128.1.3", "fd01:0:0:1::3"] });
export const EIP6 = "fc00:f853:ccd:e793:ffff:ffff:ffff:0";
export const secondary = node("n1", ["192.168.126.202/24", "10.10.10.4/24"]);
export const onSecondary = [
  secondary,
  egressIp("eip", ["192.168.126.190@n1"], { podSelector: { matchLabels: { not: "there" } } }),
  egressIp("eip2", ["10.10.10.20@n1"]),
];
export const rivals = [
  egressIp("eip1", ["192.168.126.25@n1", "192.168.126.30"]),
  egressIp("eip2", ["192.168.126.35@n1"]),
];

export const slice = (
  name: string,
  endpoints: readonly (readonly [ip: string, node: string])[],
  port = 8080,
): KubeObject =>
  object(
    "EndpointSlice",
    { name: `${name}-x`, namespace: "ns", labels: { "kubernetes.io/service-name": name } },
    {
      addressType: "IPv4",
      ports: [{ name: "", port, protocol: "TCP" }],
      endpoints: endpoints.map(([ip, nodeName]) => ({
        addresses: [ip],
        nodeName,
        conditions: { ready: true },
      })),
    },
  );
export const service = (name: string, spec: Record<string, unknown> = {}, ns = "ns"): KubeObject =>
  object(
    "Service",
    { name, namespace: ns },
    {
      spec: { clusterIP: "10.96.0.10", ports: [{ port: 80, protocol: "TCP" }], ...spec },
      status: { loadBalancer: { ingress: [{ ip: "5.5.5.5" }] } },
    },
  );
export const egressService = (host: string, spec: Record<string, unknown> = {}): KubeObject =>
  object(
    "EgressService",
    { name: "svc", namespace: "ns" },
    { spec: { sourceIPBy: "LoadBalancerIP", ...spec }, status: { host } },
  );
export const served = (host: string, at: readonly (readonly [string, string])[], spec = {}) => [
  service("svc"),
  slice("svc", at),
  egressService(host, spec),
];
export const P1 = [["10.128.1.5", "n1"]] as const;
export const endpoint1 = pod({ ips: ["10.128.1.5"] });

export const anp = (name: string, priority: number, ...egress: unknown[]): KubeObject =>
  object("AdminNetworkPolicy", { name }, { spec: { priority, subject: { namespaces: {} }, egress } });
export const banp = (...egress: unknown[]): KubeObject =>
  object(
    "BaselineAdminNetworkPolicy",
    { name: "default" },
    { spec: { subject: { namespaces: {} }, egress } },
  );
export const toNet = (action: string, ...networks: string[]) => ({ action, to: [{ networks }] });
export const denyByPolicy = object(
  "NetworkPolicy",
  { name: "deny", namespace: "ns" },
  { spec: { podSelector: {}, policyTypes: ["Egress"] } },
);

export const route = (
  name: string,
  hops: Record<string, unknown>,
  created = "2026-01-01T00:00:00Z",
): KubeObject => ({
  kind: "AdminPolicyBasedExternalRoute",
  metadata: { name, creationTimestamp: created },
  spec: { from: { namespaceSelector: {} }, nextHops: hops },
});
export const fixed = (...ips: string[]) => ({ static: ips.map((ip) => ({ ip })) });

export const nad = (ns: string, config: Record<string, unknown>): KubeObject =>
  object(
    "NetworkAttachmentDefinition",
    { name: "net", namespace: ns },
    {
      spec: {
        config: JSON.stringify({
          type: "ovn-k8s-cni-overlay",
          role: "primary",
          name: "shared-net",
          ...config,
        }),
      },
    },
  );
export const L3 = { topology: "layer3", subnets: "20.128.0.0/16/24" };
export const L2 = { topology: "layer2", subnets: "20.128.0.0/16" };
export const UDN_LABEL = { "k8s.ovn.org/primary-user-defined-network": "" };
export const udnPod = (ns = "ns", name = "p", ip = "20.128.0.5"): KubeObject =>
  pod({
    name,
    namespace: ns,
    annotations: {
      "k8s.ovn.org/pod-networks": JSON.stringify({
        default: { ip_address: "10.128.1.9/24" },
        [`${ns}/net`]: { ip_address: `${ip}/24`, role: "primary" },
      }),
    },
  });
export const marked = (name: string, items: readonly string[], mark: string, spec = {}) =>
  egressIp(name, items, spec, { "k8s.ovn.org/egressip-mark": mark });
export const advertised = object(
  "RouteAdvertisements",
  { name: "ra" },
  {
    spec: { advertisements: ["PodNetwork"], networkSelectors: [{ networkSelectionType: "DefaultNetwork" }] },
    status: { conditions: [{ type: "Accepted", status: "True" }] },
  },
);
export const qos = (...egress: unknown[]): KubeObject =>
  object("EgressQoS", { name: "default", namespace: "ns" }, { spec: { egress } });
export const kubernetes = [
  object(
    "Service",
    { name: "kubernetes", namespace: "default" },
    { spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, protocol: "TCP" }] } },
  ),
  object(
    "EndpointSlice",
    { name: "kubernetes", namespace: "default", labels: { "kubernetes.io/service-name": "kubernetes" } },
    {
      addressType: "IPv4",
      ports: [{ name: "https", port: 6443, protocol: "TCP" }],
      endpoints: [{ addresses: ["192.168.126.12"], conditions: { ready: true } }],
    },
  ),
];

// The objects of the demo, small or large: nodes in zones, teams with Deployments and Services, and egress objects for
// them. The Deployments create the pods.

import type { JsonObject } from "../../apimachinery/json/json.ts";
import { cidrOf, ipFromValue, parseCidr } from "../../apimachinery/meta/ip.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { makeNode } from "../../server/nodes/make-node.ts";
import type { Place } from "./multiply.ts";

export const SIZES = ["small", "large"] as const;
export type Size = (typeof SIZES)[number];

/** Counts of the objects of one size. */
interface Plan {
  readonly nodes: number;
  readonly zones: readonly string[];
  /** The first ones may host egress addresses. */
  readonly assignable: number;
  readonly network: string;
  /** Teams besides the shop, each with a namespace. */
  readonly teams: number;
  readonly deploymentsPerTeam: number;
  readonly replicas: number;
}

const PLANS: Readonly<Record<Size, Plan>> = {
  small: {
    ...{ nodes: 6, zones: ["a", "b"], assignable: 4, network: "192.168.126.0/24" },
    ...{ teams: 0, deploymentsPerTeam: 0, replicas: 0 },
  },
  large: {
    ...{ nodes: 500, zones: ["a", "b", "c"], assignable: 60, network: "192.168.0.0/16" },
    ...{ teams: 200, deploymentsPerTeam: 5, replicas: 20 },
  },
};

/** Number of pods of the shop. */
const SHOP_PODS = 19;

export function countsOf(size: Size): { readonly nodes: number; readonly pods: number } {
  const { nodes, teams, deploymentsPerTeam, replicas } = PLANS[size];
  return { nodes, pods: SHOP_PODS + teams * deploymentsPerTeam * replicas };
}

const NETWORK_IPV6 = "fd00:126::/64";
/** Host numbers of node addresses start here, those of the teams' EgressIPs far behind them. */
const FIRST_NODE = 11n;
const FIRST_EGRESS = 0x8000n;

/** In dependency order. */
export function demoObjects(size: Size, now: string): KubeObject[] {
  const plan = PLANS[size];
  const teams = Array.from({ length: plan.teams }, (_, index) => teamObjects(plan, index));
  return [...nodes(plan, now), ...shopObjects(), ...teams.flat()];
}

const APP = "app-1";

/** The one team Deployment that controllers create pods for; the others are copies of it. */
export const MODEL: Place = { namespace: "team-1", name: APP };
const isModel = ({ namespace, name }: Place): boolean => namespace === MODEL.namespace && name === MODEL.name;

/** Namespaces and names of its copies, and the number of pods of each. */
export function copiesOf(size: Size): { readonly places: readonly Place[]; readonly replicas: number } {
  const { teams, deploymentsPerTeam, replicas } = PLANS[size];
  const places = Array.from({ length: teams * deploymentsPerTeam }, (_, index) => ({
    namespace: `team-${Math.floor(index / deploymentsPerTeam) + 1}`,
    name: `app-${(index % deploymentsPerTeam) + 1}`,
  }));
  return { places: places.filter((place) => !isModel(place)), replicas };
}

function nodes({ nodes: count, zones, assignable, network }: Plan, now: string): KubeObject[] {
  return Array.from({ length: count }, (_, index) =>
    makeNode({
      name: `worker-${index + 1}`,
      zone: zones[index % zones.length],
      region: "home",
      addresses: [network, NETWORK_IPV6].map((text) => addressOf(text, FIRST_NODE + BigInt(index))),
      assignable: index < assignable,
      platform: "none",
      instanceType: undefined,
      labels: {},
      capacity: {},
      now,
    }),
  );
}

/** The address with a host number in a network, with the prefix length. */
function addressOf(network: string, number: bigint) {
  const cidr = parseCidr(network);
  if (!cidr) throw new Error(`${network} is no network`);
  return cidrOf(ipFromValue(cidr.family, cidr.first + number), cidr.prefix);
}

const namespace = (name: string, team = name): KubeObject => ({
  ...{ apiVersion: "v1", kind: "Namespace" },
  metadata: { name, labels: { team } },
});

function deployment(inside: string, name: string, replicas: number): KubeObject {
  const labels = { app: name };
  const containers = [{ name: "main", image: `registry.example.com/${inside}/${name}:1.0` }];
  const tolerations = ["not-ready", "unreachable"].map((what) => ({
    ...{ key: `node.kubernetes.io/${what}`, operator: "Exists", effect: "NoExecute" },
    tolerationSeconds: 10, // short, because demo users watch the eviction; the default is 5 minutes
  }));
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace: inside, labels } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers, tolerations } },
    },
  };
}

function service(inside: string, name: string, more: JsonObject = {}): KubeObject {
  const ports = [{ name: "http", port: 80, targetPort: 8080 }];
  return {
    ...{ apiVersion: "v1", kind: "Service", metadata: { name, namespace: inside } },
    spec: { selector: { app: name }, ports, ...more },
  };
}

const ovn = (kind: string, metadata: KubeObject["metadata"], spec: JsonObject): KubeObject => ({
  ...{ apiVersion: "k8s.ovn.org/v1", kind, metadata, spec },
});

const egressIp = (name: string, egressIPs: readonly string[], team: string, app?: string): KubeObject =>
  ovn(
    "EgressIP",
    { name },
    {
      egressIPs: [...egressIPs],
      namespaceSelector: { matchLabels: { team } },
      ...(app === undefined ? {} : { podSelector: { matchLabels: { app } } }),
    },
  );

/** Three teams: a public shop, payments restricted to one bank, and a warehouse with a misconfiguration. */
function shopObjects(): KubeObject[] {
  const bank = "203.0.113.0/24";
  return [
    ...["shop", "payments", "warehouse"].map((name) => namespace(name)),
    deployment("shop", "web", 6),
    deployment("shop", "cart", 3),
    {
      ...service("shop", "web", { type: "LoadBalancer" }),
      status: { loadBalancer: { ingress: [{ ip: "192.0.2.10" }] } },
    },
    service("shop", "cart"),
    ovn("EgressService", { name: "web", namespace: "shop" }, { sourceIPBy: "LoadBalancerIP" }),
    ovn(
      "EgressQoS",
      { name: "default", namespace: "shop" },
      { egress: [{ dscp: 46, dstCIDR: "198.51.100.0/24" }] },
    ),
    deployment("payments", "gateway", 4),
    deployment("payments", "ledger", 2),
    service("payments", "gateway"),
    egressIp("payments", ["192.168.126.101", "192.168.126.102"], "payments"),
    ovn(
      "EgressFirewall",
      { name: "default", namespace: "payments" },
      {
        egress: [
          { type: "Allow", to: { cidrSelector: bank }, ports: [{ protocol: "TCP", port: 443 }] },
          { type: "Deny", to: { cidrSelector: "0.0.0.0/0" } },
        ],
      },
    ),
    deployment("warehouse", "stock", 4),
    service("warehouse", "stock"),
    egressIp("warehouse", ["192.168.126.103"], "warehouse"),
    egressIp("partner", ["10.9.9.9"], "warehouse", "stock"),
  ];
}

function teamObjects({ replicas, network }: Plan, index: number): KubeObject[] {
  const name = `team-${index + 1}`;
  const own = addressOf(network, FIRST_EGRESS + BigInt(index)).address.text;
  const to = { cidrSelector: "203.0.113.0/24" };
  return [
    namespace(name),
    ...(isModel({ namespace: name, name: APP }) ? [deployment(name, APP, replicas)] : []),
    service(name, APP),
    ...(index % 2 === 0 ? [egressIp(name, [own], name)] : []),
    ...(index % 50 === 0
      ? [ovn("EgressFirewall", { name: "default", namespace: name }, { egress: [{ type: "Deny", to }] })]
      : []),
  ];
}

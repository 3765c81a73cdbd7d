// The clusters in which states are restored: the server's options, and the possible objects.
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import type { ServerOptions } from "../../../src/server/options/options.ts";
import type { Subject } from "./steps.ts";

export interface Cluster {
  readonly name: string;
  readonly options?: Partial<ServerOptions>;
  readonly subjects: readonly Subject[];
  /**
   * A restart finds work that no event has announced. As in ovn-kubernetes, a freed address enqueues no EgressIP that
   * waits for it, and a node whose annotations become invalid keeps those read before. Such a state is idle once restarts
   * find nothing more.
   */
  readonly looksAgain?: true;
}

const object = (apiVersion: string, kind: string, key: string, rest: object = {}): KubeObject => {
  const [first = "", second] = key.split("/");
  const { metadata = {}, ...content } = rest as { metadata?: object };
  const place = second === undefined ? { name: first } : { namespace: first, name: second };
  return { apiVersion, kind, metadata: { ...metadata, ...place }, ...content };
};
const v1 = (kind: string, key: string, rest: object = {}) => object("v1", kind, key, rest);
const ovn = (kind: string, name: string, spec: object, metadata: object = {}) =>
  object("k8s.ovn.org/v1", kind, name, { metadata, spec });
const labels = (of: object) => ({ metadata: { labels: of } });
const annotations = (of: object) => ({ metadata: { annotations: of } });
const ready = (status: string) => ({ conditions: [{ type: "Ready", status }] });

const ASSIGNABLE = "k8s.ovn.org/egress-assignable";
const PRIMARY_UDN = "k8s.ovn.org/primary-user-defined-network";

function node(name: string, last: number, more: readonly unknown[] = []): Subject {
  const cidr = `192.168.126.${last}/24`;
  return {
    object: v1("Node", name, {
      metadata: {
        labels: { [ASSIGNABLE]: "", colour: "red", "kubernetes.io/hostname": name },
        annotations: {
          "k8s.ovn.org/node-primary-ifaddr": `{"ipv4":"${cidr}"}`,
          "k8s.ovn.org/host-cidrs": `["${cidr}"]`,
        },
      },
    }),
    changes: [
      labels({ [ASSIGNABLE]: null }),
      labels({ [ASSIGNABLE]: "" }),
      labels({ colour: "blue" }),
      annotations({ "egret.dev/reachable": "false" }),
      annotations({ "egret.dev/reachable": null }),
      annotations({ "k8s.ovn.org/host-cidrs": "broken" }),
      annotations({ "k8s.ovn.org/host-cidrs": `["${cidr}","10.9.0.${last}/24"]` }),
      annotations({ "k8s.ovn.org/node-primary-ifaddr": "broken" }),
      annotations({ "k8s.ovn.org/node-id": null }),
      annotations({ "k8s.ovn.org/node-subnets": "broken" }),
      annotations({ "k8s.ovn.org/node-subnets": null }),
      ...more,
    ],
    statuses: [ready("True"), ready("True"), ready("False")],
  };
}
const NODES = [node("node-a", 11), node("node-b", 12), node("node-c", 13)];

function egressIp(name: string, egressIPs: readonly string[]): Subject {
  const spec = (addresses: readonly string[]) => ({ spec: { egressIPs: addresses } });
  return {
    object: ovn("EgressIP", name, { egressIPs, namespaceSelector: {} }),
    changes: [
      spec(["192.168.126.101"]),
      spec(["192.168.126.102", "192.168.126.103"]),
      spec(["192.168.126.11", "10.9.0.50"]),
      spec(["8.8.8.8"]),
      { status: { items: [] } },
      { status: { items: [{ egressIP: "192.168.126.101", node: "node-b" }] } },
      labels({ touched: "yes" }),
    ],
  };
}
const EGRESS_IPS = [
  egressIp("a", ["192.168.126.101"]),
  egressIp("b", ["192.168.126.102", "192.168.126.101"]),
  egressIp("c", ["192.168.126.103", "192.168.126.104", "192.168.126.105", "192.168.126.106"]),
];

const namespace = (name: string, of: object = {}): Subject => ({
  object: v1("Namespace", name, labels({ team: name, ...of })),
  changes: [labels({ team: "a" }), labels({ team: "z" })],
});

function pod(key: string, last: number, nodeName: string, metadata: object = {}): Subject {
  const podIP = `10.128.0.${last}`;
  const containers = [{ name: "c", image: "i" }];
  const status = (is: string) => ({ phase: "Running", podIP, podIPs: [{ ip: podIP }], ...ready(is) });
  return {
    object: v1("Pod", key, {
      metadata: { labels: { app: "web" }, ...metadata },
      spec: { nodeName, containers },
    }),
    changes: [labels({ app: "web" }), labels({ app: "other" })],
    statuses: [status("True"), status("True"), status("False"), { phase: "Succeeded" }],
  };
}

function service(name: string, spec: object = {}): Subject {
  return {
    object: v1("Service", `default/${name}`, {
      spec: { type: "LoadBalancer", selector: { app: "web" }, ports: [{ port: 80 }], ...spec },
    }),
    changes: [
      { spec: { selector: { app: "other" } } },
      { spec: { ports: [{ port: 81 }] } },
      labels({ touched: "yes" }),
    ],
    statuses: [
      { loadBalancer: { ingress: [{ ip: "192.0.2.10" }] } },
      { loadBalancer: { ingress: [{ ip: "192.0.2.10" }] } },
      { loadBalancer: null },
    ],
  };
}

const egressService = (name: string): Subject => ({
  object: ovn("EgressService", `default/${name}`, { sourceIPBy: "LoadBalancerIP" }),
  changes: [
    { spec: { sourceIPBy: "Network" } },
    { spec: { sourceIPBy: "LoadBalancerIP" } },
    { spec: { nodeSelector: { matchLabels: { colour: "blue" } } } },
    { spec: { nodeSelector: null } },
  ],
});

const ENDPOINTS = v1("Endpoints", "default/by-hand", {
  subsets: [{ addresses: [{ ip: "192.0.2.7" }], ports: [{ port: 80 }] }],
});
const OWNER = v1("ConfigMap", "default/owner");
const crd = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "things.example.com", {
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
});
const role = (name: string, rest: object) =>
  object("rbac.authorization.k8s.io/v1", "ClusterRole", name, rest);
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];

const KUBE: readonly Subject[] = [
  service("web"),
  service("two", { publishNotReadyAddresses: true }),
  { object: v1("Service", "default/by-hand", { spec: { ports: [{ port: 80 }] } }) },
  {
    object: ENDPOINTS,
    changes: [{ subsets: [{ addresses: [{ ip: "192.0.2.8" }], ports: [{ port: 80 }] }] }],
  },
  pod("default/web-1", 5, "node-a"),
  pod("default/web-2", 6, "node-b"),
  namespace("team"),
  { object: OWNER },
  { object: v1("ConfigMap", "default/owned"), owner: OWNER },
  { object: v1("Secret", "default/owned"), owner: v1("ConfigMap", "default/owned") },
  { object: v1("ConfigMap", "team/owned"), owner: OWNER },
  {
    object: v1("ConfigMap", "team/held", { metadata: { finalizers: ["example.com/held"] } }),
    changes: [{ metadata: { finalizers: null } }],
  },
  { object: crd },
  { object: object("example.com/v1", "Thing", "default/thing"), owner: OWNER },
  { object: object("example.com/v1", "Thing", "team/thing") },
  { object: role("sum", { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { of: "sum" } }] } }) },
  {
    object: role("part", { metadata: { labels: { of: "sum" } }, rules }),
    changes: [labels({ of: "none" }), { rules: [] }],
  },
  {
    object: object("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "odd", {
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] },
          ],
        },
        validations: [{ expression: "object.nothing == 1" }],
      },
    }),
    changes: [{ spec: { validations: [{ expression: "object.spec.replicas > 0" }] } }],
  },
  ...NODES.slice(0, 2),
];

const layer2 = (role: string, subnets: readonly string[]) => ({
  topology: "Layer2",
  layer2: { role, subnets },
});
const layer3 = (role: string, cidr: string) => ({
  topology: "Layer3",
  layer3: { role, subnets: [{ cidr, hostSubnet: 24 }] },
});
const byLabel = {
  networkSelectionType: "ClusterUserDefinedNetworks",
  clusterUserDefinedNetworkSelector: { networkSelector: { matchLabels: { net: "yes" } } },
};
const cluster = (name: string, network: object): Subject => ({
  object: ovn(
    "ClusterUserDefinedNetwork",
    name,
    { namespaceSelector: { matchLabels: { team: name } }, network },
    { labels: { net: "yes" } },
  ),
  changes: [
    { spec: { namespaceSelector: { matchLabels: { team: "a" } } } },
    { spec: { namespaceSelector: { matchLabels: { team: "z" } } } },
    labels({ net: "no" }),
  ],
});

const NETWORKS: readonly Subject[] = [
  ...NODES,
  namespace("a"),
  namespace("b", { [PRIMARY_UDN]: "" }),
  { object: ovn("UserDefinedNetwork", "a/blue", layer3("Secondary", "10.200.0.0/16")) },
  { object: ovn("UserDefinedNetwork", "b/red", layer2("Primary", ["10.201.0.0/16"])) },
  cluster("b", layer3("Primary", "10.202.0.0/16")),
  cluster("z", layer2("Secondary", ["10.203.0.0/16"])),
  pod("a/user", 7, "node-a", {
    annotations: { "k8s.ovn.org/pod-networks": '{"a/blue":{"ip_address":"10.200.0.5/16"}}' },
  }),
  {
    object: ovn("ClusterNetworkConnect", "c", {
      networkSelectors: [byLabel],
      connectSubnets: [{ cidr: "192.168.0.0/16", networkPrefix: 24 }],
      connectivity: ["PodNetwork"],
    }),
  },
  {
    object: ovn("RouteAdvertisements", "ra", {
      advertisements: ["PodNetwork"],
      nodeSelector: {},
      frrConfigurationSelector: { matchLabels: { use: "yes" } },
      networkSelectors: [byLabel],
    }),
    changes: [{ spec: { advertisements: ["EgressIP"], targetVRF: "auto" } }, { spec: { targetVRF: null } }],
  },
  { object: ovn("VTEP", "v", { mode: "Unmanaged", cidrs: ["100.127.0.0/24"] }) },
  { object: ovn("VTEP", "w", { mode: "Unmanaged", cidrs: ["100.127.0.0/25"] }) },
  { object: ovn("VTEP", "m", { mode: "Managed", cidrs: ["100.128.0.0/25"] }) },
  {
    object: object("k8s.ovn.org/v1alpha1", "Uplink", "u", {
      spec: {
        nodeConfigs: [
          { nodeSelector: { matchLabels: { colour: "red" } }, type: "OVSBridge", hostInterfaceName: "br-up" },
        ],
      },
    }),
  },
];

const nad = (name: string, ipam: object): Subject => ({
  object: object("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", `default/${name}`, {
    spec: {
      config: JSON.stringify({
        cniVersion: "0.3.1",
        type: "macvlan",
        ipam: { type: "whereabouts", ...ipam },
      }),
    },
  }),
  changes: [{ spec: { config: "broken" } }],
});
const attached = (name: string, last: number, networks: string) =>
  pod(`default/${name}`, last, "node-a", { annotations: { "k8s.v1.cni.cncf.io/networks": networks } });

const ATTACHMENTS: readonly Subject[] = [
  nad("small", { range: "192.168.2.0/30" }),
  nad("wide", { range: "192.168.2.0/28", network_name: "wide" }),
  attached("p", 21, "small"),
  attached("q", 22, "small"),
  attached("r", 23, "small"),
  attached("s", 24, "small,wide"),
  {
    object: object("network.operator.openshift.io/v1", "EgressRouter", "default/router", {
      spec: {
        addresses: [{ ip: "192.168.12.99/24", gateway: "192.168.12.1" }],
        redirect: { redirectRules: [{ destinationIP: "203.0.113.25", port: 80, protocol: "TCP" }] },
      },
    }),
    changes: [{ spec: { addresses: [{ ip: "192.168.12.98/24", gateway: "192.168.12.1" }] } }],
  },
];

const ALLOW = [{ type: "Allow", to: { cidrSelector: "1.2.3.0/24" } }];
const RULES: readonly Subject[] = [
  ...NODES,
  namespace("a"),
  {
    object: ovn("EgressFirewall", "a/default", { egress: ALLOW }),
    changes: [
      { spec: { egress: [{ type: "Deny", to: { cidrSelector: "0.0.0.0/0" } }] } },
      { spec: { egress: [{ type: "Deny", to: { cidrSelector: "300.0.0.0/0" } }] } },
      { status: { status: "mine", messages: ["mine"] } },
    ],
  },
  {
    object: ovn("EgressQoS", "a/default", { egress: [{ dscp: 10, dstCIDR: "1.2.3.0/24" }] }),
    changes: [
      {
        spec: {
          egress: [
            { dscp: 20, podSelector: { matchExpressions: [{ key: "a", operator: "Like", values: ["b"] }] } },
          ],
        },
      },
    ],
  },
  {
    object: ovn("AdminPolicyBasedExternalRoute", "route", {
      from: { namespaceSelector: { matchLabels: { team: "a" } } },
      nextHops: { static: [{ ip: "192.0.2.1" }] },
    }),
  },
  pod("a/gateway", 9, "node-a"),
];

const cloudChanges = [
  annotations({ "egret.dev/cloud-latency-ms": "3000" }),
  annotations({ "egret.dev/cloud-latency-ms": null }),
  annotations({ "egret.dev/cloud-error": "no" }),
  annotations({ "egret.dev/cloud-error": null }),
  annotations({ "egret.dev/cloud-error": null }),
];
const CLOUD = [
  node("node-a", 11, cloudChanges),
  node("node-b", 12, cloudChanges),
  node("node-c", 13),
  ...EGRESS_IPS,
];
const EGRESS = [
  ...NODES,
  ...EGRESS_IPS,
  service("web"),
  service("two", { externalTrafficPolicy: "Local" }),
  egressService("web"),
  egressService("two"),
  pod("default/web-1", 5, "node-a"),
  pod("default/web-2", 6, "node-b"),
];
const OLD = { profile: "openshift-4.13" } as const;

export const CLUSTERS: readonly Cluster[] = [
  { name: "with egress", looksAgain: true, subjects: EGRESS },
  { name: "on a cloud", looksAgain: true, options: { platform: "aws" }, subjects: CLOUD },
  {
    name: "on a cloud that moves no addresses",
    looksAgain: true,
    options: { platform: "gcp" },
    subjects: CLOUD,
  },
  { name: "with services and owners", subjects: KUBE },
  { name: "with networks", subjects: NETWORKS },
  { name: "with attachments", subjects: ATTACHMENTS },
  { name: "with rules", subjects: RULES },
  {
    name: "of OpenShift 4.13",
    looksAgain: true,
    options: OLD,
    subjects: [...EGRESS, ...ATTACHMENTS, ...RULES],
  },
  {
    name: "of OpenShift 4.13 on a cloud",
    looksAgain: true,
    options: { ...OLD, platform: "aws" },
    subjects: CLOUD,
  },
];

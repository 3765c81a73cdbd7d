// A made-up dump of a realistic cluster in kubectl's format: ten nodes with the annotations of ovn-kubernetes, pods whose
// owners are partly missing from the dump, assigned EgressIPs, firewalls, Services with their Endpoints.
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { dumped, MADE, uidOf } from "./object.ts";
import { controlledBy, ownersOf } from "./owners.ts";
import { podsOf, type Workload } from "./pods.ts";
import { serviceObjects } from "./services.ts";

export const NODES = 10;
const ASSIGNABLE = 5;
const NAMESPACES: Readonly<Record<string, Record<string, string>>> = {
  default: {},
  "kube-system": {},
  shop: { team: "shop", egress: "blue" },
  billing: { team: "billing", egress: "blue" },
  monitoring: { team: "ops" },
};

export const nodeName = (index: number): string => `worker-${index}`;

/** All objects, in the order in which kubectl would list their kinds. */
export function dumpedCluster(): KubeObject[] {
  const pods = WORKLOADS.flatMap(podsOf);
  return [
    ...Array.from({ length: NODES }, (_, index) => node(index)),
    ...Object.entries(NAMESPACES).map(([name, labels]) => namespace(name, labels)),
    ...Object.keys(NAMESPACES).flatMap(accountsOf),
    ...WORKLOADS.flatMap(ownersOf),
    ...pods,
    ...SERVICES.flatMap((service) => serviceObjects(service, pods)),
    ...EGRESS_IPS.map(egressIp),
    ...["shop", "billing"].map(firewall),
    serviceRange(),
    kubeadmConfig(),
    ...Array.from({ length: NODES }, (_, index) => lease(index)),
    ofOperator(),
    secret(),
  ];
}

const WORKLOADS: readonly Workload[] = [
  { kind: "Deployment", namespace: "shop", name: "web", replicas: 6, port: 8080, first: 0 },
  { kind: "Deployment", namespace: "shop", name: "cart", replicas: 4, port: 8081, first: 6 },
  { kind: "Deployment", namespace: "billing", name: "ledger", replicas: 5, port: 9000, first: 10 },
  // Its Deployment is missing from the dump.
  { kind: "ReplicaSet", namespace: "billing", name: "export", replicas: 2, port: 9001, first: 15 },
  { kind: "DaemonSet", namespace: "monitoring", name: "node-exporter", replicas: 10, port: 9100, first: 17 },
  // All of their owners are missing from the dump.
  { kind: "none", namespace: "monitoring", name: "prometheus", replicas: 3, port: 9090, first: 27 },
];

const SERVICES = [
  { namespace: "shop", name: "web", clusterIP: "172.30.10.1", port: 80, targetPort: 8080, nodePort: 30080 },
  { namespace: "shop", name: "cart", clusterIP: "172.30.10.2", port: 80, targetPort: 8081 },
  { namespace: "billing", name: "ledger", clusterIP: "172.30.11.1", port: 443, targetPort: 9000 },
];

const EGRESS_IPS = [
  { name: "shop-a", addresses: ["192.168.126.101"], selector: { team: "shop" }, nodes: [0] },
  {
    name: "shop-b",
    addresses: ["192.168.126.102", "192.168.126.103"],
    selector: { egress: "blue" },
    nodes: [1, 3],
  },
  { name: "billing-a", addresses: ["192.168.126.104"], selector: { team: "billing" }, nodes: [4] },
  { name: "billing-b", addresses: ["192.168.126.105"], selector: { team: "billing" }, nodes: [2] },
  { name: "ops", addresses: ["192.168.126.106"], selector: { team: "ops" }, nodes: [3] },
  // Placed against the balance: a new placement would choose another node.
  { name: "odd", addresses: ["192.168.126.107"], selector: { team: "none" }, nodes: [3] },
];

function node(index: number): KubeObject {
  const name = nodeName(index);
  const address = `192.168.126.${index + 11}`;
  return dumped(
    "v1",
    "Node",
    { name },
    {
      labels: {
        ...{ "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" },
        "topology.kubernetes.io/zone": `zone-${index % 2 === 0 ? "a" : "b"}`,
        "node-role.kubernetes.io/worker": "",
        ...(index < ASSIGNABLE ? { "k8s.ovn.org/egress-assignable": "" } : {}),
      },
      annotations: nodeAnnotations(index, address),
    },
    {
      spec: {
        podCIDR: `10.244.${index}.0/24`,
        podCIDRs: [`10.244.${index}.0/24`],
        providerID: `kind://docker/${name}`,
      },
      status: nodeStatus(name, address),
    },
  );
}

function nodeAnnotations(index: number, address: string): Record<string, string> {
  const name = nodeName(index);
  return {
    "k8s.ovn.org/host-cidrs": JSON.stringify([`${address}/24`]),
    "k8s.ovn.org/l3-gateway-config": JSON.stringify({
      default: {
        ...{ mode: "shared", "bridge-id": "br-ex", "interface-id": `br-ex_${name}` },
        ...{ "mac-address": `52:54:00:00:7e:${hex(index + 11)}`, "ip-addresses": [`${address}/24`] },
        ...{ "ip-address": `${address}/24`, "next-hops": ["192.168.126.1"], "next-hop": "192.168.126.1" },
        ...{ "node-port-enable": "true", "vlan-id": "0" },
      },
    }),
    "k8s.ovn.org/network-ids": '{"default":"0"}',
    "k8s.ovn.org/node-chassis-id": uidOf("chassis", name),
    "k8s.ovn.org/node-encap-ips": JSON.stringify([address]),
    "k8s.ovn.org/node-gateway-router-lrp-ifaddrs": JSON.stringify({
      default: { ipv4: `100.64.0.${index + 2}/16` },
    }),
    "k8s.ovn.org/node-id": String(index + 2),
    "k8s.ovn.org/node-masquerade-subnet": '{"ipv4":"169.254.0.0/17","ipv6":"fd69::/112"}',
    "k8s.ovn.org/node-primary-ifaddr": JSON.stringify({ ipv4: `${address}/24` }),
    "k8s.ovn.org/node-subnets": JSON.stringify({ default: [`10.128.${index}.0/24`] }),
    "k8s.ovn.org/node-transit-switch-port-ifaddr": JSON.stringify({ ipv4: `100.88.0.${index + 2}/16` }),
    "k8s.ovn.org/remote-zone-migrated": name,
    "k8s.ovn.org/zone-name": name,
    "volumes.kubernetes.io/controller-managed-attach-detach": "true",
  };
}

const nodeCondition = (type: string, status: string, reason: string) => ({
  ...{ type, status, reason, message: `kubelet says so of ${type}` },
  ...{ lastHeartbeatTime: "2026-09-15T06:00:11Z", lastTransitionTime: MADE },
});

const nodeStatus = (name: string, address: string) => ({
  addresses: [
    { type: "InternalIP", address },
    { type: "Hostname", address: name },
  ],
  allocatable: { cpu: "7500m", memory: "31Gi", pods: "250" },
  capacity: { cpu: "8", memory: "32Gi", pods: "250" },
  conditions: [
    nodeCondition("MemoryPressure", "False", "KubeletHasSufficientMemory"),
    nodeCondition("Ready", "True", "KubeletReady"),
  ],
  daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
  nodeInfo: {
    ...{ architecture: "amd64", bootID: uidOf("boot", name), machineID: "0".repeat(32) },
    ...{ containerRuntimeVersion: "cri-o://1.31.4", kernelVersion: "5.14.0", operatingSystem: "linux" },
    ...{
      kubeProxyVersion: "",
      kubeletVersion: "v1.31.9",
      osImage: "Linux",
      systemUUID: uidOf("system", name),
    },
  },
});

const hex = (number: number): string => number.toString(16).padStart(2, "0");

const namespace = (name: string, labels: Record<string, string>): KubeObject =>
  dumped(
    "v1",
    "Namespace",
    { name },
    { labels: { ...labels, "kubernetes.io/metadata.name": name } },
    {
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    },
  );

const accountsOf = (namespace: string): KubeObject[] => [
  dumped("v1", "ServiceAccount", { namespace, name: "default" }),
];

function egressIp(
  { name, addresses, selector, nodes }: (typeof EGRESS_IPS)[number],
  index: number,
): KubeObject {
  const items = addresses.map((egressIP, place) => ({ egressIP, node: nodeName(nodes[place] ?? 0) }));
  return dumped(
    "k8s.ovn.org/v1",
    "EgressIP",
    { name },
    {
      generation: 4,
      annotations: { "k8s.ovn.org/egressip-mark": String(50_000 + index) },
    },
    { spec: { egressIPs: addresses, namespaceSelector: { matchLabels: selector } }, status: { items } },
  );
}

const firewall = (namespace: string): KubeObject =>
  dumped(
    "k8s.ovn.org/v1",
    "EgressFirewall",
    { namespace, name: "default" },
    { generation: 1 },
    {
      spec: {
        egress: [
          { type: "Allow", to: { cidrSelector: "192.0.2.0/24" } },
          { type: "Deny", to: { cidrSelector: "0.0.0.0/0" } },
        ],
      },
      status: {
        status: "EgressFirewall Rules applied",
        messages: Array.from(
          { length: NODES },
          (_, index) => `${nodeName(index)}: EgressFirewall Rules applied`,
        ),
      },
    },
  );

const serviceRange = (): KubeObject =>
  dumped(
    "networking.k8s.io/v1",
    "ServiceCIDR",
    { name: "kubernetes" },
    {
      finalizers: ["networking.k8s.io/service-cidr-finalizer"],
    },
    {
      spec: { cidrs: ["172.30.0.0/16"] },
      status: {
        conditions: [
          {
            ...{ type: "Ready", status: "True", reason: "", lastTransitionTime: MADE },
            message: "Kubernetes Service CIDR is ready",
          },
        ],
      },
    },
  );

const kubeadmConfig = (): KubeObject =>
  dumped(
    "v1",
    "ConfigMap",
    { namespace: "kube-system", name: "kubeadm-config" },
    {},
    {
      data: {
        ClusterConfiguration:
          "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nnetworking:\n  podSubnet: 10.128.0.0/14\n  serviceSubnet: 172.30.0.0/16\n",
      },
    },
  );

const lease = (index: number): KubeObject =>
  dumped(
    "coordination.k8s.io/v1",
    "Lease",
    { namespace: "kube-node-lease", name: nodeName(index) },
    {
      ownerReferences: [
        { apiVersion: "v1", kind: "Node", name: nodeName(index), uid: uidOf("Node", nodeName(index)) },
      ],
    },
    {
      spec: {
        holderIdentity: nodeName(index),
        leaseDurationSeconds: 40,
        renewTime: "2026-09-15T06:00:12.000000Z",
      },
    },
  );

/** The kind of its owner is missing from the dump as well. */
const ofOperator = (): KubeObject =>
  dumped(
    "v1",
    "ConfigMap",
    { namespace: "monitoring", name: "rules" },
    {
      ownerReferences: [
        controlledBy({
          ...{
            apiVersion: "operators.coreos.com/v1alpha1",
            kind: "ClusterServiceVersion",
            name: "prometheus.v1",
          },
          uid: uidOf("ClusterServiceVersion", "prometheus.v1"),
        }),
      ],
    },
    { data: { rules: "none" } },
  );

const secret = (): KubeObject =>
  dumped(
    "v1",
    "Secret",
    { namespace: "shop", name: "password" },
    {},
    {
      data: { password: Buffer.from("12 bytes long").toString("base64") },
      type: "Opaque",
    },
  );

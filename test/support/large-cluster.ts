// A made-up cluster as a real API server lists it: every object with the fields that servers and kubelets set.
import type { KubeObject } from "../../src/apimachinery/meta/object-meta.ts";

export interface ClusterSize {
  readonly nodes: number;
  readonly namespaces: number;
  readonly pods: number;
  readonly egressIps: number;
}

const uid = (kind: number, index: number): string =>
  `00000000-0000-4000-800${kind}-${String(index).padStart(12, "0")}`;
const managedFields = (manager: string, fields: object) => [
  {
    manager,
    operation: "Update",
    apiVersion: "v1",
    time: "2026-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: fields,
  },
];
const metadata = (kind: number, index: number, more: object) => ({
  uid: uid(kind, index),
  creationTimestamp: "2026-01-01T00:00:00Z",
  ...more,
});

const nodeName = (index: number): string => `worker-${index}`;
const namespaceName = (index: number): string => `team-${index}`;
/** Of the network 10.0.0.0/16. */
const hostAddress = (index: number): string => `10.0.${index >> 8}.${index & 255}`;

export function* largeCluster(size: ClusterSize): Generator<KubeObject, void, undefined> {
  for (let index = 0; index < size.nodes; index++) yield node(index);
  for (let index = 0; index < size.namespaces; index++) yield namespace(index);
  for (let index = 0; index < size.pods; index++) yield pod(index, size);
  for (let index = 0; index < size.egressIps; index++) yield egressIp(index, size);
}

function node(index: number): KubeObject {
  const name = nodeName(index);
  const address = `${hostAddress(index + 10)}/16`;
  const gateway = {
    mode: "shared",
    "interface-id": `br-ex_${name}`,
    "ip-addresses": [address],
    "next-hops": ["10.0.0.1"],
  };
  return {
    ...{ apiVersion: "v1", kind: "Node" },
    metadata: metadata(1, index, {
      name,
      labels: { "k8s.ovn.org/egress-assignable": "", "kubernetes.io/hostname": name },
      annotations: {
        "k8s.ovn.org/node-primary-ifaddr": JSON.stringify({ ipv4: address }),
        "k8s.ovn.org/host-cidrs": JSON.stringify([address]),
        "k8s.ovn.org/node-subnets": JSON.stringify({
          default: [`10.${128 + (index >> 7)}.${(index & 127) * 2}.0/23`],
        }),
        "k8s.ovn.org/l3-gateway-config": JSON.stringify({ default: gateway }),
      },
      managedFields: managedFields("kubelet", { "f:status": { "f:conditions": {} } }),
    }),
    spec: { providerID: `baremetalhost:///${name}` },
    status: {
      addresses: [{ type: "InternalIP", address: hostAddress(index + 10) }],
      conditions: ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map((type) => ({
        ...{
          type,
          status: type === "Ready" ? "True" : "False",
          reason: "Kubelet",
          message: "kubelet says so",
        },
        ...{ lastHeartbeatTime: "2026-01-01T00:00:00Z", lastTransitionTime: "2026-01-01T00:00:00Z" },
      })),
      images: Array.from({ length: 30 }, (_, image) => ({
        names: [`quay.example.com/images/part-${image}@sha256:${"0".repeat(64)}`],
        sizeBytes: 500_000_000,
      })),
    },
  };
}

const namespace = (index: number): KubeObject => ({
  ...{ apiVersion: "v1", kind: "Namespace" },
  metadata: metadata(2, index, { name: namespaceName(index), labels: { team: `t${index}` } }),
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Active" },
});

function pod(index: number, { nodes, namespaces }: ClusterSize): KubeObject {
  const inside = namespaceName(index % namespaces);
  const name = `web-7d4b9c6f5d-${String(index).padStart(5, "0")}`;
  const at = index % nodes;
  const address = `10.${128 + (at >> 7)}.${(at & 127) * 2}.${10 + Math.floor(index / nodes)}`;
  const labels = { app: "web", tier: `tier-${index % 7}`, "pod-template-hash": "7d4b9c6f5d" };
  const networks = {
    default: { ip_addresses: [`${address}/23`], mac_address: "0a:58:0a:80:00:05", role: "primary" },
  };
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: metadata(3, index, {
      ...{ name, namespace: inside, labels, generateName: "web-7d4b9c6f5d-" },
      annotations: { "k8s.ovn.org/pod-networks": JSON.stringify(networks) },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: "web-7d4b9c6f5d",
          uid: uid(9, index),
          controller: true,
        },
      ],
      managedFields: managedFields("kube-controller-manager", {
        "f:metadata": { "f:labels": { "f:app": {}, "f:tier": {}, "f:pod-template-hash": {} } },
        "f:spec": Object.fromEntries(
          ["containers", "volumes", "dnsPolicy"].map((key) => [`f:${key}`, { ".": {} }]),
        ),
      }),
    }),
    spec: { nodeName: nodeName(at), ...podSpec() },
    status: {
      ...{ phase: "Running", podIP: address, podIPs: [{ ip: address }], hostIP: hostAddress(at + 10) },
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
    },
  };
}

const podSpec = () => ({
  containers: ["web", "sidecar"].map((name) => ({
    ...{ name, image: `quay.example.com/${name}:v1`, imagePullPolicy: "IfNotPresent" },
    env: Array.from({ length: 15 }, (_, index) => ({
      name: `SETTING_${index}`,
      value: `a value of the setting ${index}`,
    })),
    ports: name === "web" ? [{ name: "http", containerPort: 8080, protocol: "TCP" }] : [],
    resources: { requests: { cpu: "100m", memory: "128Mi" } },
    volumeMounts: [
      { name: "token", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true },
    ],
    ...{ terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" },
  })),
  volumes: [{ name: "token", emptyDir: {} }],
  ...{ restartPolicy: "Always", dnsPolicy: "ClusterFirst", schedulerName: "default-scheduler" },
  ...{ terminationGracePeriodSeconds: 30, securityContext: {}, serviceAccountName: "default" },
});

function egressIp(index: number, { nodes, namespaces }: ClusterSize): KubeObject {
  const address = `10.0.${100 + (index >> 8)}.${index & 255}`;
  return {
    ...{ apiVersion: "k8s.ovn.org/v1", kind: "EgressIP" },
    metadata: metadata(4, index, {
      name: `egress-${index}`,
      annotations: { "k8s.ovn.org/egressip-mark": String(50_000 + index) },
    }),
    spec: {
      egressIPs: [address],
      namespaceSelector: { matchLabels: { team: `t${index % namespaces}` } },
      podSelector: { matchLabels: { tier: `tier-${Math.floor(index / namespaces)}` } },
    },
    status: { items: [{ egressIP: address, node: nodeName(index % nodes) }] },
  };
}

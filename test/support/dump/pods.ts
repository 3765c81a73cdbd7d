// Running pods, each on one of the nodes, with an address of that node's subnet.
import type { KubeObject, OwnerReference } from "../../../src/apimachinery/meta/object-meta.ts";
import { dumped, MADE, uidOf } from "./object.ts";

export interface Workload {
  readonly kind: "Deployment" | "ReplicaSet" | "DaemonSet" | "none";
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly port: number;
  /** The number of pods of the workloads before it. */
  readonly first: number;
}

const NODES = 10;

export const podsOf = (workload: Workload): KubeObject[] =>
  Array.from({ length: workload.replicas }, (_, index) => pod(workload, index));

function ownerOf({ kind, namespace, name }: Workload): OwnerReference {
  const owner =
    kind === "DaemonSet"
      ? { kind, name }
      : {
          kind: kind === "none" ? "StatefulSet" : "ReplicaSet",
          name: kind === "none" ? name : `${name}-5d6f`,
        };
  const uid = uidOf(owner.kind, namespace, owner.name);
  return { apiVersion: "apps/v1", ...owner, uid, controller: true, blockOwnerDeletion: true };
}

function pod(workload: Workload, index: number): KubeObject {
  const { namespace, name, port, first } = workload;
  const on = (first + index) % NODES;
  const ip = `10.128.${on}.${10 + first + index}`;
  const gateway = `10.128.${on}.1`;
  const mac = `0a:58:0a:80:${[on, 10 + first + index].map((part) => part.toString(16).padStart(2, "0")).join(":")}`;
  const network = {
    ip_addresses: [`${ip}/24`],
    mac_address: mac,
    gateway_ips: [gateway],
    ip_address: `${ip}/24`,
    gateway_ip: gateway,
    role: "primary",
  };
  return dumped(
    "v1",
    "Pod",
    { namespace, name: `${name}-5d6f-${index}` },
    {
      generateName: `${name}-5d6f-`,
      labels: { app: name, "pod-template-hash": "5d6f" },
      annotations: { "k8s.ovn.org/pod-networks": JSON.stringify({ default: network }) },
      ownerReferences: [ownerOf(workload)],
    },
    {
      spec: {
        containers: [
          {
            ...{ name: "main", image: `registry.example.com/${name}:1`, imagePullPolicy: "IfNotPresent" },
            ports: [{ name: "main", containerPort: port, protocol: "TCP" }],
            ...{ resources: { requests: { cpu: "100m", memory: "64Mi" } } },
            ...{ terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" },
          },
        ],
        ...{ dnsPolicy: "ClusterFirst", enableServiceLinks: true, nodeName: `worker-${on}` },
        ...{ preemptionPolicy: "PreemptLowerPriority", priority: 0, restartPolicy: "Always" },
        ...{ schedulerName: "default-scheduler", securityContext: {}, serviceAccount: "default" },
        ...{ serviceAccountName: "default", terminationGracePeriodSeconds: 30 },
      },
      status: podStatus(name, index, { on, ip }),
    },
  );
}

const podStatus = (name: string, index: number, { on, ip }: { on: number; ip: string }) => ({
  conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
    (type) => ({ type, status: "True", lastProbeTime: null, lastTransitionTime: MADE }),
  ),
  containerStatuses: [
    {
      ...{
        name: "main",
        image: `registry.example.com/${name}:1`,
        imageID: `registry.example.com/${name}@sha256:0`,
      },
      ...{
        containerID: `cri-o://${index}`,
        ready: true,
        started: true,
        restartCount: 0,
        lastState: {},
      },
      state: { running: { startedAt: MADE } },
    },
  ],
  ...{
    hostIP: `192.168.126.${on + 11}`,
    hostIPs: [{ ip: `192.168.126.${on + 11}` }],
    phase: "Running",
  },
  ...{ podIP: ip, podIPs: [{ ip }], qosClass: "Burstable", startTime: MADE },
});

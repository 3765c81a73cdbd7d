// Services with the fields and objects that the controllers of a real cluster create for them.
import { objectAt, textAt } from "../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { dumped, MADE, uidOf } from "./object.ts";

export interface DumpedService {
  readonly namespace: string;
  readonly name: string;
  readonly clusterIP: string;
  readonly port: number;
  readonly targetPort: number;
  readonly nodePort?: number;
}

const TRIGGER = { "endpoints.kubernetes.io/last-change-trigger-time": MADE };

export function serviceObjects(service: DumpedService, pods: readonly KubeObject[]): KubeObject[] {
  const { namespace, name, targetPort } = service;
  const labels = { app: name };
  const chosen = pods.filter(
    ({ metadata }) => metadata.namespace === namespace && metadata.labels?.["app"] === name,
  );
  const targetOf = ({ metadata }: KubeObject) => ({
    ...{ kind: "Pod", name: metadata.name, namespace, uid: metadata.uid },
  });
  const ipOf = (pod: KubeObject) => textAt(objectAt(pod, "status"), "podIP");
  const nodeOf = (pod: KubeObject) => textAt(objectAt(pod, "spec"), "nodeName");
  const owner = { apiVersion: "v1", kind: "Service", name, uid: uidOf("Service", namespace, name) };
  return [
    serviceObject(service),
    dumped(
      "v1",
      "Endpoints",
      { namespace, name },
      {
        annotations: TRIGGER,
        labels: { ...labels, "endpoints.kubernetes.io/managed-by": "endpoint-controller" },
      },
      {
        subsets: [
          {
            addresses: chosen
              .map((pod) => ({ ip: ipOf(pod), nodeName: nodeOf(pod), targetRef: targetOf(pod) }))
              .sort((a, b) => (a.ip < b.ip ? -1 : 1)),
            ports: [{ name: "http", port: targetPort, protocol: "TCP" }],
          },
        ],
      },
    ),
    dumped(
      "discovery.k8s.io/v1",
      "EndpointSlice",
      { namespace, name: `${name}-x7k2p` },
      {
        ...{ annotations: TRIGGER, generateName: `${name}-`, generation: 9 },
        labels: {
          ...labels,
          "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
          "kubernetes.io/service-name": name,
        },
        ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
      },
      {
        addressType: "IPv4",
        endpoints: chosen.map((pod) => ({
          addresses: [ipOf(pod)],
          conditions: { ready: true, serving: true, terminating: false },
          ...{ nodeName: nodeOf(pod), targetRef: targetOf(pod), zone: zoneOf(nodeOf(pod)) },
        })),
        ports: [{ name: "http", port: targetPort, protocol: "TCP" }],
      },
    ),
  ];
}

const zoneOf = (node: string): string => `zone-${Number(node.replace("worker-", "")) % 2 === 0 ? "a" : "b"}`;

function serviceObject({
  namespace,
  name,
  clusterIP,
  port,
  targetPort,
  nodePort,
}: DumpedService): KubeObject {
  const ports = [
    { name: "http", port, protocol: "TCP", targetPort, ...(nodePort === undefined ? {} : { nodePort }) },
  ];
  return dumped(
    "v1",
    "Service",
    { namespace, name },
    { labels: { app: name } },
    {
      spec: {
        ...{ clusterIP, clusterIPs: [clusterIP], internalTrafficPolicy: "Cluster", ipFamilies: ["IPv4"] },
        ...{ ipFamilyPolicy: "SingleStack", ports, selector: { app: name }, sessionAffinity: "None" },
        ...(nodePort === undefined
          ? { type: "ClusterIP" }
          : { externalTrafficPolicy: "Cluster", type: "NodePort" }),
      },
      status: { loadBalancer: {} },
    },
  );
}

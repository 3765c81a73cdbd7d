// Random changes of Services and EgressServices.
import fc from "fast-check";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { colour, NODES, node } from "./arbitrary-words.ts";
import { merge, NAMESPACE, type Resource, type Step } from "./steps.ts";

const service = fc.constantFrom("s", "t", "u");
const nodes = fc.subarray(NODES);
const object = (resource: Resource, created: KubeObject): Step => ({
  do: "create",
  resource,
  object: created,
});
const endpoints = (on: readonly string[]) => on.map((nodeName) => ({ addresses: ["10.128.0.5"], nodeName }));
const selector = fc.oneof(
  fc.constant({}),
  colour.map((value) => ({ nodeSelector: { matchLabels: { colour: value } } })),
  fc.constant({ sourceIPBy: "Network" }),
);
const inNamespace = (name: string) => ({ namespace: NAMESPACE, name });
export const createService = fc.tuple(service, fc.boolean()).chain(([name, local]) =>
  fc.tuple(nodes, selector).map(([on, spec]): Step[] => [
    object("services", {
      apiVersion: "v1",
      kind: "Service",
      metadata: inNamespace(name),
      spec: {
        type: "LoadBalancer",
        externalTrafficPolicy: local ? "Local" : "Cluster",
        ports: [{ port: 80 }],
      },
    }),
    merge("services", name, { status: { loadBalancer: { ingress: [{ ip: "5.6.7.8" }] } } }, "status"),
    object("endpointslices", {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...inNamespace(name), labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      endpoints: endpoints(on),
    }),
    object("egressservices", {
      apiVersion: "k8s.ovn.org/v1",
      kind: "EgressService",
      metadata: inNamespace(name),
      spec,
    }),
  ]),
);
export const changeService = fc.oneof(
  fc
    .tuple(fc.constantFrom<Resource>("services", "endpointslices", "egressservices"), service)
    .map(([resource, name]): Step => ({ do: "delete", resource, name })),
  fc.tuple(service, nodes).map(([name, on]) => merge("endpointslices", name, { endpoints: endpoints(on) })),
  fc.tuple(service, selector).map(([name, spec]) => merge("egressservices", name, { spec })),
  fc
    .tuple(service, fc.oneof(node, fc.constant("nowhere")))
    .map(([name, host]) => merge("egressservices", name, { status: { host } }, "status")),
);

const onHosts = (on: readonly string[]) => on.map((nodeName) => ({ addresses: ["192.168.1.5"], nodeName }));
const NOT_UNDERSTOOD = { matchExpressions: [{ key: "colour", operator: "Near", values: ["red"] }] };

/** Removes a condition of a host, or restores it. */
export const spoilService: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(service, fc.constantFrom([], [{ ip: "5.6.7.8" }]))
    .map(([name, ingress]) => merge("services", name, { status: { loadBalancer: { ingress } } }, "status")),
  fc.tuple(service, nodes).map(([name, on]) => merge("endpointslices", name, { endpoints: onHosts(on) })),
  service.map((name) => merge("egressservices", name, { spec: { nodeSelector: NOT_UNDERSTOOD } })),
  node.map((name) => merge("nodes", name, { metadata: { annotations: { "egret.dev/reachable": "false" } } })),
);

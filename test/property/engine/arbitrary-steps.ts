// Sequences of steps, drawn at random. Names and addresses are few, so that they meet.
import fc from "fast-check";
import type { KubeObject } from "../../../src/meta/object-meta.ts";
import { DISTURBANCES, NAMESPACE, type Resource, type Step, type Story } from "./steps.ts";

const ASSIGNABLE = "k8s.ovn.org/egress-assignable";
const REACHABLE = "egret.dev/reachable";
const BROKEN = "broken";
/** On a node about which the cloud refuses everything. */
export const CLOUD_ERROR = "egret.dev/cloud-error";

const node = fc.constantFrom("n1", "n2", "n3", "n4");
const egressIp = fc.constantFrom("a", "b", "c", "d");
const service = fc.constantFrom("s", "t", "u");
const address = fc.constantFrom(
  "10.0.0.5",
  "10.0.0.6",
  "10.0.0.7",
  "10.0.1.5",
  "10.9.0.5",
  "10.9.0.6",
  "fd00::5",
  "FD00:0::5",
  "8.8.8.8",
);
const addresses = fc.array(address, { maxLength: 4 });
const primary = fc.constantFrom("10.0.0.1/24", "10.0.0.2/24", "10.0.1.1/24");
const hosts = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom(
      '["10.0.0.1/24"]',
      '["10.9.0.1/24"]',
      '["10.9.0.5/24","fd00::1/64"]',
      "[]",
      '["fd00::2/64"]',
    ),
  },
  { weight: 1, arbitrary: fc.constant(BROKEN) },
);
const colour = fc.constantFrom("red", "blue");
const limit = fc.constantFrom({}, { ipv4: 1 }, { ip: 2 }, { ipv4: 9, ipv6: 2 });
const nodes = fc.subarray(["n1", "n2", "n3", "n4"]);

const merge = (resource: Resource, name: string, body: unknown, subresource?: "status"): Step => ({
  do: "merge",
  resource,
  name,
  body,
  ...(subresource ? { subresource } : {}),
});
const annotate = (name: string, annotations: Record<string, string | null>): Step =>
  merge("nodes", name, { metadata: { annotations } });

const createNode = fc
  .record({ name: node, ipv4: primary, cidrs: hosts, colour, capacity: limit, label: fc.boolean() })
  .map(
    ({ name, ipv4, cidrs, colour: is, capacity, label }): Step => ({
      do: "create",
      resource: "nodes",
      object: {
        apiVersion: "v1",
        kind: "Node",
        metadata: {
          name,
          labels: { "kubernetes.io/hostname": name, colour: is, ...(label ? { [ASSIGNABLE]: "" } : {}) },
          annotations: {
            "k8s.ovn.org/node-primary-ifaddr": JSON.stringify({ ipv4 }),
            "k8s.ovn.org/host-cidrs": cidrs,
            "cloud.network.openshift.io/egress-ipconfig": JSON.stringify([
              { interface: "eni-0", ifaddr: { ipv4: ipv4.replace(/\d+\/24$/, "0/24") }, capacity },
            ]),
          },
        },
        status: { conditions: [{ type: "Ready", status: "True" }] },
      },
    }),
  );

const changeNode = fc.oneof(
  node.map((name): Step => ({ do: "delete", resource: "nodes", name })),
  fc
    .tuple(node, fc.constantFrom(null, "", "x"))
    .map(([name, value]) => merge("nodes", name, { metadata: { labels: { [ASSIGNABLE]: value } } })),
  fc
    .tuple(node, fc.constantFrom("True", "False"))
    .map(([name, status]) =>
      merge("nodes", name, { status: { conditions: [{ type: "Ready", status }] } }, "status"),
    ),
  fc.tuple(node, hosts).map(([name, cidrs]) => annotate(name, { "k8s.ovn.org/host-cidrs": cidrs })),
  fc
    .tuple(node, fc.oneof(primary, fc.constant("")))
    .map(([name, ipv4]) => annotate(name, { "k8s.ovn.org/node-primary-ifaddr": JSON.stringify({ ipv4 }) })),
  fc
    .tuple(node, fc.constantFrom("false", null))
    .map(([name, value]) => annotate(name, { [REACHABLE]: value })),
  fc
    .tuple(node, colour)
    .map(([name, value]) => merge("nodes", name, { metadata: { labels: { colour: value } } })),
);

const createEgressIp = fc.tuple(egressIp, addresses).map(
  ([name, egressIPs]): Step => ({
    do: "create",
    resource: "egressips",
    object: {
      apiVersion: "k8s.ovn.org/v1",
      kind: "EgressIP",
      metadata: { name },
      spec: { egressIPs, namespaceSelector: {} },
    },
  }),
);
const items = fc.array(fc.record({ egressIP: address, node: fc.oneof(node, fc.constant("nowhere")) }), {
  maxLength: 3,
});
const changeEgressIp = fc.oneof(
  egressIp.map((name): Step => ({ do: "delete", resource: "egressips", name })),
  fc.tuple(egressIp, addresses).map(([name, egressIPs]) => merge("egressips", name, { spec: { egressIPs } })),
  egressIp.map((name) => merge("egressips", name, { spec: { egressIPs: ["10.0.0.5/24"] } })),
);
const writeStatus = fc
  .tuple(egressIp, items)
  .map(([name, written]) => merge("egressips", name, { status: { items: written } }));

const endpoints = (on: readonly string[]) => on.map((nodeName) => ({ addresses: ["10.128.0.5"], nodeName }));
const selector = fc.oneof(
  fc.constant({}),
  colour.map((value) => ({ nodeSelector: { matchLabels: { colour: value } } })),
  fc.constant({ sourceIPBy: "Network" }),
);
const inNamespace = (name: string) => ({ namespace: NAMESPACE, name });
const createService = fc.tuple(service, fc.boolean()).chain(([name, local]) =>
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
const changeService = fc.oneof(
  fc
    .tuple(fc.constantFrom<Resource>("services", "endpointslices", "egressservices"), service)
    .map(([resource, name]): Step => ({ do: "delete", resource, name })),
  fc.tuple(service, nodes).map(([name, on]) => merge("endpointslices", name, { endpoints: endpoints(on) })),
  fc.tuple(service, selector).map(([name, spec]) => merge("egressservices", name, { spec })),
  fc
    .tuple(service, fc.oneof(node, fc.constant("nowhere")))
    .map(([name, host]) => merge("egressservices", name, { status: { host } }, "status")),
);

const disturb = fc.oneof(
  fc.constantFrom(...DISTURBANCES).map((what): Step => ({ do: what })),
  fc
    .constantFrom<Resource>("nodes", "egressips", "endpointslices", "egressservices", "cloudprivateipconfigs")
    .map((resource): Step => ({ do: "hold", resource })),
);

const object = (resource: Resource, created: KubeObject): Step => ({
  do: "create",
  resource,
  object: created,
});

const one = (step: fc.Arbitrary<Step>): fc.Arbitrary<Step[]> => step.map((item) => [item]);

function sequence(...parts: readonly { weight: number; arbitrary: fc.Arbitrary<Step[]> }[]) {
  const common = [
    { weight: 5, arbitrary: one(createNode) },
    { weight: 5, arbitrary: one(changeNode) },
    { weight: 4, arbitrary: one(createEgressIp) },
    { weight: 4, arbitrary: one(changeEgressIp) },
    { weight: 4, arbitrary: one(disturb) },
  ];
  return fc
    .array(fc.oneof(...common, ...parts), { minLength: 5, maxLength: 40, size: "max" })
    .map((found) => found.flat());
}

const changeCloud = fc.oneof(
  fc
    .constantFrom("10.0.0.5", "10.0.0.6", "10.0.1.5")
    .map((name): Step => ({ do: "delete", resource: "cloudprivateipconfigs", name })),
  fc
    .tuple(node, fc.constantFrom("1500", null))
    .map(([name, latency]) => annotate(name, { "egret.dev/cloud-latency-ms": latency })),
  fc
    .tuple(node, fc.constantFrom("no", null))
    .map(([name, error]) => annotate(name, { [CLOUD_ERROR]: error })),
);

/** Off the cloud there are EgressServices as well; on it the statuses are the cloud's, and nobody else writes them. */
export const stories: fc.Arbitrary<Story> = fc.oneof(
  {
    weight: 3,
    arbitrary: sequence(
      { weight: 2, arbitrary: one(writeStatus) },
      { weight: 3, arbitrary: createService },
      { weight: 3, arbitrary: one(changeService) },
    ).map((steps) => ({ cloud: false, steps })),
  },
  {
    weight: 2,
    arbitrary: sequence({ weight: 4, arbitrary: one(changeCloud) }).map((steps) => ({ cloud: true, steps })),
  },
);

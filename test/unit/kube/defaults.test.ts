import { describe, expect, it } from "vitest";
import { type JsonObject, objectAt } from "../../../src/apimachinery/json/json.ts";
import { CONTEXT, create, decode, definitionOf, lines, update, validBody } from "./passage.ts";

const body = (kind: string, members: JsonObject, metadata: JsonObject = { name: "a" }): JsonObject => {
  const definition = definitionOf(kind);
  const apiVersion = definition.group ? `${definition.group}/v1` : "v1";
  return { apiVersion, kind: definition.kind, metadata, ...members };
};

const created = (kind: string, members: JsonObject): JsonObject =>
  create(definitionOf(kind), body(kind, members)).object;

describe("a new Namespace", () => {
  it("is Active, holds its content and carries its name as a label", () => {
    const { object } = create(
      definitionOf("Namespace"),
      body("Namespace", { status: { phase: "Terminating" } }),
    );
    expect(object).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "a" } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  });

  it("gets the label also when its name was generated", () => {
    const definition = definitionOf("Namespace");
    const object = decode(definition, body("Namespace", {}, { generateName: "a-" }));
    expect(object.metadata.labels).toBeUndefined();
    object.metadata.name = "a-bcdfg";
    definition.strategy.prepareForCreate?.(object, CONTEXT);
    expect(object.metadata.labels).toEqual({ "kubernetes.io/metadata.name": "a-bcdfg" });
  });
});

describe("a new Node", () => {
  it("has an empty status", () => {
    expect(created("Node", {})).toMatchObject({
      status: { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: { machineID: "", osImage: "" } },
    });
  });

  it("keeps the status it came with; what it has may all be used", () => {
    const { status } = created("Node", { status: { capacity: { cpu: 4, memory: "1024Ki" } } });
    expect(status).toMatchObject({
      capacity: { cpu: "4", memory: "1Mi" },
      allocatable: { cpu: "4", memory: "1Mi" },
    });
  });

  it.each([
    [{ podCIDR: "10.0.0.0/24" }, { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] }],
    [{ podCIDRs: ["10.0.0.0/24"] }, { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] }],
    [
      { podCIDR: "10.0.1.0/24", podCIDRs: ["10.0.0.0/24", "fd00::/64"] },
      { podCIDR: "10.0.1.0/24", podCIDRs: ["10.0.1.0/24"] },
    ],
  ])("agrees on its pod networks: %j", (spec, expected) => {
    expect(created("Node", { spec })["spec"]).toMatchObject(expected);
  });
});

describe("a new Service", () => {
  const PORT = { port: 80, protocol: "TCP", targetPort: 80 };
  const CLUSTER = { sessionAffinity: "None", internalTrafficPolicy: "Cluster" };
  const SINGLE = { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" };
  const BOTH = { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" };
  const IPV4: unknown = expect.stringMatching(/^10\.96\./);

  it.each<[string, JsonObject, JsonObject]>([
    [
      "a cluster IP is repeated",
      { clusterIP: "10.96.7.7", ports: [{ port: 80 }] },
      {
        type: "ClusterIP",
        clusterIP: "10.96.7.7",
        clusterIPs: ["10.96.7.7"],
        ports: [PORT],
        ...CLUSTER,
        ...SINGLE,
      },
    ],
    [
      "an IPv6 address decides the family",
      { clusterIP: "fd00::7", ports: [{ port: 80 }] },
      {
        type: "ClusterIP",
        clusterIP: "fd00::7",
        clusterIPs: ["fd00::7"],
        ports: [PORT],
        ...CLUSTER,
        ipFamilies: ["IPv6"],
        ipFamilyPolicy: "SingleStack",
      },
    ],
    [
      "a headless one with a selector has one family",
      { clusterIP: "None", selector: { a: "b" } },
      {
        type: "ClusterIP",
        clusterIP: "None",
        clusterIPs: ["None"],
        selector: { a: "b" },
        ...CLUSTER,
        ...SINGLE,
      },
    ],
    [
      "a headless one without a selector has both",
      { clusterIP: "None" },
      { type: "ClusterIP", clusterIP: "None", clusterIPs: ["None"], ...CLUSTER, ...BOTH },
    ],
    [
      "PreferDualStack asks for both",
      { ipFamilyPolicy: "PreferDualStack", ports: [{ port: 80 }] },
      {
        type: "ClusterIP",
        clusterIP: IPV4,
        clusterIPs: [IPV4, expect.stringMatching(/^fd00:10:96::/)],
        ports: [PORT],
        ...CLUSTER,
        ipFamilies: ["IPv4", "IPv6"],
        ipFamilyPolicy: "PreferDualStack",
      },
    ],
    [
      "an external name has no address",
      { type: "ExternalName", externalName: "x.example.com" },
      { type: "ExternalName", externalName: "x.example.com", sessionAffinity: "None" },
    ],
    [
      "affinity lasts three hours",
      { clusterIP: "None", selector: { a: "b" }, sessionAffinity: "ClientIP" },
      {
        type: "ClusterIP",
        clusterIP: "None",
        clusterIPs: ["None"],
        selector: { a: "b" },
        sessionAffinity: "ClientIP",
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
        internalTrafficPolicy: "Cluster",
        ...SINGLE,
      },
    ],
    [
      "target ports 0 and empty are the port",
      {
        clusterIP: "None",
        selector: { a: "b" },
        ports: [
          { name: "a", port: 80, targetPort: 0 },
          { name: "b", port: 81, targetPort: "" },
          { name: "c", port: 82, targetPort: "web" },
        ],
      },
      {
        type: "ClusterIP",
        clusterIP: "None",
        clusterIPs: ["None"],
        selector: { a: "b" },
        ports: [
          { name: "a", port: 80, protocol: "TCP", targetPort: 80 },
          { name: "b", port: 81, protocol: "TCP", targetPort: 81 },
          { name: "c", port: 82, protocol: "TCP", targetPort: "web" },
        ],
        ...CLUSTER,
        ...SINGLE,
      },
    ],
    [
      "a load balancer gets node ports and takes traffic anywhere",
      { type: "LoadBalancer", ports: [{ port: 80 }] },
      {
        type: "LoadBalancer",
        clusterIP: IPV4,
        clusterIPs: [IPV4],
        ports: [{ ...PORT, nodePort: expect.any(Number) }],
        allocateLoadBalancerNodePorts: true,
        externalTrafficPolicy: "Cluster",
        ...CLUSTER,
        ...SINGLE,
      },
    ],
  ])("%s", (_name, spec, expected) => {
    const service = created("Service", { spec });
    expect(service["spec"]).toEqual(expected);
    expect(service["status"]).toEqual({ loadBalancer: {} });
  });

  it("warns of what a headless one ignores", () => {
    const spec = { clusterIP: "None", sessionAffinity: "ClientIP", externalIPs: ["9.9.9.9"] };
    const { object } = create(definitionOf("Service"), body("Service", { spec }));
    expect(definitionOf("Service").strategy.warnings?.(object, undefined)).toEqual([
      "spec.externalIPs is ignored for headless services",
      "spec.SessionAffinity is ignored for headless services",
    ]);
  });
});

describe("a new Secret", () => {
  it("is Opaque, and stringData becomes data", () => {
    expect(created("Secret", { data: { a: "AAEC", b: "AAEC" }, stringData: { b: "plain" } })).toMatchObject({
      type: "Opaque",
      data: { a: "AAEC", b: "cGxhaW4=" },
    });
    expect(created("Secret", { stringData: { a: "x" } })).not.toHaveProperty("stringData");
  });
});

describe("a new EndpointSlice", () => {
  it("names its ports and has null for lists without items", () => {
    expect(
      created("discovery.k8s.io/EndpointSlice", { addressType: "IPv4", ports: [{ port: 80 }] }),
    ).toMatchObject({
      endpoints: null,
      ports: [{ name: "", port: 80, protocol: "TCP" }],
    });
    expect(
      created("discovery.k8s.io/EndpointSlice", { addressType: "IPv4", endpoints: [], ports: [] }),
    ).toMatchObject({
      endpoints: null,
      ports: null,
    });
  });
});

describe("new Endpoints", () => {
  it("speak TCP, and lose empty subsets", () => {
    const subsets = [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }];
    expect(created("Endpoints", { subsets })["subsets"]).toEqual([
      { addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80, protocol: "TCP" }] },
    ]);
    expect(created("Endpoints", { subsets: [] })).not.toHaveProperty("subsets");
  });
});

describe("a new Event", () => {
  it("shows its times although there are none", () => {
    const event = created("Event", { involvedObject: { kind: "Node", name: "n" } });
    expect(event).toMatchObject({
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: "",
      reportingInstance: "",
      source: {},
    });
  });
});

describe("a new CustomResourceDefinition", () => {
  const definition = definitionOf("apiextensions.k8s.io/CustomResourceDefinition");

  it("gets the names that follow from its kind, no conversion, and its storage version in the status", () => {
    const { object } = create(definition, validBody(definition));
    expect(object).toMatchObject({
      spec: {
        names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
        conversion: { strategy: "None" },
      },
      status: { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] },
    });
    expect(object["spec"]).not.toHaveProperty("preserveUnknownFields");
  });

  it("reaches its webhook at port 443", () => {
    const given = validBody(definition);
    Object.assign(objectAt(given, "spec") ?? {}, {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { name: "s", namespace: "n" } },
          conversionReviewVersions: ["v1"],
        },
      },
    });
    expect(create(definition, given).object).toMatchObject({
      spec: { conversion: { webhook: { clientConfig: { service: { port: 443 } } } } },
    });
  });
});

describe("decoding", () => {
  it.each(["Pod", "Service", "Node", "Namespace", "Secret", "Event", "discovery.k8s.io/EndpointSlice"])(
    "a %s that was decoded once is not changed by decoding it again",
    (kind) => {
      const definition = definitionOf(kind);
      const once = decode(definition, validBody(definition));
      expect(decode(definition, once)).toEqual(once);
    },
  );

  it.each([
    "Pod",
    "Service",
    "Node",
    "Namespace",
    "discovery.k8s.io/EndpointSlice",
    "coordination.k8s.io/Lease",
  ])("a %s that is sent back as it was answered stays as it is", (kind) => {
    const definition = definitionOf(kind);
    const { object: before } = create(definition, validBody(definition));
    const { object, errors } = update(definition, { before, body: before });
    expect(lines(errors)).toEqual([]);
    expect(object).toEqual(before);
  });
});

// src/ovn/rules.md R4 to R10 and R45 to R69: networks, routes, Services.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { egressIp, namespace, node, object, pod, told, traced, world } from "../world.ts";

const EXT = "8.8.8.8";
const UDN = { "k8s.ovn.org/primary-user-defined-network": "" };
const network = (
  ns: string,
  name: string,
  config: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): KubeObject =>
  object(
    "NetworkAttachmentDefinition",
    { name: "net", namespace: ns, ...more },
    {
      spec: {
        config: JSON.stringify({
          type: "ovn-k8s-cni-overlay",
          role: "primary",
          topology: "layer3",
          subnets: "20.128.0.0/16/24",
          ...config,
          name,
        }),
      },
    },
  );
const podIn = (ns: string, ip: string, name = "p"): KubeObject =>
  pod({
    name,
    namespace: ns,
    annotations: {
      "k8s.ovn.org/pod-networks": JSON.stringify({
        [`${ns}/net`]: { ip_addresses: [`${ip}/24`], role: "primary" },
      }),
    },
  });
const ofOwner = (name: string) => ({
  labels: { net: name },
  ownerReferences: [
    { apiVersion: "k8s.ovn.org/v1", kind: "ClusterUserDefinedNetwork", name, uid: "u", controller: true },
  ],
});

describe("networks of their own", () => {
  const two = [
    namespace("ns", UDN),
    namespace("b", UDN),
    network("ns", "one", {}, ofOwner("one")),
    network("b", "two", { subnets: "30.128.0.0/16" }, ofOwner("two")),
    podIn("ns", "20.128.0.5"),
    podIn("b", "30.128.0.5", "q"),
  ];
  const selector = {
    networkSelectionType: "ClusterUserDefinedNetworks",
    clusterUserDefinedNetworkSelector: { networkSelector: {} },
  };
  const accepted = { status: { conditions: [{ type: "Accepted", status: "True" }] } };

  test("are isolated from each other and from the cluster's", () => {
    expect(told(traced(world(...two), "30.128.0.5"))).toEqual(["dropped"]);
    expect(told(traced(world(...two), "10.128.9.9"))).toEqual(["dropped"]);
  });

  test("reach each other where a ClusterNetworkConnect joins them", () => {
    const connect = object(
      "ClusterNetworkConnect",
      { name: "c" },
      { spec: { networkSelectors: [selector], connectivity: ["PodNetwork"] }, ...accepted },
    );
    expect(told(traced(world(...two, connect), "30.128.0.5"))).toEqual(["allowed 20.128.0.5 n1"]);
  });

  test("that are advertised keep the pod's address, are isolated in strict mode, and do not reach their own node", () => {
    const advertised = object(
      "RouteAdvertisements",
      { name: "ra" },
      { spec: { advertisements: ["PodNetwork"], networkSelectors: [selector] }, ...accepted },
    );
    const objects = world(...two, advertised);
    expect(told(traced(objects, EXT))).toEqual(["allowed 20.128.0.5 n1"]);
    expect(told(traced(objects, "192.168.126.12"))).toEqual(["unreachable"]);
    expect(told(traced(objects, "192.168.126.51"))).toEqual(["allowed 192.168.126.12 n1"]);
    expect(told(traced(objects, "30.128.0.5"))).toEqual(["dropped"]);
    expect(told(traced(objects, "30.128.0.5", { facts: { advertisedIsolation: "loose" } }))).toEqual([
      "allowed 20.128.0.5 n1",
    ]);
    const eip = egressIp("eip", ["192.168.126.101@n1"], {}, { "k8s.ovn.org/egressip-mark": "50000" });
    expect(told(traced([...objects, eip], EXT))).toEqual(["allowed 192.168.126.101 n1"]);
  });

  test("use no EgressIP without a mark, and none on a secondary interface", () => {
    const one = [namespace("ns", UDN), network("ns", "one"), podIn("ns", "20.128.0.5")];
    const trace = traced(world(...one, egressIp("eip", ["192.168.126.101@n2"])), EXT);
    expect(told(trace)).toEqual(["allowed 192.168.126.12 n1"]);
    expect(trace.warnings).toEqual(["egressip eip object must contain a mark for user defined networks"]);
  });

  test("without an overlay and without SNAT pods keep their address", () => {
    const bare = [
      namespace("ns", UDN),
      network("ns", "one", { transport: "no-overlay", outboundSNAT: "disabled" }),
      podIn("ns", "20.128.0.5"),
    ];
    expect(told(traced(world(...bare), EXT))).toEqual(["allowed 20.128.0.5 n1"]);
    const snat = [
      namespace("ns", UDN),
      network("ns", "one", { transport: "no-overlay", outboundSNAT: "enabled" }),
      podIn("ns", "20.128.0.5"),
    ];
    expect(told(traced(world(...snat), EXT))).toEqual(["allowed 192.168.126.12 n1"]);
  });
});

describe("the way out", () => {
  const route = object(
    "AdminPolicyBasedExternalRoute",
    { name: "r" },
    { spec: { from: { namespaceSelector: {} }, nextHops: { static: [{ ip: "9.0.0.1" }] } } },
  );
  const local = { facts: { gatewayMode: "local" } } as const;
  const service = (host: string, spec = {}) => [
    object(
      "Service",
      { name: "svc", namespace: "ns" },
      {
        spec: { clusterIP: "10.96.0.9" },
        status: { loadBalancer: { ingress: [{ ip: "5.5.5.5" }, { ip: "5.5.5.6" }] } },
      },
    ),
    object(
      "EndpointSlice",
      { name: "s", namespace: "ns", labels: { "kubernetes.io/service-name": "svc" } },
      { endpoints: [{ addresses: ["10.128.1.3"], nodeName: "n1" }] },
    ),
    object("EgressService", { name: "svc", namespace: "ns" }, { spec, status: { host } }),
  ];

  test("external gateways go before everything in local mode, and after EgressIPs in shared mode", () => {
    const remote = egressIp("eip", ["192.168.126.101@n2"]);
    expect(traced(world(route, remote), EXT, local).outcomes[0]).toMatchObject({
      source: "192.168.126.12",
      nextHop: "9.0.0.1",
    });
    expect(traced(world(route, remote), EXT).outcomes[0]).toMatchObject({
      source: "192.168.126.101",
      node: "n2",
      likely: true,
    });
    const own = traced(world(route, egressIp("eip", ["192.168.126.101@n1"])), EXT);
    expect(own.outcomes[0]).toMatchObject({
      source: "192.168.126.101",
      node: "n1",
      nextHop: "9.0.0.1",
      likely: true,
    });
    expect(own.warnings.join()).toMatch(/unsupported combination/);
    const bare = traced(world(route, egressIp("eip", ["192.168.126.101@n1"])), EXT, {
      facts: { disableSnatMultipleGateways: true },
    });
    expect(bare.outcomes[0]).toMatchObject({ source: "10.128.1.3", nextHop: "9.0.0.1" });
  });

  test("a gateway of the other family is none", () => {
    const objects = world(
      node("n1", ["192.168.126.12/24", "fc00::12/64"]),
      pod({ ips: ["10.128.1.3", "fd01::3"] }),
      route,
    );
    const trace = traced(objects, "2001:4860:4860::8888");
    expect(told(trace)).toEqual(["allowed fc00::12 n1"]);
    expect(trace.warnings.join()).toMatch(/no valid routes exist/);
  });

  test("an EgressService gives the last address of its Service", () => {
    expect(told(traced(world(...service("n2")), EXT))).toEqual(["allowed 5.5.5.6 n2"]);
    expect(told(traced(world(...service("n2")), "192.168.126.51"))).toEqual(["allowed 192.168.126.12 n1"]);
  });

  test("an EgressService by Network holds in local mode alone", () => {
    expect(
      traced(world(...service("ALL", { sourceIPBy: "Network", network: "blue" })), EXT, {
        facts: { gatewayMode: "local", tables: { blue: "172.16.0.9" } },
      }).outcomes[0],
    ).toMatchObject({ source: "172.16.0.9", node: "n1" });
    const shared = traced(world(...service("ALL", { sourceIPBy: "Network" })), EXT);
    expect(told(shared)).toEqual(["allowed 192.168.126.12 n1"]);
    expect(shared.warnings.join()).toMatch(/not supported on Shared gateway mode/);
  });

  test("two EgressServices over one pod are undefined", () => {
    const other = service("n1").map((one) => ({
      ...one,
      metadata: {
        ...one.metadata,
        name: `${one.metadata.name}2`,
        labels: { "kubernetes.io/service-name": "svc2" },
      },
    }));
    const trace = traced(world(...service("n2"), ...other), EXT);
    expect(told(trace)).toEqual(["allowed 5.5.5.6 n1", "allowed 5.5.5.6 n2"]);
    expect(trace.ambiguities.join()).toMatch(/which one serves it is undefined/);
  });

  test("several EgressIPs of which one is elsewhere may leave with the egress node's own address", () => {
    const trace = traced(
      world(egressIp("a", ["192.168.126.101@n1"]), egressIp("b", ["192.168.126.102@n2"])),
      EXT,
    );
    expect(told(trace)).toEqual([
      "allowed 192.168.126.101 n1",
      "allowed 192.168.126.102 n2",
      "allowed 192.168.126.51 n2",
    ]);
    expect(trace.outcomes.find(({ source }) => source === "192.168.126.51")?.likely).toBe(true);
  });

  test("a serving EgressIP of one family keeps one of the other family from the pod", () => {
    const objects = world(
      node("n1", ["192.168.126.12/24", "fc00::12/64"]),
      pod({ ips: ["10.128.1.3", "fd01::3"] }),
      egressIp("four", ["192.168.126.101@n1"]),
      egressIp("six", ["fc00::99@n1"]),
    );
    expect(told(traced(objects, "2001:4860:4860::8888"))).toEqual([
      "allowed fc00::12 n1",
      "allowed fc00::99 n1",
    ]);
  });

  test("an address without an interface is dropped", () => {
    expect(told(traced(world(egressIp("eip", ["10.77.0.1@n1"])), EXT))).toEqual(["dropped EgressIP"]);
  });

  test("is told in one sentence", () => {
    const shared = "pod ns/p to 8.8.8.8: allowed, with source 192.168.126.12 from n1";
    expect(traced(world(), EXT).summary).toBe(`${shared} by br-ex to 192.168.126.1`);
    expect(traced(world(), EXT, local).summary).toBe(`${shared} by the host's routes`);
  });

  test("without a next hop nothing leaves in shared mode", () => {
    const bare = node("n1", ["192.168.126.12/24"], {
      gateway: { mode: "shared", "ip-address": "192.168.126.12/24", "next-hop": "" },
    });
    expect(told(traced(world(bare), EXT))).toEqual(["unreachable"]);
    expect(told(traced(world(bare), EXT, local))).toEqual(["allowed 192.168.126.12 n1"]);
  });

  test("a family that the pod or the node lacks", () => {
    expect(told(traced(world(), "2001:4860:4860::8888"))).toEqual(["unreachable"]);
    expect(
      told(
        traced(
          world(
            pod({ ips: ["10.128.1.3", "fd01::3"] }),
            node("n1", ["192.168.126.12/24"], { gateway: { "next-hops": ["fc00::1"] } }),
          ),
          "2001:4860:4860::8888",
        ),
      ),
    ).toEqual(["dropped"]);
  });
});

describe("Services", () => {
  const service = (spec: Record<string, unknown>) =>
    object(
      "Service",
      { name: "web", namespace: "ns" },
      { spec: { clusterIP: "10.96.0.10", ports: [{ port: 80, protocol: "TCP", nodePort: 30080 }], ...spec } },
    );
  const slice = (...endpoints: Record<string, unknown>[]) =>
    object(
      "EndpointSlice",
      { name: "s", namespace: "ns", labels: { "kubernetes.io/service-name": "web" } },
      { ports: [{ name: "", port: 8080 }], endpoints },
    );
  const at = (ip: string, nodeName: string, conditions: Record<string, boolean> = { ready: true }) => ({
    addresses: [ip],
    nodeName,
    conditions,
  });

  test("become each of their ready endpoints", () => {
    const trace = traced(
      world(
        service({}),
        slice(at("10.128.1.8", "n1"), at("10.128.2.8", "n2"), at("10.128.2.9", "n2", { ready: false })),
      ),
      "10.96.0.10:80",
    );
    expect(trace.outcomes.map(({ destination }) => destination)).toEqual([
      { address: "10.128.1.8", port: 8080, protocol: "tcp" },
      { address: "10.128.2.8", port: 8080, protocol: "tcp" },
    ]);
  });

  test("without endpoints, or without one on the node where that is asked for, refuse", () => {
    expect(told(traced(world(service({})), "10.96.0.10:80"))).toEqual(["rejected Service"]);
    expect(
      told(
        traced(
          world(service({ internalTrafficPolicy: "Local" }), slice(at("10.128.2.8", "n2"))),
          "10.96.0.10:80",
        ),
      ),
    ).toEqual(["rejected Service"]);
  });

  test("that end serve on where none is ready", () => {
    const trace = traced(
      world(service({}), slice(at("10.128.2.8", "n2", { ready: false, serving: true, terminating: true }))),
      "svc/ns/web",
    );
    expect(trace.outcomes.map(({ destination }) => destination.address)).toEqual(["10.128.2.8"]);
  });

  test("by a node port of the own node, and not of another one", () => {
    const objects = world(service({}), slice(at("10.128.2.8", "n2")));
    expect(traced(objects, "192.168.126.12:30080").outcomes[0]?.destination.address).toBe("10.128.2.8");
    expect(traced(objects, "192.168.126.51:30080").outcomes[0]?.destination.address).toBe("192.168.126.51");
  });

  test("with another port are nobody's", () => {
    const trace = traced(world(service({}), slice()), "10.96.0.10:81");
    expect(trace.warnings.join()).toMatch(/no load balancer takes it/);
  });
});

// src/ovn/rules.md R20 to R43: policies, firewall and DSCP.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { DENY_ALL, firewall, namespace, node, object, pod, told, traced, world } from "../world.ts";

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
const policy = (name: string, spec: Record<string, unknown>, ns = "ns"): KubeObject =>
  object("NetworkPolicy", { name, namespace: ns }, { spec });
describe("NetworkPolicies", () => {
  const to = (peers: unknown[], ports?: unknown[]) =>
    policy("p", {
      podSelector: {},
      policyTypes: ["Egress"],
      egress: [{ to: peers, ...(ports ? { ports } : {}) }],
    });
  const q = pod({ name: "q", node: "n2", ips: ["10.128.2.7"], labels: { app: "q" } });

  test.each<[string, KubeObject, string, string]>([
    ["a block", to([{ ipBlock: { cidr: "8.0.0.0/8" } }]), EXT, "allowed 192.168.126.12 n1"],
    [
      "what is taken from a block",
      to([{ ipBlock: { cidr: "8.0.0.0/8", except: ["8.8.0.0/16"] } }]),
      EXT,
      "denied NetworkPolicy",
    ],
    [
      "pods of the namespace",
      to([{ podSelector: { matchLabels: { app: "q" } } }]),
      "10.128.2.7",
      "allowed 10.128.1.3 n2",
    ],
    [
      "other pods",
      to([{ podSelector: { matchLabels: { app: "z" } } }]),
      "10.128.2.7",
      "denied NetworkPolicy",
    ],
    [
      "pods of other namespaces alone",
      to([{ namespaceSelector: { matchLabels: { x: "y" } } }]),
      "10.128.2.7",
      "denied NetworkPolicy",
    ],
    ["a port", to([], [{ port: 443, protocol: "TCP" }]), `${EXT}:443`, "allowed 192.168.126.12 n1"],
    ["another port", to([], [{ port: 443, protocol: "TCP" }]), `${EXT}:80`, "denied NetworkPolicy"],
    ["a range of ports", to([], [{ port: 400, endPort: 500 }]), `${EXT}:443`, "allowed 192.168.126.12 n1"],
    [
      "a name holds every port of its protocol",
      to([], [{ port: "https", protocol: "TCP" }]),
      `${EXT}:5`,
      "allowed 192.168.126.12 n1",
    ],
    [
      "a port narrows an entry for the whole protocol",
      to([], [{ port: 80, protocol: "TCP" }, { protocol: "TCP" }]),
      `${EXT}:443`,
      "denied NetworkPolicy",
    ],
  ])("%s", (_what, one, destination, outcome) =>
    expect(told(traced(world(one, q), destination))).toEqual([outcome]),
  );

  test("of the target are asked as well", () => {
    const closed = policy("closed", { podSelector: { matchLabels: { app: "q" } }, policyTypes: ["Ingress"] });
    const trace = traced(world(q, closed), "10.128.2.7");
    expect(trace.outcomes[0]).toMatchObject({
      verdict: "denied",
      text: expect.stringContaining("default deny by NetworkPolicies closed for ingress of pod ns/q"),
    });
    const open = policy("open", { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] });
    expect(told(traced(world(q, closed, open), "10.128.2.7"))).toEqual(["allowed 10.128.1.3 n2"]);
  });

  test("a selector never meets a pod on its host's network", () => {
    const host = pod({ name: "h", node: "n2", hostNetwork: true, ips: ["192.168.126.51"] });
    expect(told(traced(world(to([{ podSelector: {} }]), host), "192.168.126.51"))).toEqual([
      "denied NetworkPolicy",
    ]);
  });

  test("without a port that rules for ports were not met is said", () => {
    expect(traced(world(to([], [{ port: 443 }])), EXT).warnings).toEqual([
      "no port was given: rules for certain ports were not met",
    ]);
  });
});

describe("AdminNetworkPolicies", () => {
  const anp = (name: string, priority: number, ...egress: unknown[]) =>
    object("AdminNetworkPolicy", { name }, { spec: { priority, subject: { namespaces: {} }, egress } });
  const deny = (peer: unknown, ports?: unknown[]) => ({
    action: "Deny",
    to: [peer],
    ...(ports ? { ports } : {}),
  });

  test("a lower priority goes first, and within it the first rule", () => {
    const objects = [
      anp("late", 20, deny({ networks: ["0.0.0.0/0"] })),
      anp(
        "early",
        5,
        { action: "Allow", to: [{ networks: ["8.8.8.8/32"] }] },
        deny({ networks: ["0.0.0.0/0"] }),
      ),
    ];
    expect(told(traced(world(...objects), EXT))).toEqual(["allowed 192.168.126.12 n1"]);
    expect(told(traced(world(...objects), "9.9.9.9"))).toEqual(["denied AdminNetworkPolicy 1"]);
  });

  test.each<[string, unknown, string, string]>([
    ["nodes by all their addresses", { nodes: {} }, "192.168.126.51", "denied AdminNetworkPolicy 0"],
    ["namespaces", { namespaces: {} }, "10.128.2.7", "denied AdminNetworkPolicy 0"],
    [
      "pods",
      { pods: { namespaceSelector: {}, podSelector: { matchLabels: { app: "q" } } } },
      "10.128.2.7",
      "denied AdminNetworkPolicy 0",
    ],
    [
      "other pods",
      { pods: { namespaceSelector: {}, podSelector: { matchLabels: { app: "z" } } } },
      "10.128.2.7",
      "allowed 10.128.1.3 n2",
    ],
  ])("%s", (_what, peer, to, outcome) => {
    const q = pod({ name: "q", node: "n2", ips: ["10.128.2.7"], labels: { app: "q" } });
    expect(told(traced(world(q, anp("a", 1, deny(peer))), to))).toEqual([outcome]);
  });

  test("ports by number, range and name", () => {
    const q: KubeObject = pod({ name: "q", node: "n2", ips: ["10.128.2.7"] });
    const named: KubeObject = {
      ...q,
      spec: { ...(q["spec"] as object), containers: [{ ports: [{ name: "web", containerPort: 8080 }] }] },
    };
    const rule = (ports: unknown[]) => anp("a", 1, deny({ namespaces: {} }, ports));
    const to = (port: number, ports: unknown[]) =>
      told(traced(world(named, rule(ports)), `10.128.2.7:${port}`))[0]?.split(" ")[0];
    expect(to(80, [{ portNumber: { protocol: "TCP", port: 80 } }])).toBe("denied");
    expect(to(81, [{ portNumber: { protocol: "TCP", port: 80 } }])).toBe("allowed");
    expect(to(85, [{ portRange: { protocol: "TCP", start: 80, end: 90 } }])).toBe("denied");
    expect(to(8080, [{ namedPort: "web" }])).toBe("denied");
    expect(to(8081, [{ namedPort: "web" }])).toBe("allowed");
  });

  test("do not limit a network of its own", () => {
    const objects = [
      namespace("ns", UDN),
      network("ns", "own"),
      podIn("ns", "20.128.0.5"),
      anp("a", 1, deny({ networks: ["0.0.0.0/0"] })),
    ];
    expect(told(traced(world(...objects), EXT))).toEqual(["allowed 192.168.126.12 n1"]);
  });
});

describe("an EgressFirewall", () => {
  test("of a network of its own takes out its subnets, and no longer the cluster's", () => {
    const objects = [
      namespace("ns", UDN),
      network("ns", "own"),
      podIn("ns", "20.128.0.5"),
      firewall(DENY_ALL),
    ];
    expect(told(traced(world(...objects), "20.128.3.9"))).toEqual(["allowed 20.128.0.5 n1"]);
    expect(told(traced(world(...objects), EXT))).toEqual(["denied EgressFirewall 0"]);
  });

  test("a rule without nodes is left out, and later rules keep their number", () => {
    const rule = { type: "Allow", to: { nodeSelector: { matchLabels: { no: "such" } } } };
    expect(told(traced(world(firewall(rule, DENY_ALL)), EXT))).toEqual(["denied EgressFirewall 1"]);
  });

  test("IPv4 rules never meet IPv6", () => {
    const objects = [
      node("n1", ["192.168.126.12/24", "fc00::12/64"]),
      pod({ ips: ["10.128.1.3", "fd01::3"] }),
      firewall(DENY_ALL),
    ];
    expect(told(traced(world(...objects), "2001:4860:4860::8888"))).toEqual(["allowed fc00::12 n1"]);
  });

  test("a wildcard stands for exactly one label, in any case", () => {
    const facts = {
      dnsNameResolver: true,
      names: { "A.Example.com": ["9.9.9.9"], "a.b.example.com": ["9.9.9.10"] },
    };
    const objects = world(firewall({ type: "Deny", to: { dnsName: "*.example.com" } }));
    expect(told(traced(objects, "9.9.9.9", { facts }))).toEqual(["denied EgressFirewall 0"]);
    expect(told(traced(objects, "9.9.9.10", { facts }))).toEqual(["allowed 192.168.126.12 n1"]);
  });

  test("that was changed into something bad may still hold what it held", () => {
    const bad = firewall({ type: "Deny", to: { cidrSelector: "x" } });
    const changed = { ...bad, metadata: { ...bad.metadata, generation: 2 } };
    expect(traced(world(changed), EXT).warnings).toEqual([expect.stringContaining("may still be in force")]);
  });
});

describe("DSCP", () => {
  const networkQos = (name: string, priority: number, ...egress: unknown[]) =>
    object("NetworkQoS", { name, namespace: "ns" }, { spec: { priority, podSelector: {}, egress } });
  const egressQos = object(
    "EgressQoS",
    { name: "default", namespace: "ns" },
    { spec: { egress: [{ dscp: 1 }] } },
  );
  const dscpOf = (...objects: KubeObject[]) =>
    traced(world(...objects), `${EXT}:443`).outcomes.map(({ dscp }) => dscp?.value);

  test("NetworkQoS goes before EgressQoS, higher priorities first, and inside of one the later rule", () => {
    expect(dscpOf(egressQos)).toEqual([1]);
    expect(dscpOf(egressQos, networkQos("a", 10, { dscp: 11 }, { dscp: 12 }))).toEqual([12]);
    expect(dscpOf(networkQos("a", 10, { dscp: 11 }), networkQos("b", 20, { dscp: 21 }))).toEqual([21]);
    expect(
      dscpOf(networkQos("a", 10, { dscp: 11, classifier: { to: [{ ipBlock: { cidr: "9.0.0.0/8" } }] } })),
    ).toEqual([undefined]);
    expect(
      dscpOf(networkQos("a", 10, { dscp: 11, classifier: { ports: [{ protocol: "TCP", port: 443 }] } })),
    ).toEqual([11]);
  });

  test("rules with one number are each told", () => {
    expect(dscpOf(networkQos("a", 10, { dscp: 11 }), networkQos("b", 10, { dscp: 21 })).sort()).toEqual([
      11, 21,
    ]);
  });

  test("an EgressQoS marks no network of its own, and says so", () => {
    const trace = traced(
      world(namespace("ns", UDN), network("ns", "own"), podIn("ns", "20.128.0.5"), egressQos),
      EXT,
    );
    expect(trace.outcomes[0]?.dscp).toBeUndefined();
    expect(trace.warnings).toEqual(["EgressQoS ns/default does not mark packets of network own"]);
  });
});

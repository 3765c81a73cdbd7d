// Examples 31 to 65 of src/ovn/rules.md ("Numbers in tests"): policies and Services.

import { DENY_ALL, egressIp, firewall, node, pod } from "../world.ts";
import {
  anp,
  banp,
  denyByPolicy,
  dual,
  dualPod,
  EXT,
  type Example,
  egressService,
  eip1,
  endpoint1,
  kubernetes,
  P1,
  qos,
  served,
  service,
  slice,
  toNet,
} from "./example.ts";

export const OF_POLICIES: readonly Example[] = [
  ...[
    { n: 31, to: "9.9.9.9", expect: ["allowed 192.168.126.101 n1"] },
    { n: 32, to: EXT, expect: ["denied EgressFirewall 1"] },
    { n: 33, to: "10.128.2.7", expect: ["allowed 10.128.1.3 n2"] },
    { n: 33, to: "10.96.0.10:80", expect: ["allowed 10.128.1.3 n2"] },
    { n: 34, to: "10.96.0.1:443", expect: ["denied EgressFirewall 1"] },
  ].map(
    (one): Example => ({
      ...one,
      what: `an EgressFirewall beside an EgressIP, to ${one.to}`,
      objects: [
        eip1,
        firewall({ type: "Allow", to: { cidrSelector: "9.9.9.9/32" } }, DENY_ALL),
        pod({ name: "q", node: "n2", ips: ["10.128.2.7"] }),
        service("q"),
        slice("q", [["10.128.2.7", "n2"]]),
        ...kubernetes,
      ],
    }),
  ),
  {
    n: 35,
    what: "subnets of pods are no firewall's",
    objects: [firewall(DENY_ALL)],
    to: "10.128.5.5",
    expect: ["allowed 10.128.1.3 n1"],
  },
  {
    n: 37,
    what: "a firewall's port, UDP",
    objects: [
      firewall({ type: "Deny", to: { cidrSelector: "1.2.3.4/23" }, ports: [{ protocol: "UDP", port: 100 }] }),
    ],
    to: "1.2.3.4:100",
    ask: { protocol: "udp" },
    expect: ["denied EgressFirewall 0"],
  },
  {
    n: 37,
    what: "a firewall's port, TCP",
    objects: [
      firewall({ type: "Deny", to: { cidrSelector: "1.2.3.4/23" }, ports: [{ protocol: "UDP", port: 100 }] }),
    ],
    to: "1.2.3.4:100",
    expect: ["allowed 192.168.126.12 n1"],
  },
  ...(
    [
      ["tcp", "1.2.3.4:100", "denied EgressFirewall 0"],
      ["udp", "1.2.3.4:5", "denied EgressFirewall 0"],
      ["udp", "1.2.3.4", "denied EgressFirewall 0"],
      ["tcp", "1.2.3.4:101", "allowed 192.168.126.12 n1"],
      ["icmp", "1.2.3.4", "allowed 192.168.126.12 n1"],
    ] as const
  ).map(
    ([protocol, to, outcome]): Example => ({
      n: 38,
      what: `ports TCP 100 and UDP, ${protocol} to ${to}`,
      objects: [firewall({ ...DENY_ALL, ports: [{ protocol: "TCP", port: 100 }, { protocol: "UDP" }] })],
      to,
      ask: { protocol },
      expect: [outcome],
    }),
  ),
  ...[true, false].flatMap((labelled) =>
    ["9.9.9.9", "11.11.11.11", "fc00:f853:ccd:e793::2"].map(
      (to): Example => ({
        n: 40,
        what: `a node by its label, ${labelled ? "there" : "not there"}, ${to}`,
        objects: [
          dual,
          dualPod,
          node("n2", ["9.9.9.9/24", "11.11.11.11/24", "fc00:f853:ccd:e793::2/64"], {
            labels: labelled ? { name: "test" } : {},
          }),
          firewall({ type: "Allow", to: { nodeSelector: { matchLabels: { name: "test" } } } }, DENY_ALL, {
            type: "Deny",
            to: { cidrSelector: "::/0" },
          }),
        ],
        to,
        expect: [
          labelled
            ? `allowed ${to.includes(":") ? "fc00:f853:ccd:e793::12" : "192.168.126.12"} n1`
            : `denied EgressFirewall ${to.includes(":") ? 2 : 1}`,
        ],
      }),
    ),
  ),
  {
    n: 41,
    what: "a name that is resolved",
    objects: [firewall({ type: "Deny", to: { dnsName: "a.b.c" } })],
    to: "2.2.2.2",
    ask: { facts: { names: { "A.b.c.": ["2.2.2.2"] } } },
    expect: ["denied EgressFirewall 0"],
  },
  {
    n: 41,
    what: "a name that may not be resolved",
    objects: [firewall({ type: "Deny", to: { dnsName: "a.b.c" } })],
    to: "2.2.2.2",
    expect: ["allowed 192.168.126.12 n1", "denied EgressFirewall 0"],
    undefined: true,
  },
  {
    n: 43,
    what: "a wildcard without a resolver",
    objects: [firewall({ type: "Deny", to: { dnsName: "*.b.c" } }, DENY_ALL)],
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 44,
    what: "a CIDR without a prefix",
    objects: [firewall({ type: "Deny", to: { cidrSelector: "1.2.3.5" } }, DENY_ALL)],
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 46,
    what: "a reply",
    objects: [firewall(DENY_ALL)],
    ask: { packet: "reply" },
    expect: ["allowed ? n1"],
  },
  {
    n: 47,
    what: "both stages have to allow",
    objects: [denyByPolicy, firewall({ type: "Allow", to: { cidrSelector: "0.0.0.0/0" } })],
    expect: ["denied NetworkPolicy"],
  },
  {
    n: 49,
    what: "AdminNetworkPolicy allows before NetworkPolicies",
    objects: [anp("a", 10, toNet("Allow", "8.8.8.0/24")), denyByPolicy],
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 50,
    what: "passed on to the baseline",
    objects: [anp("a", 10, toNet("Pass", "0.0.0.0/0")), banp(toNet("Deny", "0.0.0.0/0"))],
    expect: ["denied BaselineAdminNetworkPolicy 0"],
  },
  {
    n: 52,
    what: "a priority above 99",
    objects: [anp("a", 100, toNet("Deny", "0.0.0.0/0"))],
    expect: ["allowed 192.168.126.12 n1"],
    warning: /ANPWithUnsupportedPriority/,
  },
  {
    n: 53,
    what: "two of one priority",
    objects: [anp("a", 10, toNet("Allow", "0.0.0.0/0")), anp("b", 10, toNet("Deny", "0.0.0.0/0"))],
    expect: ["allowed 192.168.126.12 n1", "denied AdminNetworkPolicy 0"],
    undefined: true,
  },
  ...(
    [
      ["1.2.3.9", { app: "example" }, 30],
      ["9.9.9.9", { app: "example" }, 42],
      ["9.9.9.9", {}, 28],
    ] as const
  ).map(
    ([to, labels, dscp]): Example => ({
      n: 55,
      what: `an EgressQoS to ${to}, ${dscp}`,
      objects: [
        qos(
          { dscp: 30, dstCIDR: "1.2.3.0/24" },
          { dscp: 42, podSelector: { matchLabels: { app: "example" } } },
          { dscp: 28 },
        ),
        pod({ labels }),
      ],
      to,
      expect: ["allowed 192.168.126.12 n1"],
      dscp,
    }),
  ),
  ...(["1.1.1.1", "2.2.2.2"] as const).map(
    (to, index): Example => ({
      n: 56,
      what: `an EgressQoS by destination, then by pod: ${to}`,
      objects: [
        qos({ dscp: 49, dstCIDR: "1.1.1.1/32" }, { dscp: 48, podSelector: { matchLabels: { app: "test" } } }),
        pod({ labels: { app: "test" } }),
      ],
      to,
      expect: ["allowed 192.168.126.12 n1"],
      dscp: index === 0 ? 49 : 48,
    }),
  ),
  {
    n: 58,
    what: "an EgressService on the own node",
    objects: [...served("n1", P1), endpoint1],
    expect: ["allowed 5.5.5.5 n1"],
    via: "10.128.1.2",
  },
  {
    n: 59,
    what: "an EgressService on another node",
    objects: [...served("n1", [["10.128.2.5", "n2"]]), pod({ node: "n2", ips: ["10.128.2.5"] })],
    expect: ["allowed 5.5.5.5 n1"],
    via: "100.88.0.2",
  },
  {
    n: 61,
    what: "an EgressService without a host",
    objects: [...served("", P1), endpoint1],
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 62,
    what: "an EgressService before an EgressIP",
    objects: [...served("n1", P1), endpoint1, egressIp("eip", ["192.168.126.101@n2"])],
    expect: ["allowed 5.5.5.5 n1"],
  },
  {
    n: 62,
    what: "the EgressService is gone",
    objects: [...served("n1", P1).slice(0, 2), endpoint1, egressIp("eip", ["192.168.126.101@n2"])],
    expect: ["allowed 192.168.126.101 n2"],
  },
  {
    n: 64,
    what: "a table with a blackhole",
    objects: [...served("n1", P1, { network: "blue" }), endpoint1],
    ask: { facts: { tables: { blue: "blackhole" } } },
    expect: ["unreachable EgressService"],
  },
  {
    n: 64,
    what: "a table with a route",
    objects: [...served("n1", P1, { network: "blue" }), endpoint1],
    expect: ["allowed 5.5.5.5 n1"],
  },
  {
    n: 65,
    what: "no endpoint is left on the host",
    objects: [
      service("svc", { externalTrafficPolicy: "Local" }),
      slice("svc", [["10.128.2.5", "n2"]]),
      egressService("n1"),
      pod({ node: "n2", ips: ["10.128.2.5"] }),
    ],
    expect: ["allowed 192.168.126.51 n2"],
  },
];

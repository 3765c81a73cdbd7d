// Examples from 66 on of src/ovn/rules.md ("Numbers in tests"): gateways and networks.

import { egressIp, namespace, pod } from "../world.ts";
import {
  advertised,
  EXT,
  type Example,
  eip1,
  fixed,
  kubernetes,
  L2,
  L3,
  marked,
  nad,
  route,
  service,
  UDN_LABEL,
  udnPod,
} from "./example.ts";

export const OF_NETWORKS: readonly Example[] = [
  {
    n: 66,
    what: "an external gateway",
    objects: [route("r", fixed("9.0.0.1"))],
    expect: ["allowed 192.168.126.12 n1"],
    hop: "9.0.0.1",
  },
  {
    n: 67,
    what: "two external gateways",
    objects: [route("r", fixed("9.0.0.1", "9.0.0.2"))],
    expect: ["allowed 192.168.126.12 n1"],
    hop: "9.0.0.2",
    undefined: true,
  },
  {
    n: 68,
    what: "an external gateway without SNAT",
    objects: [route("r", fixed("9.0.0.1"))],
    ask: { facts: { disableSnatMultipleGateways: true } },
    expect: ["allowed 10.128.1.3 n1"],
    hop: "9.0.0.1",
  },
  ...[true, false].map(
    (ready): Example => ({
      n: 70,
      what: `a gateway pod that is ${ready ? "ready" : "not ready"}`,
      objects: [
        route("r", { dynamic: [{ namespaceSelector: { matchLabels: { gw: "y" } }, podSelector: {} }] }),
        namespace("gws", { gw: "y" }),
        pod({ name: "g", namespace: "gws", hostNetwork: true, ips: ["9.0.0.1"], ready }),
      ],
      expect: ["allowed 192.168.126.12 n1"],
      hop: ready ? "9.0.0.1" : "192.168.126.1",
    }),
  ),
  {
    n: 71,
    what: "two policies over one namespace",
    objects: [
      { ...route("r1", fixed("9.0.0.1")), status: { status: "Success" } },
      { ...route("r2", fixed("9.0.0.2"), "2026-01-02T00:00:00Z"), status: { status: "Fail" } },
    ],
    expect: ["allowed 192.168.126.12 n1"],
    hop: "9.0.0.1",
    warning: /already affected by another policy: r1/,
  },
  {
    n: 71,
    what: "the first is gone",
    objects: [route("r2", fixed("9.0.0.2"), "2026-01-02T00:00:00Z")],
    expect: ["allowed 192.168.126.12 n1"],
    hop: "9.0.0.2",
  },
  ...(
    [
      [73, L3],
      [74, L2],
    ] as const
  ).map(
    ([n, config]): Example => ({
      n,
      what: `an EgressIP for a ${config.topology} network of its own`,
      objects: [
        namespace("ns", UDN_LABEL),
        nad("ns", config),
        udnPod(),
        marked("eip", ["192.168.126.101@n1", "192.168.126.102@n2"], "50000"),
      ],
      expect: ["allowed 192.168.126.101 n1", "allowed 192.168.126.102 n2"],
      undefined: true,
    }),
  ),
  ...(["ns", "other"] as const).map(
    (ns): Example => ({
      n: 76,
      what: `two namespaces share a network, from ${ns}`,
      objects: ["ns", "other"].flatMap((one, index) => [
        namespace(one, UDN_LABEL),
        nad(one, L3),
        udnPod(one, "p", `20.128.0.${index + 5}`),
        marked(`eip-${one}`, [`192.168.126.10${index}@n1`], `5000${index}`, {
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": one } },
        }),
      ]),
      ask: { namespace: ns },
      expect: [`allowed 192.168.126.10${ns === "ns" ? 0 : 1} n1`],
    }),
  ),
  {
    n: 77,
    what: "the default network is advertised",
    objects: [advertised],
    expect: ["allowed 10.128.1.3 n1"],
  },
  {
    n: 77,
    what: "the same to another node",
    objects: [advertised],
    to: "192.168.126.51",
    expect: ["allowed 192.168.126.12 n1"],
  },
  { n: 77, what: "not advertised", objects: [], to: "192.168.126.51", expect: ["allowed 192.168.126.12 n1"] },
  ...(
    [
      ["10.96.0.1:443", "allowed 20.128.0.5 n1"],
      ["10.96.0.10:80", "dropped Service"],
    ] as const
  ).map(
    ([to, outcome]): Example => ({
      n: 79,
      what: `Services of the default network from another one, ${to}`,
      objects: [
        namespace("ns", UDN_LABEL),
        nad("ns", L3),
        udnPod(),
        namespace("plain"),
        service("web", {}, "plain"),
        ...kubernetes,
      ],
      to,
      expect: [outcome],
    }),
  ),
  ...(
    [
      [EXT, "allowed 192.168.126.12 n1"],
      ["10.129.0.9", "allowed 10.128.1.3 n1"],
      ["192.168.126.12", "allowed 10.128.1.3 n1"],
      ["192.168.126.51", "allowed 192.168.126.12 n1"],
    ] as const
  ).map(
    ([to, outcome]): Example => ({
      n: 80,
      what: `no overlay, with SNAT, to ${to}`,
      objects: [],
      to,
      ask: { facts: { transport: "no-overlay", outboundSnat: true } },
      expect: [outcome],
    }),
  ),
  {
    n: 82,
    what: "the egress node is not there for a while",
    objects: [egressIp("eip", ["192.168.126.101"])],
    expect: ["allowed 192.168.126.12 n1"],
  },
  { n: 82, what: "and is back", objects: [eip1], expect: ["allowed 192.168.126.101 n1"] },
];

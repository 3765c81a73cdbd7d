// Combinations of src/ovn/rules.md: gateway modes, families, primary UDNs, policies, firewalls and DSCP marks.
import { DENY_ALL, egressIp, firewall, namespace, node, object, pod } from "../world.ts";
import {
  advertised,
  anp,
  banp,
  dual,
  dualPod,
  EXT,
  EXT6,
  type Example,
  eip1,
  endpoint1,
  fixed,
  L2,
  L3,
  marked,
  nad,
  onSecondary,
  P1,
  qos,
  route,
  secondary,
  served,
  service,
  slice,
  toNet,
  UDN_LABEL,
  udnPod,
} from "./example.ts";

const local = { facts: { gatewayMode: "local" } } as const;
const bareNetwork = { facts: { transport: "no-overlay", outboundSnat: false } } as const;
const deny = (cidrSelector: string, ports?: unknown[]) => ({
  type: "Deny",
  to: { cidrSelector },
  ...(ports ? { ports } : {}),
});
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    type: "Allow",
    to: { cidrSelector: `9.${index >> 8}.${index & 255}.1/32` },
  }));
const allowAll = object(
  "NetworkPolicy",
  { name: "all", namespace: "ns" },
  { spec: { podSelector: {}, policyTypes: ["Egress"], egress: [{}] } },
);
const own = (config: Record<string, unknown>) => [namespace("ns", UDN_LABEL), nad("ns", config), udnPod()];
const gatewayPod = (annotations?: Record<string, string>) => [
  namespace("gws", { gw: "y" }),
  pod({ name: "g", namespace: "gws", ips: ["10.128.1.77"], ...(annotations ? { annotations } : {}) }),
];
const dynamic = (more = {}) => ({
  dynamic: [{ namespaceSelector: { matchLabels: { gw: "y" } }, podSelector: {}, ...more }],
});

const OF_FIREWALLS: readonly Example[] = [
  {
    n: 2.3,
    what: "the last of 8001 rules holds",
    objects: [firewall(...many(8000), DENY_ALL)],
    expect: ["denied EgressFirewall 8000"],
  },
  {
    n: 2.3,
    what: "of 8002 rules none is in force",
    objects: [firewall(DENY_ALL, ...many(8001))],
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 2.3,
    what: "a rule for a protocol does not meet ICMP",
    objects: [firewall(deny("0.0.0.0/0", [{ protocol: "TCP" }]))],
    ask: { protocol: "icmp" },
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 2.3,
    what: "a rule without ports meets ICMP",
    objects: [firewall(DENY_ALL)],
    ask: { protocol: "icmp" },
    expect: ["denied EgressFirewall 0"],
  },
  ...(
    [
      [100, "denied EgressFirewall 0"],
      [101, "allowed 192.168.126.12 n1"],
    ] as const
  ).map(
    ([port, outcome]): Example => ({
      n: 2.3,
      what: `a rule for an SCTP port, to ${port}`,
      objects: [firewall(deny("0.0.0.0/0", [{ protocol: "SCTP", port: 100 }]))],
      to: `${EXT}:${port}`,
      ask: { protocol: "sctp" },
      expect: [outcome],
    }),
  ),
  {
    n: 2.3,
    what: "each of several cluster subnets is taken out",
    objects: [firewall(DENY_ALL)],
    to: "10.132.5.5",
    ask: { facts: { clusterSubnets: "10.128.0.0/14/23,10.132.0.0/14/23" } },
    expect: ["allowed 10.128.1.3 n1"],
  },
  {
    n: 2.3,
    what: "a Service whose endpoint is outside of the cluster is no exception",
    objects: [firewall(DENY_ALL), service("web"), slice("web", [["9.9.9.9", ""]])],
    to: "10.96.0.10:80",
    expect: ["denied EgressFirewall 0"],
  },
  {
    n: 2.3,
    what: "a firewall denies although a NetworkPolicy allows",
    objects: [allowAll, firewall(DENY_ALL)],
    expect: ["denied EgressFirewall 0"],
  },
  {
    n: 2.3,
    what: "a firewall denies an EgressService's endpoint",
    objects: [...served("n1", P1), endpoint1, firewall(DENY_ALL)],
    expect: ["denied EgressFirewall 0"],
  },
];

const OF_POLICIES: readonly Example[] = [
  {
    n: 2.2,
    what: "an AdminNetworkPolicy denies what a NetworkPolicy allows",
    objects: [anp("a", 10, toNet("Deny", "8.0.0.0/8")), allowAll],
    expect: ["denied AdminNetworkPolicy 0"],
  },
  {
    n: 2.2,
    what: "what is passed on and allowed by a NetworkPolicy is not the baseline's",
    objects: [anp("a", 10, toNet("Pass", "0.0.0.0/0")), allowAll, banp(toNet("Deny", "0.0.0.0/0"))],
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 2.2,
    what: "what an AdminNetworkPolicy allows is not the baseline's",
    objects: [anp("a", 1, toNet("Allow", "8.8.8.0/24")), banp(toNet("Deny", "0.0.0.0/0"))],
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 2.2,
    what: "the last priority there is",
    objects: [anp("a", 99, toNet("Deny", "8.0.0.0/8"))],
    expect: ["denied AdminNetworkPolicy 0"],
  },
  {
    n: 2.2,
    what: "the first rule of the baseline that matches decides",
    objects: [banp(toNet("Allow", "8.8.8.0/24"), toNet("Deny", "0.0.0.0/0"))],
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 2.4,
    what: "a pod on its host's network is not marked",
    objects: [qos({ dscp: 5 }), pod({ hostNetwork: true, ips: ["192.168.126.12"] })],
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 2.4,
    what: "of more than 1000 rules none marks",
    objects: [qos(...Array.from({ length: 1001 }, () => ({ dscp: 3 })))],
    expect: ["allowed 192.168.126.12 n1"],
    warning: /cannot create EgressQoS with 1001 rules - maximum is 1000/,
  },
];

const OF_ROUTES: readonly Example[] = [
  {
    n: 2.6,
    what: "a family that the Service has no address of goes by the host too, and nobody says with which source",
    objects: [...served("n2", [["10.128.1.3", "n1"]]), dual, dualPod],
    to: EXT6,
    expect: ["allowed ? n2"],
    warning: /the Service has no IPv6 address: the source is undefined \(unsupported\)/,
    likely: true,
  },
  {
    n: 2.6,
    what: "an EgressService goes before gateways in shared mode",
    objects: [...served("n2", P1), endpoint1, route("r", fixed("9.0.0.1"))],
    expect: ["allowed 5.5.5.5 n2"],
  },
  {
    n: 2.6,
    what: "an EgressService has no part in networks of their own",
    objects: [...own(L3), ...served("n2", [["20.128.0.5", "n1"]])],
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 2.8,
    what: "gateways have no part in networks of their own",
    objects: [...own(L3), route("r", fixed("9.0.0.1"))],
    expect: ["allowed 192.168.126.12 n1"],
    hop: "192.168.126.1",
  },
  {
    n: 2.8,
    what: "a gateway pod of the cluster's network without an attachment fails the policy",
    objects: [route("r", dynamic()), ...gatewayPod()],
    expect: ["allowed 192.168.126.12 n1"],
    hop: "192.168.126.1",
    warning: /AdminPolicyBasedExternalRoute r is not in force/,
  },
  {
    n: 2.8,
    what: "a gateway pod by the addresses of its attachment",
    objects: [
      route("r", dynamic({ networkAttachmentName: "gws/mac" })),
      ...gatewayPod({
        "k8s.v1.cni.cncf.io/network-status": JSON.stringify([{ name: "gws/mac", ips: ["9.0.0.7"] }]),
      }),
    ],
    expect: ["allowed 192.168.126.12 n1"],
    hop: "9.0.0.7",
  },
  {
    n: 2.8,
    what: "in local mode without SNAT pods keep their address",
    objects: [route("r", fixed("9.0.0.1")), eip1],
    ask: { facts: { gatewayMode: "local", disableSnatMultipleGateways: true } },
    expect: ["allowed 10.128.1.3 n1"],
    hop: "9.0.0.1",
    likely: false,
  },
  {
    n: 2.7,
    what: "an item on a secondary interface in local mode",
    objects: onSecondary,
    ask: local,
    expect: ["allowed 10.10.10.20 n1"],
  },
  {
    n: 2.7,
    what: "a network of its own keeps plain SNAT where all items are on secondary interfaces",
    objects: [...own(L2), secondary, marked("eip", ["10.10.10.20@n1"], "50000")],
    expect: ["allowed 192.168.126.202 n1"],
  },
  {
    n: 2.7,
    what: "an EgressIP of a layer 2 network in local mode",
    objects: [...own(L2), marked("eip", ["192.168.126.101@n2"], "50000")],
    ask: local,
    expect: ["allowed 192.168.126.101 n2"],
  },
  {
    n: 2.9,
    what: "an advertised network in local mode, to another node",
    objects: [advertised],
    to: "192.168.126.51",
    ask: local,
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 2.9,
    what: "an advertised network to the pod's own node",
    objects: [advertised],
    to: "192.168.126.12",
    expect: ["allowed 10.128.1.3 n1"],
  },
  {
    n: 2.9,
    what: "no overlay, without SNAT, to the pod's own node",
    objects: [],
    to: "192.168.126.12",
    ask: bareNetwork,
    expect: ["allowed 10.128.1.3 n1"],
  },
];

const OF_PLACES: readonly Example[] = [
  {
    n: 2.1,
    what: "a Service with a node for an endpoint is exempt",
    objects: [eip1, service("web"), slice("web", [["192.168.126.51", "n2"]])],
    to: "10.96.0.10:80",
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 2.1,
    what: "a node port of another node is first of all an address of that node",
    objects: [eip1],
    to: "192.168.126.51:30080",
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 2.1,
    what: "a Service with endpoints on the own node alone",
    objects: [
      service("web", { internalTrafficPolicy: "Local" }),
      slice("web", [
        ["10.128.1.8", "n1"],
        ["10.128.2.8", "n2"],
      ]),
      pod({ name: "a", ips: ["10.128.1.8"] }),
      pod({ name: "b", node: "n2", ips: ["10.128.2.8"] }),
    ],
    to: "10.96.0.10:80",
    expect: ["allowed 10.128.1.3 n1"],
  },
  ...(["7.7.7.7", "5.5.5.5"] as const).map(
    (ip): Example => ({
      n: 2.1,
      what: `a Service by its address ${ip}`,
      objects: [
        service("web", { externalIPs: ["7.7.7.7"] }),
        slice("web", [["10.128.2.8", "n2"]]),
        pod({ name: "b", node: "n2", ips: ["10.128.2.8"] }),
      ],
      to: `${ip}:80`,
      expect: ["allowed 10.128.1.3 n2"],
    }),
  ),
  {
    n: 2.1,
    what: "the network between zones is told by nobody",
    objects: [eip1],
    to: "100.88.0.3",
    expect: ["allowed 192.168.126.101 n1"],
    likely: true,
  },
  {
    n: 2.1,
    what: "an address internal to hosts",
    objects: [egressIp("eip", ["192.168.126.101@n2"]), node("n1", ["192.168.126.12/24"])],
    to: "169.254.169.3",
    expect: ["allowed 10.128.1.3 n1"],
  },
];

export const COMBINED: readonly Example[] = [...OF_FIREWALLS, ...OF_POLICIES, ...OF_ROUTES, ...OF_PLACES];

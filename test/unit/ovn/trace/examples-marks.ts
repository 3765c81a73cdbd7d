// Examples of what upstream's source alone says, or what follows from it: their outcomes are marked as likely. And of what its
// tests say, whose outcomes are not.
import { namespace, node, object } from "../world.ts";
import {
  advertised,
  anp,
  banp,
  type Example,
  eip1,
  fixed,
  kubernetes,
  L3,
  nad,
  qos,
  route,
  toNet,
  UDN_LABEL,
  udnPod,
} from "./example.ts";

const local = { facts: { gatewayMode: "local" } } as const;
const ofOwn = [namespace("ns", UDN_LABEL), nad("ns", L3), udnPod()];
const OWN = "allowed 192.168.126.12 n1";
const policy = (...ports: unknown[]) =>
  object(
    "NetworkPolicy",
    { name: "np", namespace: "ns" },
    { spec: { podSelector: {}, policyTypes: ["Egress"], egress: [{ ports }] } },
  );
const near = node("n1", ["192.168.126.12/24", "10.10.10.4/24"]);
const ofVrf = {
  ...advertised,
  spec: {
    advertisements: ["PodNetwork"],
    networkSelectors: [
      {
        networkSelectionType: "PrimaryUserDefinedNetworks",
        primaryUserDefinedNetworkSelector: { namespaceSelector: {} },
      },
    ],
  },
};

export const MARKED: readonly Example[] = [
  {
    n: 2.2,
    what: "AdminNetworkPolicies do not hold on a network of its own",
    objects: [...ofOwn, anp("a", 1, toNet("Deny", "0.0.0.0/0")), banp(toNet("Deny", "0.0.0.0/0"))],
    expect: [OWN],
    likely: true,
  },
  {
    n: 2.2,
    what: "such that would not rule make nothing likely",
    objects: [...ofOwn, anp("a", 1, toNet("Deny", "9.0.0.0/8")), anp("b", 100, toNet("Deny", "0.0.0.0/0"))],
    expect: [OWN],
    likely: false,
  },
  {
    n: 2.2,
    what: "a port by its name holds every port of its protocol",
    objects: [policy({ port: "http", protocol: "TCP" })],
    to: "8.8.8.8:99",
    expect: [OWN],
    likely: true,
  },
  {
    n: 2.2,
    what: "a port narrows an entry for its whole protocol",
    objects: [policy({ port: 80, protocol: "TCP" }, { protocol: "TCP" })],
    to: "8.8.8.8:99",
    expect: ["denied NetworkPolicy"],
    likely: true,
  },
  {
    n: 2.2,
    what: "a whole protocol is no peculiarity",
    objects: [policy({ protocol: "TCP" })],
    to: "8.8.8.8:99",
    expect: [OWN],
    likely: false,
  },
  {
    n: 2.2,
    what: "a range of ports is none either",
    objects: [policy({ port: 80, endPort: 90, protocol: "TCP" })],
    to: "8.8.8.8:99",
    expect: ["denied NetworkPolicy"],
    likely: false,
  },
  {
    n: 2.4,
    what: "an EgressQoS does not mark packets of a network of its own",
    objects: [...ofOwn, qos({ dscp: 7 })],
    expect: [OWN],
    likely: true,
  },
  {
    n: 2.5,
    what: "a router between the nodes",
    objects: [eip1],
    to: "100.64.0.3",
    expect: ["allowed 10.128.1.3 n1"],
    likely: false,
  },
  {
    n: 79,
    what: "the API server's Service from a network that is advertised, on the pod's own node",
    objects: [...ofOwn, ofVrf, ...kubernetes],
    to: "10.96.0.1:443",
    expect: ["allowed 20.128.0.5 n1"],
    likely: false,
  },
  {
    n: 2.9,
    what: "in local mode the host's own networks are reached by their interface",
    objects: [near],
    to: "10.10.10.77",
    ask: local,
    expect: ["allowed 10.10.10.4 n1"],
    likely: true,
  },
  {
    n: 2.1,
    what: "and so are the secondary addresses of other nodes",
    objects: [near, node("n2", ["192.168.126.51/24", "10.10.10.5/24"]), eip1],
    to: "10.10.10.5",
    ask: local,
    expect: ["allowed 10.10.10.4 n1"],
    hop: "10.10.10.5",
    likely: false,
  },
  {
    n: 6,
    what: "of two policies over a namespace that report nothing each may be in force",
    objects: [route("r1", fixed("9.0.0.1")), route("r2", fixed("9.0.0.2"), "2026-01-02T00:00:00Z")],
    expect: [OWN],
    hop: "9.0.0.2",
    undefined: true,
    ambiguity: /r1, r2 are all for namespace ns, and none reports a status/,
  },
  {
    n: 6,
    what: "the one that reports success goes before an older one that reports nothing",
    objects: [
      route("r1", fixed("9.0.0.1")),
      { ...route("r2", fixed("9.0.0.2"), "2026-01-02T00:00:00Z"), status: { status: "Success" } },
    ],
    expect: [OWN],
    hop: "9.0.0.2",
    warning: /r1 is not in force/,
  },
];

import { DENY_ALL, egressIp, firewall, namespace, node, pod } from "../world.ts";
import {
  advertised,
  dual,
  dualPod,
  EXT6,
  type Example,
  eip1,
  endpoint1,
  L2,
  L3,
  marked,
  nad,
  P1,
  rivals,
  secondary,
  served,
  service,
  slice,
  UDN_LABEL,
  udnPod,
} from "./example.ts";

const local = { facts: { gatewayMode: "local" } } as const;
const selected = { podSelector: { matchLabels: { app: "web" } } };
const ofOwn = [namespace("ns", UDN_LABEL), nad("ns", L3), udnPod()];
const dns = [
  namespace("kube-system"),
  service("kube-dns", { clusterIP: "10.96.0.53", ports: [{ port: 53, protocol: "UDP" }] }, "kube-system"),
  {
    ...slice("kube-dns", [["10.128.2.9", "n2"]]),
    metadata: {
      name: "kube-dns-x",
      namespace: "kube-system",
      labels: { "kubernetes.io/service-name": "kube-dns" },
    },
    ports: [{ name: "", port: 5353, protocol: "UDP" }],
  },
  pod({ name: "dns", namespace: "kube-system", node: "n2", ips: ["10.128.2.9"] }),
];
const outsideEndpoint = [service("out"), slice("out", [["9.9.9.9", ""]])];

const OF_EGRESS_IPS: readonly Example[] = [
  {
    n: 2.7,
    what: "a pod whose labels do not match any more leaves with its node's address",
    objects: [egressIp("eip", ["192.168.126.101@n1"], selected), pod({ labels: { app: "db" } })],
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 2.7,
    what: "one that loses one of its items goes on serving",
    objects: [egressIp("eip1", ["192.168.126.30@n2"]), rivals[1] ?? eip1],
    expect: ["allowed 192.168.126.30 n2", "allowed 192.168.126.35 n1", "allowed 192.168.126.51 n2"],
    undefined: true,
  },
  {
    n: 2.7,
    what: "one without items does not occupy the pod",
    objects: [egressIp("eip1", ["192.168.126.25"]), rivals[1] ?? eip1],
    expect: ["allowed 192.168.126.35 n1"],
  },
  {
    n: 2.7,
    what: "a namespace without labels is passed over",
    objects: [
      eip1,
      { kind: "Namespace", metadata: { name: "ns", uid: "0b9a0a54-6a5c-4a9a-8d3d-2f5f2f3f5f6f" } },
    ],
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 2.7,
    what: "a namespace that is only written down has its name as a label",
    objects: [
      egressIp("eip", ["192.168.126.101@n1"], {
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ns" } },
      }),
      { kind: "Namespace", metadata: { name: "ns" } },
    ],
    expect: ["allowed 192.168.126.101 n1"],
  },
  {
    n: 2.7,
    what: "primary and secondary items are mixed",
    objects: [
      secondary,
      egressIp("eip", ["192.168.126.190@n1", "10.10.10.20@n2"]),
      node("n2", ["192.168.126.51/24", "10.10.10.5/24"]),
    ],
    expect: ["allowed 10.10.10.20 n2", "allowed 192.168.126.190 n1"],
    undefined: true,
  },
  {
    n: 2.7,
    what: "both families leave by their own items",
    objects: [
      dual,
      dualPod,
      node("n2", ["192.168.126.51/24", "fc00:f853:ccd:e793::51/64"]),
      egressIp("eip", ["192.168.126.101@n1", "fc00:f853:ccd:e793::99@n2"]),
    ],
    to: EXT6,
    expect: ["allowed fc00:f853:ccd:e793::99 n2"],
  },
  {
    n: 2.7,
    what: "the same in local mode",
    objects: [eip1],
    ask: local,
    expect: ["allowed 192.168.126.101 n1"],
    hop: "192.168.126.1",
  },
  {
    n: 2.7,
    what: "pods served by it keep it although their network is advertised",
    objects: [eip1, advertised],
    expect: ["allowed 192.168.126.101 n1"],
  },
  {
    n: 2.7,
    what: "without an overlay it is unsupported, and taken",
    objects: [eip1],
    ask: { facts: { transport: "no-overlay" } },
    expect: ["allowed 192.168.126.101 n1"],
    warning: /not supported on networks with transport no-overlay/,
  },
  {
    n: 2.7,
    what: "a network of its own has no items on secondary interfaces",
    objects: [...ofOwn, secondary, marked("eip", ["10.10.10.20@n1"], "50000")],
    expect: ["allowed 192.168.126.202 n1"],
  },
  {
    n: 2.7,
    what: "a mark outside of the range is none",
    objects: [
      namespace("ns", UDN_LABEL),
      nad("ns", L2),
      udnPod(),
      marked("eip", ["192.168.126.101@n1"], "60000"),
    ],
    expect: ["allowed 192.168.126.12 n1"],
    warning: /must contain a mark/,
  },
];

const OF_PLACES: readonly Example[] = [
  { n: 2.1, what: "the join subnet", objects: [eip1], to: "100.64.0.3", expect: ["allowed 10.128.1.3 n1"] },
  {
    n: 2.1,
    what: "the join subnet is no exception of a firewall",
    objects: [firewall(DENY_ALL)],
    to: "100.64.0.3",
    expect: ["denied EgressFirewall 0"],
  },
  {
    n: 2.1,
    what: "the own node's secondary address",
    objects: [secondary, eip1],
    to: "10.10.10.4",
    expect: ["allowed 10.128.1.3 n1"],
  },
  {
    n: 2.1,
    what: "a firewall denies the own node as well",
    objects: [firewall(DENY_ALL)],
    to: "192.168.126.12",
    expect: ["denied EgressFirewall 0"],
  },
  {
    n: 2.1,
    what: "a node that an EgressService's endpoints send to",
    objects: [...served("n2", P1), endpoint1],
    to: "192.168.126.51",
    expect: ["allowed 192.168.126.12 n1"],
  },
  {
    n: 2.1,
    what: "an address for Services that no Service has",
    objects: [eip1],
    to: "10.96.7.7",
    expect: ["allowed 192.168.126.101 n1"],
    likely: true,
  },
  {
    n: 2.1,
    what: "a Service with an endpoint outside of the cluster",
    objects: [eip1, ...outsideEndpoint],
    to: "svc/ns/out",
    expect: ["allowed 192.168.126.101 n1"],
    likely: true,
  },
  {
    n: 2.1,
    what: "the cluster's DNS from a network of its own",
    objects: [...ofOwn, ...dns],
    to: "10.96.0.53:53",
    ask: { protocol: "udp" },
    expect: ["allowed 20.128.0.5 n2"],
  },
  {
    n: 2.1,
    what: "a pod of another network that is isolated",
    objects: [...ofOwn, pod({ name: "q", namespace: "plain", ips: ["10.128.2.7"] }), namespace("plain")],
    to: "10.128.2.7",
    expect: ["dropped"],
  },
  {
    n: 2.3,
    what: "a firewall denies before networks without a route to each other drop",
    objects: [...ofOwn, firewall(DENY_ALL)],
    to: "10.128.5.5",
    expect: ["denied EgressFirewall 0"],
  },
  {
    n: 2.2,
    what: "the address that a pod with a network of its own has in the cluster's",
    objects: [namespace("plain"), pod({ namespace: "plain", name: "q", ips: ["10.128.2.7"] }), ...ofOwn],
    to: "10.128.1.9",
    ask: { namespace: "plain", pod: "q" },
    expect: ["dropped"],
  },
];

export const MORE: readonly Example[] = [...OF_EGRESS_IPS, ...OF_PLACES];

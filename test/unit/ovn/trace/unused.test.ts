// One case for each reason why a packet does not use an EgressIP: the rows of src/ovn/rules.md R141.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import type { ClusterFacts } from "../../../../src/ovn/snapshot.ts";
import { egressIpView } from "../../../../src/ovn/trace/egress-ip-source.ts";
import type { TraceRequest } from "../../../../src/ovn/trace/trace.ts";
import { reasonsAgainst } from "../../../../src/ovn/trace/unused.ts";
import {
  clusterOf,
  DENY_ALL,
  egressIp,
  firewall,
  namespace,
  node,
  object,
  pod,
  traced,
  world,
} from "../world.ts";

const EIP = egressIp("eip", ["192.168.126.101@n2"]);
const UDN = { "k8s.ovn.org/primary-user-defined-network": "" };
const attachment = (config: Record<string, unknown> = {}): KubeObject =>
  object(
    "NetworkAttachmentDefinition",
    { name: "net", namespace: "ns" },
    {
      spec: {
        config: JSON.stringify({
          type: "ovn-k8s-cni-overlay",
          role: "primary",
          name: "net",
          topology: "layer3",
          subnets: "20.128.0.0/16/24",
          ...config,
        }),
      },
    },
  );
const inNetwork = pod({
  annotations: {
    "k8s.ovn.org/pod-networks": JSON.stringify({
      "ns/net": { ip_address: "20.128.0.5/24", role: "primary" },
    }),
  },
});
const service = [
  object(
    "Service",
    { name: "svc", namespace: "ns" },
    { spec: { clusterIP: "10.96.0.9" }, status: { loadBalancer: { ingress: [{ ip: "5.5.5.5" }] } } },
  ),
  object(
    "EndpointSlice",
    { name: "s", namespace: "ns", labels: { "kubernetes.io/service-name": "svc" } },
    {
      endpoints: [{ addresses: ["10.128.1.3"], nodeName: "n1" }],
    },
  ),
  object("EgressService", { name: "svc", namespace: "ns" }, { status: { host: "n1" } }),
];
const route: KubeObject = object(
  "AdminPolicyBasedExternalRoute",
  { name: "r" },
  {
    spec: { from: { namespaceSelector: {} }, nextHops: { static: [{ ip: "9.0.0.1" }] } },
  },
);

interface Row {
  readonly row: number;
  readonly objects: readonly KubeObject[];
  readonly to?: string;
  readonly ask?: Partial<TraceRequest> & { facts?: Partial<ClusterFacts> };
  readonly text: RegExp;
  /** The first of several reasons that are true. */
  readonly first?: false;
}

const ROWS: readonly Row[] = [
  {
    row: 21,
    objects: [egressIp("eip", ["192.168.126.101@n1"], { podSelector: { matchLabels: { a: "b" } } })],
    text: /labels of pod ns\/p do not match/,
  },
  { row: 22, objects: [EIP, pod({ hostNetwork: true })], text: /network of its host/ },
  { row: 22, objects: [EIP, pod({ node: "" })], text: /not scheduled/ },
  { row: 22, objects: [EIP, pod({ phase: "Failed" })], text: /has finished/ },
  { row: 23, objects: [EIP, pod({ ips: [] })], text: /no address yet/ },
  {
    row: 25,
    objects: [EIP, pod({ ips: ["10.128.1.3", "fd01::3"] }), node("n1", ["192.168.126.12/24", "fc00::2/64"])],
    to: "2001:4860:4860::8888",
    text: /no address of IPv6/,
  },
  { row: 26, objects: [egressIp("eip", ["192.168.126.101"])], text: /no address on any node/ },
  { row: 27, objects: [EIP], to: "192.168.126.51", text: /exempt \(the address of a node\)/ },
  { row: 27, objects: [EIP], to: "10.128.9.9", text: /exempt \(a pod of the same network\)/ },
  { row: 28, objects: [EIP], ask: { packet: "reply" }, text: /reply/ },
  { row: 29, objects: [EIP, ...service], text: /EgressService ns\/svc/ },
  {
    row: 30,
    objects: [EIP, route],
    ask: { facts: { gatewayMode: "local" } },
    text: /AdminPolicyBasedExternalRoute r/,
  },
  {
    row: 31,
    objects: [EIP, namespace("ns", UDN)],
    text: /primary network that the namespace asks for is not there/,
  },
  {
    row: 32,
    objects: [EIP, namespace("ns", UDN), attachment(), inNetwork],
    text: /must contain a mark for user defined networks/,
  },
  {
    row: 33,
    objects: [
      node("n1", ["192.168.126.12/24", "10.10.10.4/24"]),
      egressIp("eip", ["10.10.10.20@n1"], {}, { "k8s.ovn.org/egressip-mark": "50000" }),
      namespace("ns", UDN),
      attachment(),
      inNetwork,
    ],
    text: /secondary interface for a user defined network \(network name net\) is unsupported/,
  },
  { row: 34, objects: [egressIp("eip", ["192.168.126.101@gone"])], text: /next hop to node gone/ },
  {
    row: 37,
    objects: [
      egressIp("eip", ["192.168.126.101@n1"], {}, { "k8s.ovn.org/egressip-mark": "50000" }),
      namespace("ns", UDN),
      attachment({ topology: "localnet" }),
      inNetwork,
    ],
    text: /localnet/,
  },
  { row: 38, objects: [EIP, firewall(DENY_ALL)], text: /denied before it is routed/ },
];

describe.each(ROWS.map((one) => [`${one.row}: ${one.text.source}`, one] as const))(
  "reason %s",
  (_what, one) => {
    test("is the decisive one, and the packet does not leave by the EgressIP", () => {
      const { unusedEgressIps, outcomes } = traced(world(...one.objects), one.to ?? "8.8.8.8", one.ask);
      expect(unusedEgressIps.map(({ name }) => name)).toEqual(["eip"]);
      const [first] = unusedEgressIps[0]?.reasons ?? [];
      expect(first).toMatchObject({ row: one.row, text: expect.stringMatching(one.text) });
      expect(outcomes.map(({ source }) => source)).not.toContain("192.168.126.101");
    });
  },
);

const BESIDE: readonly (readonly [number, KubeObject, readonly KubeObject[]])[] = [
  [20, egressIp("eip", ["192.168.126.101@n1"], { namespaceSelector: { matchLabels: { a: "b" } } }), []],
  [24, egressIp("eip", ["192.168.126.101@n1"]), [egressIp("other", ["192.168.126.102@n1"])]],
  [36, egressIp("eip", ["192.168.126.101@n2"]), [egressIp("other", ["192.168.126.102@n1"])]],
  [35, egressIp("eip", ["10.99.0.1@n1"]), []],
  [
    39,
    egressIp("eip", ["192.168.126.101@n2"]),
    [node("n2", ["192.168.126.51/24"], { annotations: { "k8s.ovn.org/node-primary-ifaddr": "{" } })],
  ],
  [39, egressIp("eip", ["192.168.126.101@n1"]), [pod({ node: "n7" })]],
];

describe("what is true beside the decisive reason", () => {
  const others = (objects: readonly KubeObject[], name = "eip") => {
    const cluster = clusterOf(world(...objects));
    const view = cluster.snapshot.get("egressips.k8s.ovn.org", "", name);
    const found = cluster.pod("ns", "p");
    if (!view || !found) throw new Error("not there");
    const sender = {
      pod: found,
      node: cluster.nodes.get("n1"),
      network: cluster.networks.default,
      address: found.statusAddresses[0] ?? fail(),
    };
    return reasonsAgainst(cluster, egressIpView(view), {
      pod: found,
      sender,
      place: { type: "outside" },
      ways: [],
      family: 4,
    }).map(({ row }) => row);
  };
  const fail = (): never => {
    throw new Error("no address");
  };

  test("is told as well", () => {
    expect(
      others([egressIp("eip", ["192.168.126.101"], { podSelector: { matchLabels: { a: "b" } } })]),
    ).toEqual([21, 26]);
  });

  test.each(BESIDE)("row %d", (row, view, more) => {
    expect(others([view, ...more])).toContain(row);
  });

  test("nothing is held against one that is used", () => {
    expect(others([egressIp("eip", ["192.168.126.101@n1"])])).toEqual([]);
    expect(traced(world(egressIp("eip", ["192.168.126.101@n1"])), "8.8.8.8").unusedEgressIps).toEqual([]);
  });
});

test("each row of the table has a case", () => {
  const rows = new Set([...ROWS.map(({ row }) => row), ...BESIDE.map(([row]) => row)]);
  expect([...rows].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => 20 + at));
});

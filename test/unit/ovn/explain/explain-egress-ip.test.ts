// One case for each reason why an address of an EgressIP is unassigned: the rows of src/ovn/rules.md R140.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { type EgressIpExplanation, explainEgressIp } from "../../../../src/ovn/explain/explain-egress-ip.ts";
import type { ClusterFacts } from "../../../../src/ovn/snapshot.ts";
import { clusterOf, egressIp, egressNode, LABEL, namespace, node, pod, READY } from "../world.ts";

const N1 = egressNode("n1", ["192.168.126.12/24"]);
const N2 = egressNode("n2", ["192.168.126.51/24"]);
const wants = (...addresses: string[]) => egressIp("web", addresses);

function explained(objects: readonly KubeObject[], facts: Partial<ClusterFacts> = {}): EgressIpExplanation {
  const found = explainEgressIp(clusterOf(objects, facts), "web");
  if (!found) throw new Error("there is no EgressIP web");
  return found;
}

interface Row {
  readonly row: number;
  readonly objects: readonly KubeObject[];
  readonly address?: string;
  readonly facts?: Partial<ClusterFacts>;
  readonly text: RegExp;
  /** What is true besides. */
  readonly rest?: readonly number[];
}

const cloudNode = (name: string, address: string, limit: number, more: readonly string[] = []): KubeObject =>
  egressNode(name, [address, ...more], {
    annotations: {
      "cloud.network.openshift.io/egress-ipconfig": JSON.stringify([
        { interface: "eni", ifaddr: { ipv4: "192.168.126.0/24" }, capacity: { ipv4: limit } },
      ]),
    },
  });
const request = (
  content: Record<string, unknown>,
  owner = "web",
  more: Record<string, unknown> = {},
): KubeObject => ({
  kind: "CloudPrivateIPConfig",
  metadata: { name: "192.168.126.101", annotations: { "k8s.ovn.org/egressip-owner-ref": owner }, ...more },
  ...content,
});

const MARK = "k8s.ovn.org/egressip-mark";
/** Each has one of the 5,000 marks. */
const MARKED = Array.from({ length: 5000 }, (_, index) =>
  egressIp(`marked-${index}`, [], {}, { [MARK]: String(50_000 + index) }),
);

const ROWS: readonly Row[] = [
  {
    row: 1,
    objects: [wants("192.168.126.101"), node("n1", ["192.168.126.12/24"])],
    text: /no node is eligible/,
  },
  { row: 4, objects: [wants("192.168.126.101", "1.2.3"), N1], text: /"1\.2\.3" is no IP address/ },
  { row: 5, objects: [wants("192.168.126.12"), N1], text: /address of node n1 itself/ },
  {
    row: 6,
    objects: [wants("192.168.126.101"), egressIp("other", ["192.168.126.101@n1"]), N1, N2],
    text: /EgressIP other holds it on n1/,
  },
  { row: 7, objects: [wants("10.9.9.9"), N1, N2], text: /no network of an assignable node contains it/ },
  {
    row: 9,
    objects: [
      egressIp("web", ["10.10.10.21@n1", "10.10.10.20"]),
      egressNode("n1", ["192.168.126.12/24", "10.10.10.4/24"]),
      egressNode("n2", ["10.10.10.5/24"]),
    ],
    address: "10.10.10.20",
    text: /one per node/,
    rest: [8],
  },
  {
    row: 9,
    objects: [egressIp("web", ["192.168.126.101@n1", "192.168.126.102"]), N1],
    address: "192.168.126.102",
    text: /one per node/,
  },
  {
    row: 10,
    objects: [
      wants("192.168.126.101"),
      egressIp("other", ["192.168.126.102@n1"]),
      cloudNode("n1", "192.168.126.12/24", 1),
    ],
    facts: { onCloud: true, held: [{ egressIp: "other", address: "192.168.126.102", node: "n1" }] },
    text: /used up their capacity/,
  },
  {
    row: 14,
    objects: [
      wants("192.168.126.101"),
      N1,
      node("n9", ["192.168.126.90/24"], { annotations: { "k8s.ovn.org/host-cidrs": "{" } }),
    ],
    text: /host-cidrs of n9 cannot be read/,
  },
  {
    row: 17,
    objects: [
      wants("192.168.126.101"),
      cloudNode("n1", "192.168.126.12/24", 5),
      request({ spec: { node: "n1" } }),
    ],
    facts: { onCloud: true },
    text: /has no condition/,
  },
  {
    row: 17,
    objects: [
      wants("192.168.126.101"),
      cloudNode("n1", "192.168.126.12/24", 5),
      request({
        spec: { node: "n1" },
        status: { conditions: [{ type: "Assigned", status: "False", message: "no quota" }] },
      }),
    ],
    facts: { onCloud: true },
    text: /Assigned is False, no quota/,
  },
  {
    row: 17,
    objects: [
      wants("192.168.126.101"),
      cloudNode("n1", "192.168.126.12/24", 5),
      request({ spec: { node: "n1" } }, "stray"),
    ],
    facts: { onCloud: true },
    text: /is of EgressIP stray/,
  },
  {
    row: 17,
    objects: [
      wants("192.168.126.101"),
      cloudNode("n1", "192.168.126.12/24", 5),
      request({ spec: { node: "n1" } }, "web", { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    ],
    facts: { onCloud: true },
    text: /is being deleted/,
  },
  {
    row: 17,
    objects: [
      wants("192.168.126.101"),
      cloudNode("n1", "192.168.126.12/24", 5),
      request({
        spec: { node: "n1" },
        status: { node: "n1", conditions: [{ type: "Assigned", status: "True", message: "done" }] },
      }),
    ],
    facts: { onCloud: true },
    text: /the cloud has granted it on n1, but what .* said is in the status no more/,
  },
  {
    row: 17,
    objects: [wants("192.168.126.101"), cloudNode("n1", "192.168.126.12/24", 5)],
    facts: { onCloud: true, held: [{ egressIp: "web", address: "192.168.126.101", node: "n1" }] },
    text: /it is held on n1, and no CloudPrivateIPConfig asks for it/,
  },
  {
    row: 18,
    objects: [wants("10.10.10.20"), cloudNode("n1", "192.168.126.12/24", 5, ["10.10.10.4/24"])],
    facts: { onCloud: true },
    text: /only a secondary network of n1 contains it/,
  },
  {
    row: 3,
    objects: [wants("192.168.126.101", "192.168.126.101"), N1],
    text: /nothing is in its way/,
    rest: [19],
  },
  { row: 3, objects: [wants("192.168.126.101"), N1], text: /nothing is in its way now \(n1\)/ },
  {
    row: 0,
    objects: [wants("192.168.126.101"), N1, ...MARKED],
    text: /a packet mark, and others have all of them \(50000 to 54999\)/,
  },
  { row: 7, objects: [wants("10.9.9.9"), N1, ...MARKED], text: /no network of/, rest: [0] },
  {
    row: 3,
    objects: [
      wants("192.168.126.101"),
      N1,
      ...MARKED.slice(1),
      egressIp("last", [], {}, { [MARK]: "55000" }),
    ],
    text: /nothing is in its way/,
  },
  {
    row: 3,
    objects: [egressIp("web", ["192.168.126.101"], {}, { [MARK]: "50000" }), N1, ...MARKED],
    text: /nothing is in its way/,
  },
];

const OLDER = { product: "openshift-4.13" } as const;
/** Differences of OpenShift 4.13: src/ovn/rules.md R131 to R133. */
const OLDER_ROWS: readonly Row[] = [
  {
    row: 0,
    objects: [wants("192.168.126.12", "192.168.126.101"), N1],
    address: "192.168.126.101",
    facts: OLDER,
    text: /192\.168\.126\.12, which stands before it, is somebody else's: that ends the search/,
  },
  {
    row: 5,
    objects: [wants("192.168.126.12"), N1],
    facts: OLDER,
    text: /address of node n1 itself \(event UnsupportedRequest\)/,
  },
  {
    row: 6,
    objects: [wants("192.168.126.51"), egressIp("other", ["192.168.126.51@n1"]), N1, N2],
    facts: OLDER,
    text: /EgressIP other holds it on n1 \(no event says it\)/,
    rest: [5],
  },
  {
    row: 7,
    objects: [wants("10.10.10.20"), egressNode("n1", ["192.168.126.12/24", "10.10.10.4/24"])],
    facts: OLDER,
    text: /no network of an assignable node contains it/,
  },
  {
    row: 3,
    objects: [wants("192.168.126.101"), N1, ...MARKED],
    facts: OLDER,
    text: /nothing is in its way/,
  },
];

/** OpenShift runs no ovn-kubernetes on it. */
const WINDOWS = egressNode("n2", ["192.168.126.51/24"], {
  labels: { ...LABEL, "kubernetes.io/os": "windows" },
});

const OF_NODES: readonly (readonly [number, KubeObject])[] = [
  [11, { ...node("n2", ["192.168.126.51/24"]), ...READY }],
  [11, node("n2", ["192.168.126.51/24"], { labels: LABEL })],
  [12, egressNode("n2", ["192.168.126.51/24"], { annotations: { "egret.dev/reachable": "false" } })],
  [13, egressNode("n2", ["192.168.126.51/24"], { annotations: { "k8s.ovn.org/node-primary-ifaddr": "{" } })],
  [7, egressNode("n2", ["10.0.0.51/24"])],
  [15, WINDOWS],
];

const IN_SUM: readonly (readonly [number, readonly string[]])[] = [
  [2, ["10.9.9.9", "10.9.9.10"]],
  [3, ["192.168.126.101@n1", "10.9.9.9"]],
];

describe.each([...ROWS, ...OLDER_ROWS].map((one) => [`${one.row}: ${one.text.source}`, one] as const))(
  "reason %s",
  (_what, one) => {
    test("is told first, in the summary, and with what can be done", () => {
      const { addresses, summary, advice } = explained(one.objects, one.facts);
      const answer = addresses.find(({ address }) => one.address === undefined || address === one.address);
      expect(answer?.node).toBeUndefined();
      expect(answer?.reasons.map(({ row }) => row)).toEqual([one.row, ...(one.rest ?? [])]);
      expect(answer?.reasons[0]?.text).toMatch(one.text);
      expect(answer?.summary).toContain(answer?.reasons[0]?.text);
      expect(summary).toContain(addresses.find((other) => other.node === undefined)?.summary);
      expect(advice.length).toBeGreaterThan(0);
    });
  },
);

describe("each node", () => {
  const reasonsOf = (objects: readonly KubeObject[], name: string, facts: Partial<ClusterFacts> = {}) =>
    explained(objects, facts)
      .addresses.at(-1)
      ?.nodes.find((one) => one.node === name)
      ?.reasons.map(({ row }) => row);

  test.each(OF_NODES)("says why it cannot have the address (%d)", (row, given) => {
    const facts = row === 15 ? OLDER : {};
    expect(reasonsOf([wants("192.168.126.101"), N1, given], "n2", facts)).toEqual([row]);
  });

  test("that ovn-kubernetes leaves alone has no address that somebody else could not have", () => {
    const rows = (facts: Partial<ClusterFacts>) =>
      explained([wants("192.168.126.51"), N1, WINDOWS], facts).addresses[0]?.reasons.map(({ row }) => row);
    expect(rows(OLDER)).toEqual([3]);
    expect(rows({})).toEqual([5]);
  });

  test("says all that is against it, what decides first", () => {
    const given = node("n2", ["10.0.0.51/24"]);
    expect(reasonsOf([wants("192.168.126.101"), N1, given], "n2")).toEqual([11, 11, 7]);
  });

  test("says that it holds another address of the object, or that the address stays elsewhere", () => {
    const objects = [
      egressIp("web", ["192.168.126.101@n1", "192.168.126.102@n2"]),
      N1,
      N2,
      egressNode("n3", ["192.168.126.60/24"], { id: 4 }),
    ];
    const [first] = explained(objects).addresses;
    expect(first?.nodes).toMatchObject([
      { node: "n1", assigned: true, addresses: 1 },
      { node: "n2", assigned: false, reasons: [{ row: 9 }] },
      { node: "n3", assigned: false, addresses: 0, reasons: [{ text: "could have it; it stays on n1" }] },
    ]);
    expect(first?.summary).toBe(
      "192.168.126.101 is on n1: it stays where it was placed; addresses never move for balance",
    );
  });

  test("that has become wrong is told", () => {
    const [first] = explained([
      egressIp("web", ["192.168.126.101@n1"]),
      node("n1", ["192.168.126.12/24"]),
      N2,
    ]).addresses;
    expect(first?.reasons.map(({ row }) => row)).toEqual([16]);
  });

  test("has become somebody's own address: that is wrong in OpenShift 4.13 alone", () => {
    const objects = [egressIp("web", ["192.168.126.51@n1"]), N1, N2];
    const rows = (facts: Partial<ClusterFacts>) =>
      explained(objects, facts).addresses.flatMap(({ reasons }) => reasons.map(({ row }) => row));
    expect(rows({})).toEqual([]);
    expect(rows(OLDER)).toEqual([16]);
  });

  test("that stands twice in the spec is told, also where it has a node", () => {
    const [first] = explained([egressIp("web", ["192.168.126.101@n1", "192.168.126.101"]), N1]).addresses;
    expect(first?.node).toBe("n1");
    expect(first?.reasons.map(({ row }) => row)).toEqual([19]);
  });

  test("is held where the controller is known to hold it, also on a node that must not be used", () => {
    const [first] = explained([wants("192.168.126.101"), node("n1", ["192.168.126.12/24"]), N2], {
      held: [{ egressIp: "other", address: "192.168.126.101", node: "n1" }],
    }).addresses;
    expect(first?.reasons.map(({ row }) => row)).toEqual([6]);
  });
});

test.each(IN_SUM)("what is said of all addresses together is told of the object (%d)", (row, addresses) => {
  const { reasons } = explained([wants(...addresses), N1]);
  expect(reasons.at(-1)?.row).toBe(row);
});

test("who uses it, and who else wants to be used by them", () => {
  const shop = { namespaceSelector: { matchLabels: { team: "shop" } } };
  const { usedBy, contested } = explained([
    egressIp("web", ["192.168.126.101@n1"], shop),
    egressIp("other", ["192.168.126.102@n1"], { ...shop, podSelector: { matchLabels: { app: "b" } } }),
    N1,
    namespace("shop", { team: "shop" }),
    namespace("empty", { team: "shop" }),
    pod({ name: "a", namespace: "shop" }),
    pod({ name: "b", namespace: "shop", labels: { app: "b" } }),
    pod({ name: "gone", namespace: "shop", phase: "Succeeded" }),
  ]);
  expect(usedBy).toEqual([
    { namespace: "empty", pods: [] },
    { namespace: "shop", pods: ["a", "b"] },
  ]);
  expect(contested).toEqual([{ pod: "shop/b", egressIps: ["other", "web"] }]);
});

test("one that is not there has no explanation", () => {
  expect(explainEgressIp(clusterOf([]), "web")).toBeUndefined();
});

test("each row of the table has a case", () => {
  const ofAddresses = [...ROWS, ...OLDER_ROWS].flatMap(({ row, rest = [] }) => [row, ...rest]);
  const told = new Set([...ofAddresses, ...[...OF_NODES, ...IN_SUM].map(([row]) => row)]);
  const all = Array.from({ length: 19 }, (_, index) => index + 1);
  // Row 16 is for an assigned address that has become wrong; a test above covers it.
  expect(all.filter((row) => !told.has(row))).toEqual([16]);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { readCloudConfig } from "../../../src/ovn/assignment/node-state.ts";
import { capacityIn, readRecord } from "../../../src/ui/data/read-record.ts";
import type { Kind } from "../../../src/ui/data/records.ts";

const metadata = { uid: "u", name: "x", namespace: "shop", resourceVersion: "7" };
const common = { uid: "u", name: "x", namespace: "shop", revision: 7 };

test.each<[Kind, object, object]>([
  ["namespaces", { metadata: { labels: { env: "prod" } } }, { labels: { env: "prod" }, isEnding: false }],
  [
    "nodes",
    {
      metadata: {
        labels: { "k8s.ovn.org/egress-assignable": "" },
        annotations: { "k8s.ovn.org/zone-name": "z1" },
        deletionTimestamp: "2026-01-01T00:00:00Z",
      },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    },
    {
      labels: { "k8s.ovn.org/egress-assignable": "" },
      zone: "z1",
      isReady: true,
      isAssignable: true,
      isEnding: true,
      capacity: undefined,
    },
  ],
  [
    "nodes",
    {
      metadata: {
        labels: { "topology.kubernetes.io/zone": "west" },
        annotations: { "k8s.ovn.org/zone-name": "z1" },
      },
    },
    {
      labels: { "topology.kubernetes.io/zone": "west" },
      zone: "west",
      isReady: false,
      isAssignable: false,
      isEnding: false,
      capacity: undefined,
    },
  ],
  [
    "pods",
    {
      spec: { nodeName: "n1", hostNetwork: true },
      status: { phase: "Failed", podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "FD00::1" }] },
    },
    { labels: {}, node: "n1", hasEnded: true, isOnHost: true, addresses: ["10.0.0.1", "fd00::1"] },
  ],
  ["pods", {}, { labels: {}, node: "", hasEnded: false, isOnHost: false, addresses: [] }],
  [
    "services",
    {
      spec: { selector: { app: "web" } },
      status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }, { hostname: "web.example.com" }] } },
    },
    { selector: { app: "web" }, loadBalancerAddresses: ["192.0.2.1"] },
  ],
  [
    "egressips",
    {
      spec: { egressIPs: ["FD00::0:1", "none"], namespaceSelector: { matchLabels: { env: "prod" } } },
      status: { items: [{ egressIP: "fd00::1", node: "n1" }] },
    },
    {
      addresses: ["fd00::1", "none"],
      assigned: [{ address: "fd00::1", node: "n1" }],
      namespaceSelector: { matchLabels: { env: "prod" } },
      podSelector: undefined,
    },
  ],
  [
    "egressservices",
    { spec: { sourceIPBy: "LoadBalancerIP" }, status: { host: "n1" } },
    { host: "n1", sourceIpBy: "LoadBalancerIP", network: "" },
  ],
  [
    "cloudprivateipconfigs",
    {
      metadata: { name: "fd00.0.0.0.0.0.0.5" },
      spec: { node: "n1" },
      status: { node: "n2", conditions: [{ type: "Assigned", status: "False", message: "no room" }] },
    },
    {
      name: "fd00.0.0.0.0.0.0.5",
      address: "fd00::5",
      askedNode: "n1",
      grantedNode: "n2",
      problem: "no room",
    },
  ],
])(
  "of %s it is kept what views show",
  (kind, { metadata: own, ...rest }: { metadata?: object }, expected) => {
    const record = readRecord(kind, { metadata: { ...metadata, ...own }, ...rest });
    expect(record).toEqual({ ...common, ...expected });
  },
);

test("what has no uid is no object", () => {
  expect(readRecord("pods", { metadata: { name: "x" } })).toBeUndefined();
});

test("a node's capacity is the one that assignment goes by", () => {
  const limit = fc.constantFrom(0, 3, 14, 2 ** 31 - 1, null);
  const name = fc.constantFrom("ip", "ipv4", "ipv6", "IPv4", "other");
  const capacity = fc.uniqueArray(fc.tuple(name, limit), {
    selector: ([name]) => name.toLowerCase(),
    maxLength: 4,
  });
  const ifaddr = { ipv4: "10.0.0.0/24" };
  fc.assert(
    fc.property(capacity, (members) => {
      const text = JSON.stringify([{ interface: "eth0", ifaddr, capacity: Object.fromEntries(members) }]);
      const expected = readCloudConfig(text)?.capacity;
      const read = capacityIn(text);
      expect({ total: read?.ip, ipv4: read?.ipv4, ipv6: read?.ipv6 }).toEqual(expected);
    }),
  );
  for (const text of [undefined, "", "[]", "{}", "[1]"]) expect(capacityIn(text)).toBeUndefined();
});

import { describe, expect, test } from "vitest";
import { objectAt } from "../../../../src/apimachinery/json/json.ts";
import { parseCidr } from "../../../../src/apimachinery/meta/ip.ts";
import { isReady } from "../../../../src/apimachinery/meta/object-meta.ts";
import { readNodeState } from "../../../../src/ovn/assignment/node-state.ts";
import { capacityOf, makeNode, type NodePlan } from "../../../../src/server/nodes/make-node.ts";

const plan = (more: Partial<NodePlan> = {}): NodePlan => ({
  ...{ name: "worker-1", zone: "a", region: undefined, platform: "none", instanceType: undefined },
  ...{ assignable: true, labels: { team: "x" }, capacity: {}, now: "2026-01-01T00:00:00Z" },
  addresses: ["192.168.126.11/24", "fd00:126::b/64"].flatMap((text) => parseCidr(text) ?? []),
  ...more,
});

describe("a node that is made", () => {
  test("is one on which egress IPs can be placed", () => {
    const node = makeNode(plan());
    expect(isReady(node)).toBe(true);
    const state = readNodeState(node, undefined, { onCloud: false, hostCidrs: true });
    expect(state).toMatchObject({ labelled: true, ready: true, known: true });
    expect(state.primary.map(({ text }) => text)).toEqual(["192.168.126.0/24", "fd00:126::/64"]);
    expect(state.hostAddresses).toEqual(["192.168.126.11", "fd00:126::b"]);
    expect(node.metadata.labels).toMatchObject({
      "kubernetes.io/hostname": "worker-1",
      "topology.kubernetes.io/zone": "a",
      team: "x",
    });
    const gateway = JSON.parse(node.metadata.annotations?.["k8s.ovn.org/l3-gateway-config"] ?? "").default;
    expect(gateway).toMatchObject({
      mode: "shared",
      "ip-addresses": ["192.168.126.11/24", "fd00:126::b/64"],
      "next-hops": ["192.168.126.1", "fd00:126::1"],
    });
  });

  test("on a cloud says how many addresses it takes", () => {
    const node = makeNode(plan({ platform: "aws", instanceType: "m5.large" }));
    const state = readNodeState(node, undefined, { onCloud: true, hostCidrs: true });
    expect(state).toMatchObject({ known: true, capacity: { ipv4: 9, ipv6: 9 } });
    expect(objectAt(node, "spec")?.["providerID"]).toMatch(/^aws:\/\/\/a\/i-[0-9a-f]{17}$/);
    expect(objectAt(objectAt(node, "status"), "capacity")).toMatchObject({
      cpu: "2",
      memory: "8Gi",
      pods: "110",
    });
  });

  test("has what is asked for before what its type has", () => {
    const node = makeNode(plan({ instanceType: "c5.4xlarge", capacity: { cpu: "3", pods: "250" } }));
    expect(objectAt(objectAt(node, "status"), "allocatable")).toMatchObject({
      cpu: "3",
      memory: "32Gi",
      pods: "250",
    });
  });
});

test.each([
  ["m5.large", { cpu: "2", memory: "8Gi" }],
  ["r6g.2xlarge", { cpu: "8", memory: "64Gi" }],
  ["t3.xlarge", { cpu: "4", memory: "16Gi" }],
  ["n2-standard-4", {}],
  [undefined, {}],
])("%s has %j", (type, capacity) => {
  expect(capacityOf(type)).toEqual(capacity);
});

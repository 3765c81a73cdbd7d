// Differences between two clusters, and their text.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { compare, type Difference } from "../../../src/ovn/compare.ts";
import { asText, blocksOfDifference, summaryOfDifference } from "../../../src/ovn/tell.ts";
import { advertised, denyByPolicy, served } from "./trace/example.ts";
import { clusterOf, egressIp, firewall, namespace, node, object, pod, world } from "./world.ts";

const difference = (before: readonly KubeObject[], after: readonly KubeObject[]): Difference =>
  compare(clusterOf(world(...before)), clusterOf(world(...after)));
const service = (host: string) =>
  object("EgressService", { name: "svc", namespace: "ns" }, { status: { host } });
const event = (count: number, type = "Warning") =>
  object(
    "Event",
    { name: "web.1", namespace: "default" },
    { type, count, reason: "R", message: "m", involvedObject: { kind: "EgressIP", name: "web" } },
  );

test("nothing differs from itself", () => {
  const objects = [egressIp("web", ["192.168.126.101@n1"]), service("n1"), event(1)];
  const none = difference(objects, objects);
  expect(none).toEqual({
    moved: [],
    services: [],
    pods: [],
    decided: [],
    nodes: [],
    events: [],
    refused: [],
  });
  expect(asText(blocksOfDifference(none))).toBe("Nothing would be different\n");
});

test("addresses move, are lost, and get a node; the pods that they are for leave otherwise", () => {
  const found = difference(
    [
      egressIp("a", ["192.168.126.101@n1"]),
      egressIp("b", ["192.168.126.102@n1"], { podSelector: { matchLabels: { no: "body" } } }),
    ],
    [
      egressIp("a", ["192.168.126.101"]),
      egressIp("b", ["192.168.126.102@n2", "192.168.126.103@n1"], {
        podSelector: { matchLabels: { no: "body" } },
      }),
    ],
  );
  expect(found.moved).toEqual([
    { egressIp: "a", address: "192.168.126.101", from: "n1" },
    { egressIp: "b", address: "192.168.126.102", from: "n1", to: "n2" },
    { egressIp: "b", address: "192.168.126.103", to: "n1" },
  ]);
  expect(found.pods).toEqual([{ pod: "ns/p", from: "192.168.126.101", to: "192.168.126.12" }]);
  expect(found.nodes).toMatchObject([
    { node: "n1", before: 2, after: 1 },
    { node: "n2", before: 0, after: 1 },
  ]);
  expect(summaryOfDifference(found)).toBe(
    "1 egress address moves, 1 egress address is lost, 1 egress address gets a node, 1 pod leaves otherwise",
  );
  expect(asText(blocksOfDifference(found))).toMatch(/ {2}a +192\.168\.126\.101 {2}n1 +nothing\n/);
});

test("an EgressIP that is gone has lost its addresses, and pods that are gone leave no more", () => {
  const before = clusterOf(world(egressIp("a", ["192.168.126.101@n1"])));
  const after = clusterOf(world().filter(({ kind }) => kind !== "Pod"));
  expect(compare(before, after)).toMatchObject({
    moved: [{ egressIp: "a", from: "n1" }],
    pods: [{ pod: "ns/p", from: "192.168.126.101", to: "gone" }],
  });
});

test("hosts of EgressServices", () => {
  expect(difference([service("n1")], [service("n2")]).services).toEqual([
    { egressService: "ns/svc", from: "n1", to: "n2" },
  ]);
  expect(difference([service("n1")], [service("")]).services).toEqual([
    { egressService: "ns/svc", from: "n1", to: "" },
  ]);
});

describe("events", () => {
  test("that are new, or were said again, are told if they warn", () => {
    const told = { object: "EgressIP web", reason: "R", message: "m" };
    expect(difference([], [event(1)]).events).toEqual([told]);
    expect(difference([event(1)], [event(2)]).events).toEqual([told]);
    expect(difference([], [event(1, "Normal")]).events).toEqual([]);
  });
});

test("pods that an EgressIP does not speak of are not looked at", () => {
  const objects = [pod({ name: "q", namespace: "other", ips: ["10.128.1.9"] })];
  expect(
    difference(
      [...objects, egressIp("a", ["192.168.126.101@n1"])],
      [...objects, egressIp("a", ["192.168.126.101@n2"])],
    ).pods,
  ).toEqual([]);
});

describe("pods", () => {
  const label = { team: "shop" };
  const eip = egressIp("a", ["192.168.126.101@n1"], { namespaceSelector: { matchLabels: label } });
  const deny = { type: "Deny", to: { cidrSelector: "8.0.0.0/8" } };

  test("leave otherwise when their namespace, their labels, their Service or the gateways change", () => {
    const pods = (before: readonly KubeObject[], after: readonly KubeObject[]) =>
      difference(before, after).pods;
    expect(pods([eip, namespace("ns", label)], [eip])).toEqual([
      { pod: "ns/p", from: "192.168.126.101", to: "192.168.126.12" },
    ]);
    const chosen = egressIp("a", ["192.168.126.101@n1"], { podSelector: { matchLabels: label } });
    expect(pods([chosen], [chosen, pod({ labels: label })])).toEqual([
      { pod: "ns/p", from: "192.168.126.12", to: "192.168.126.101" },
    ]);
    expect(pods(served("n1", [["10.128.1.3", "n1"]]), served("", [["10.128.1.3", "n1"]]))).toEqual([
      { pod: "ns/p", from: "5.5.5.5", to: "192.168.126.12" },
    ]);
    expect(pods([], [advertised])).toEqual([{ pod: "ns/p", from: "192.168.126.12", to: "10.128.1.3" }]);
  });

  test("whose node goes are gone with it; others on it are not", () => {
    const before = clusterOf(
      world(pod({ name: "q", node: "n2", ips: ["10.128.2.3"] }), egressIp("a", ["192.168.126.101@n1"])),
    );
    const after = clusterOf(
      world(pod({ name: "q", node: "n2", ips: ["10.128.2.3"] }), egressIp("a", ["192.168.126.101"])).filter(
        ({ metadata }) => metadata.name !== "n1",
      ),
    );
    expect(compare(before, after).pods).toEqual([
      { pod: "ns/q", from: "192.168.126.101", to: "192.168.126.51" },
    ]);
  });

  test("that something is denied now are told with the range and who denies it", () => {
    const found = difference([], [firewall(deny)]);
    expect(found.decided).toEqual([
      {
        pod: "ns/p",
        range: "8.0.0.0/8",
        from: "allowed",
        to: "denied",
        by: "EgressFirewall ns/default rule 0",
      },
    ]);
    expect(summaryOfDifference(found)).toBe("1 pod is decided otherwise");
    expect(asText(blocksOfDifference(found))).toMatch(
      /ns\/p +8\.0\.0\.0\/8 +allowed +denied +EgressFirewall/,
    );
    expect(difference([firewall(deny)], [firewall(deny), denyByPolicy]).decided).toMatchObject([
      { range: "0.0.0.0/0", from: "allowed", to: "denied", by: "NetworkPolicy ns/deny" },
    ]);
    expect(difference([firewall(deny)], []).decided).toMatchObject([
      { from: "denied", to: "allowed", by: "" },
    ]);
  });
});

describe("room", () => {
  const limited = (name: string, labels: Record<string, string>): KubeObject => ({
    ...node(name, ["192.168.126.12/24"], {
      labels,
      annotations: {
        "cloud.network.openshift.io/egress-ipconfig": JSON.stringify([
          { interface: "eni", ifaddr: { ipv4: "192.168.126.0/24" }, capacity: { ipv4: 2 } },
        ]),
      },
    }),
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
  const LABEL = { "k8s.ovn.org/egress-assignable": "" };
  const nodesOf = (before: readonly KubeObject[], after: readonly KubeObject[], onCloud: boolean) =>
    compare(clusterOf(world(...before), { onCloud }), clusterOf(world(...after), { onCloud })).nodes;

  test("is what the capacity leaves of each family, and none on a node that takes no address", () => {
    const [one, two] = [["192.168.126.101@n1"], ["192.168.126.101@n1", "192.168.126.102@n1"]];
    expect(
      nodesOf([limited("n1", LABEL), egressIp("a", one)], [limited("n1", LABEL), egressIp("a", two)], true),
    ).toEqual([
      {
        node: "n1",
        before: 1,
        after: 2,
        left: { before: { ipv4: 1, ipv6: 0 }, after: { ipv4: 0, ipv6: 0 } },
      },
    ]);
    expect(nodesOf([limited("n1", LABEL)], [limited("n1", {})], false)).toEqual([
      { node: "n1", before: 0, after: 0, left: { before: { ipv6: 0 }, after: { ipv4: 0, ipv6: 0 } } },
    ]);
  });
});

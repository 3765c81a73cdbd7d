// What differs between two clusters, and how it is told.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/meta/object-meta.ts";
import { compare, type Difference } from "../../../src/verdict/compare.ts";
import { asText, blocksOfDifference, summaryOfDifference } from "../../../src/verdict/tell.ts";
import { clusterOf, egressIp, object, pod, world } from "./world.ts";

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
  expect(none).toEqual({ moved: [], services: [], pods: [], nodes: [], events: [], refused: [] });
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
  expect(found.nodes).toEqual([
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

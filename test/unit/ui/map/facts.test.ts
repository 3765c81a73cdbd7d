import { describe, expect, test } from "vitest";
import { type AddressFact, factsOf, needsAttention, worst } from "../../../../src/ui/map/facts.ts";
import { type Move, MoveLog, moveKey, movesBetween } from "../../../../src/ui/map/moves.ts";
import { egressIp, factsOfWorld, knownOf, node } from "./worlds.ts";

const request = (address: string, askedNode: string, grantedNode: string, problem = "") => ({
  ...{ uid: address, revision: 1, namespace: "", name: address },
  ...{ address, askedNode, grantedNode, problem },
});

describe("an address", () => {
  const cases: [
    what: string,
    on: string,
    requests: ReturnType<typeof request>[],
    mark: string,
    note: string,
  ][] = [
    ["on a node is assigned", "n1", [], "ok", ""],
    ["without a node says so", "", [], "bad", "has no node"],
    [
      "that the cloud was asked for waits",
      "",
      [request("10.0.0.1", "n1", "")],
      "wait",
      "the cloud is asked for n1",
    ],
    ["that the cloud refuses says why", "", [request("10.0.0.1", "n1", "", "full")], "wait", "full"],
    [
      "that the cloud moves waits",
      "n1",
      [request("10.0.0.1", "n2", "n1")],
      "wait",
      "the cloud is asked for n2",
    ],
    ["that the cloud has granted is assigned", "n1", [request("10.0.0.1", "n1", "n1")], "ok", ""],
    [
      "that was granted and is in no status has no node",
      "",
      [request("10.0.0.1", "n1", "n1")],
      "bad",
      "has no node",
    ],
    ["is not touched by requests for others", "n1", [request("10.0.0.2", "n2", "")], "ok", ""],
  ];
  test.each(cases)("%s", (_what, on, cloudRequests, mark, note) => {
    const { targets } = factsOfWorld({ egressIps: [egressIp("web", { "10.0.0.1": on })], cloudRequests });
    expect(targets[0]?.addresses[0]).toMatchObject({ node: on, mark, note });
  });

  test("moves for four seconds after it came to its node", () => {
    const known = knownOf({ egressIps: [egressIp("web", { "10.0.0.1": "n2" })] });
    const move: Move = { egressIp: "web", address: "10.0.0.1", from: "n1", to: "n2", atMs: 1_000 };
    const at = (nowMs: number): AddressFact | undefined =>
      factsOf(known, new Map([[moveKey("web", "10.0.0.1"), move]]), nowMs).targets[0]?.addresses[0];
    expect(at(4_999)).toMatchObject({ mark: "move", move: { from: "n1" } });
    expect(at(5_000)).toMatchObject({ mark: "ok", move: { from: "n1" } });
  });

  test("of an EgressIP whose spec names none is that of its status", () => {
    const record = { ...egressIp("web", { "10.0.0.1": "n1" }), addresses: [] };
    expect(factsOfWorld({ egressIps: [record] }).targets[0]?.addresses).toMatchObject([
      { address: "10.0.0.1" },
    ]);
  });
});

describe("an EgressService", () => {
  const service = (host: string) => ({
    ...{ uid: "1", revision: 1, namespace: "shop", name: "front" },
    ...{ host, sourceIpBy: "LoadBalancerIP", network: "" },
  });

  test("has the addresses of its load balancer on its host", () => {
    const { targets } = factsOfWorld({
      egressServices: [service("n1")],
      loadBalancerOf: () => ["192.0.2.10"],
    });
    expect(targets[0]).toMatchObject({
      ...{ key: "es/shop/front", mark: "ok", users: ["shop"] },
      addresses: [{ address: "192.0.2.10", node: "n1" }],
    });
  });

  test("without a host has no node", () => {
    expect(factsOfWorld({ egressServices: [service("")] }).targets[0]?.mark).toBe("bad");
  });

  test("on every node is on none in particular", () => {
    expect(factsOfWorld({ egressServices: [service("ALL")] }).targets[0]?.addresses).toMatchObject([
      { node: "", mark: "ok", note: "every node, by its own address" },
    ]);
  });
});

describe("a node", () => {
  const held = { egressIps: [egressIp("web", { "10.0.0.1": "n1", "fd00::1": "n1", "10.0.0.2": "n1" })] };
  const nodeOf = (more: Parameters<typeof node>[1]) =>
    factsOfWorld({ ...held, nodes: [node("n1", more)] }).nodes[0];

  test("counts what it holds by family, with its limits", () => {
    expect(nodeOf({ capacity: { ipv4: 14, ipv6: 15 } })?.meters).toEqual([
      { label: "IPv4", used: 2, of: 14 },
      { label: "IPv6", used: 1, of: 15 },
    ]);
  });
  test("whose cloud counts both families together has one meter", () => {
    expect(nodeOf({ capacity: { ip: 10 } })?.meters).toEqual([{ label: "IP", used: 3, of: 10 }]);
  });
  test("without a limit says how much it holds", () => {
    expect(nodeOf({})?.meters).toEqual([
      { label: "IPv4", used: 2 },
      { label: "IPv6", used: 1 },
    ]);
  });
  test.each([
    [{}, "ok", "Ready · assignable"],
    [{ isAssignable: false }, "ok", "Ready · not assignable"],
    [{ isReady: false }, "bad", "not Ready"],
    [{ isEnding: true }, "bad", "ending"],
  ])("of %j is %s: %s", (more, mark, state) => {
    expect(nodeOf(more)).toMatchObject({ mark, state });
  });
});

test("a namespace bears the worst mark of what it uses, and its labels but its own name", () => {
  const { namespaces } = factsOfWorld({
    egressIps: [egressIp("good", { "10.0.0.1": "n1" }), egressIp("lost", { "10.0.0.2": "" })],
    teams: { a: { pods: 2, egressIps: ["good", "lost"] }, b: { pods: 1, egressIps: [] } },
  });
  expect(namespaces).toMatchObject([
    { name: "a", mark: "bad", pods: 2, labels: "team=a", hasEgress: true },
    { name: "b", mark: "ok", hasEgress: false },
  ]);
});

test("addresses are counted by their marks", () => {
  const { counts } = factsOfWorld({ egressIps: [egressIp("a", { "10.0.0.1": "n1", "10.0.0.2": "" })] });
  expect(counts).toEqual({ ok: 1, bad: 1, wait: 0, move: 0, twice: 0 });
});

test("the worst of marks is what needs attention most", () => {
  expect(worst(["ok", "wait", "twice"])).toBe("twice");
  expect(worst([])).toBe("ok");
  expect((["bad", "twice", "wait", "move", "ok"] as const).filter(needsAttention)).toEqual([
    "bad",
    "twice",
    "wait",
  ]);
});

describe("moves", () => {
  const web = (on: string) => egressIp("web", { "10.0.0.1": on });
  test("are what differs between two states", () => {
    expect(movesBetween(web("n1"), web("n2"), 7)).toEqual([
      { egressIp: "web", address: "10.0.0.1", from: "n1", to: "n2", atMs: 7 },
    ]);
    expect(movesBetween(web("n1"), web("n1"), 7)).toEqual([]);
  });
  test("are none where an object comes or goes, or an address leaves the spec", () => {
    expect(movesBetween(undefined, web("n1"), 7)).toEqual([]);
    expect(movesBetween(web("n1"), undefined, 7)).toEqual([]);
    expect(movesBetween(web("n1"), egressIp("web", {}), 7)).toEqual([]);
  });
  test("over a short time without a node are from the node before", () => {
    const log = new MoveLog();
    log.add(movesBetween(web("n1"), web(""), 0));
    expect(log.add(movesBetween(web(""), web("n2"), 9_999))).toMatchObject([{ from: "n1", to: "n2" }]);
    log.add(movesBetween(web("n2"), web(""), 20_000));
    expect(log.add(movesBetween(web(""), web("n3"), 30_000))).toMatchObject([{ from: "", to: "n3" }]);
  });
  test("are forgotten from the oldest on", () => {
    const log = new MoveLog();
    for (let at = 0; at < 5_001; at++)
      log.add([{ egressIp: "web", address: String(at), from: "a", to: "b", atMs: at }]);
    expect(log.newest.size).toBe(5_000);
    expect(log.newest.has(moveKey("web", "0"))).toBe(false);
  });
});

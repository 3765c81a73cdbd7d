// Parsing an EgressIP, lookup by node, assignment of marks, and which addresses are kept after a restart.

import { describe, expect, test } from "vitest";
import { Allocator } from "../../../../../src/ovn/assignment/allocator.ts";
import {
  type EgressIp,
  invalidIn,
  preloadItems,
  readEgressIp,
  wantedBy,
} from "../../../../../src/ovn/assignment/egress-ip-spec.ts";
import { readNodeState } from "../../../../../src/ovn/assignment/node-state.ts";
import { EgressIpIndex } from "../../../../../src/ovn/controllers/egressip/egress-ip.ts";
import { Numbers } from "../../../../../src/ovn/controllers/network-annotations/numbers.ts";
import { Cluster, egressIpObject, MARK, nodeObject } from "../../../kube/controllers/support.ts";

const [IP1, IP2] = ["192.168.126.101", "192.168.126.102"];

/** With items "address@node". */
const egressIp = (name: string, addresses: readonly string[], items?: readonly string[]): EgressIp =>
  readEgressIp(
    egressIpObject(name, addresses, {
      status: items && {
        items: items.map((item) => {
          const [egressIP = "", node = ""] = item.split("@");
          return { egressIP, node };
        }),
      },
    }),
  );

describe("what is read", () => {
  test("is empty where nothing stands", () => {
    const bare = { name: "", uid: "", requested: [], items: [], hasStatus: false, mark: undefined };
    expect(readEgressIp({ metadata: {} })).toEqual(bare);
    const object = { metadata: { annotations: { [MARK]: "" } }, status: { items: [{}] } };
    const item = { egressIP: "", node: "" };
    expect(readEgressIp(object)).toEqual({ ...bare, hasStatus: true, mark: "", items: [item] });
  });

  test("as wanted are the addresses once each by canonical text, unless one of them is none", () => {
    const twice = egressIp("e", ["FC00::1", IP1, "fc00:0::1"]);
    expect([...(wantedBy(twice)?.keys() ?? [])]).toEqual(["fc00::1", IP1]);
    expect(invalidIn(twice)).toBe("");
    const bad = egressIp("e", [IP1, "x", "y"]);
    expect([wantedBy(bad), invalidIn(bad)]).toEqual([undefined, "x"]);
  });
});

describe("an index of EgressIPs", () => {
  const told = (index: EgressIpIndex) => ({
    all: index.all().map(({ name }) => name),
    incomplete: [...index.incomplete()].sort(),
    n1: index.onNode("n1").map(({ name }) => name),
    n2: index.onNode("n2").map(({ name }) => name),
  });

  test("knows who lacks an item and who has one on a node, after each change", () => {
    const index = new EgressIpIndex();
    index.set(egressIp("b", [IP1, IP2], [`${IP1}@n1`, `${IP2}@n2`]));
    index.set(egressIp("a", [IP1], []));
    expect(told(index)).toEqual({ all: ["a", "b"], incomplete: ["a"], n1: ["b"], n2: ["b"] });
    index.set(egressIp("b", [IP1, IP2], [`${IP2}@n2`]));
    index.set(egressIp("a", [IP1], [`${IP1}@n1`]));
    expect(told(index)).toEqual({ all: ["a", "b"], incomplete: ["b"], n1: ["a"], n2: ["b"] });
    index.set(egressIp("a", [], [`${IP1}@n1`]));
    expect(told(index).incomplete).toEqual(["a", "b"]);
    index.delete("b");
    index.delete("nobody");
    expect(told(index)).toEqual({ all: ["a"], incomplete: ["a"], n1: ["a"], n2: [] });
    expect([index.get("b"), index.get("a")?.name]).toEqual([undefined, "a"]);
  });
});

describe("marks", () => {
  const MARKS = { first: 50_000, last: 54_999, goingRound: true } as const;

  test("are kept, go round, and are given again last", () => {
    const marks = new Numbers(MARKS);
    expect(["a", "b", "a"].map((name) => marks.of(name))).toEqual([50_000, 50_001, 50_000]);
    marks.release("a");
    marks.release("nobody");
    expect(marks.of("c")).toBe(50_002);
    for (let number = 3; number < 5000; number++) expect(marks.of(`e${number}`)).toBe(50_000 + number);
    expect(marks.of("a")).toBe(50_000);
    expect(marks.of("d")).toBeUndefined();
    marks.release("e4999");
    expect([marks.of("d"), marks.of("e4999")]).toEqual([54_999, undefined]);
  });

  test("that are carried already are not given to others", () => {
    const marks = new Numbers(MARKS);
    expect(marks.reserve("a", 50_000)).toBe(true);
    expect(marks.reserve("b", 50_000)).toBe(false); // which keeps it, and has none of its own here
    expect(marks.reserve("c", 54_999)).toBe(true);
    expect(["d", "b", "a", "c"].map((name) => marks.of(name))).toEqual([50_001, 50_002, 50_000, 54_999]);
  });

  test.each(["49999", "55000", "-50000", "5e4", "50000.5", "", "x"])(
    "that are none, as %j, change nothing",
    async (text) => {
      const cluster = await Cluster.start();
      await cluster.addNode("n1", { ipv4: "192.168.126.11/24" });
      await cluster.addEgressIp("a", [IP1], { annotations: { [MARK]: text } });
      await cluster.addEgressIp("b", [IP2]);
      expect([await cluster.mark("a"), await cluster.mark("b")]).toEqual([text, "50000"]);
      await cluster.stop();
    },
  );
});

test("who holds an address after a restart: the first that is right, then the first", () => {
  const allocator = new Allocator();
  const options = { onCloud: false, hostCidrs: true };
  for (const [name, ipv4] of [
    ["n1", "192.168.126.11/24"],
    ["n2", "192.168.126.12/24"],
    ["far", "10.0.0.1/24"],
  ] as const) {
    allocator.setNode({ ...readNodeState(nodeObject(name, { ipv4 }), undefined, options), reachable: true });
  }
  const ips = [103, 104, 105, 106].map((last) => `192.168.126.${last}`);
  const [unwanted = "", far = "", invalid = "", spelled = ""] = ips;
  preloadItems(allocator, [
    egressIp("a", [IP2], [`${IP1}@n1`, `${unwanted}@n1`]),
    egressIp("b", [IP1, far], [`${IP1}@n2`, `${far}@far`]),
    egressIp("c", [IP1], [`${IP1}@n1`]),
    egressIp("d", [invalid, "x"], [`${invalid}@n1`, "x@n1"]),
    egressIp("e", [spelled], [`::ffff:${spelled}@n1`, `${spelled}@nowhere`]),
  ]);
  const held = [IP1, unwanted, far, invalid, spelled, "x"].map((address) => allocator.holderOf(address));
  expect(held).toEqual([
    { egressIp: "b", node: "n2" },
    { egressIp: "a", node: "n1" },
    { egressIp: "b", node: "far" },
    { egressIp: "d", node: "n1" },
    undefined,
    undefined,
  ]);
});

import { describe, expect, test } from "vitest";
import { fold } from "../../../../src/ui/map/fold.ts";
import { keptStop, rowKeyOf, stepFrom } from "../../../../src/ui/map/stops.ts";
import { sortOf, tableLines } from "../../../../src/ui/map/table-rows.ts";
import { addressLabel, rowLabel, shortAddress } from "../../../../src/ui/map/words.ts";
import { egressIp, factsOfWorld, knownOf, node } from "./worlds.ts";

const world = {
  nodes: [node("n1")],
  egressIps: [egressIp("a", { "10.0.0.1": "n1", "10.0.0.2": "n1" }), egressIp("b", { "10.0.0.3": "" })],
  teams: { shop: { pods: 2, egressIps: ["a", "b"] } },
};
const facts = factsOfWorld(world);
const { who, leaves } = fold(facts, knownOf(world), { manner: "auto", turned: new Set() });
const rows = leaves.rows;

describe("the keyboard", () => {
  test("stops at each address of a card, and at its ends stays", () => {
    const way = ["eip/b#0"];
    for (let at = 0; at < 4; at++) way.push(stepFrom(rows, way.at(-1) ?? "", "ArrowDown"));
    expect(way).toEqual(["eip/b#0", "eip/a#0", "eip/a#1", "eip/a#1", "eip/a#1"]);
    expect(stepFrom(rows, "eip/a#0", "ArrowUp")).toBe("eip/b#0");
    expect(stepFrom(rows, "eip/b#0", "ArrowUp")).toBe("eip/b#0");
    expect([stepFrom(rows, "eip/a#0", "Home"), stepFrom(rows, "eip/b#0", "End")]).toEqual([
      "eip/b#0",
      "eip/a#1",
    ]);
  });
  test("stays with its object, and goes to what came into the place of one that has gone", () => {
    expect(keptStop(rows, "eip/a#1", 0)).toBe("eip/a#1");
    expect(keptStop(rows, "eip/gone#3", 1)).toBe("eip/a#0");
    expect(keptStop(rows, "eip/gone#3", 9)).toBe("eip/a#0");
    expect(keptStop([], "eip/a#0", 0)).toBe("");
    expect(rowKeyOf("pod/ns/x-1")).toBe("pod/ns/x-1");
  });
});

describe("words", () => {
  test("say of an address whose it is, where, and what is the matter", () => {
    const [first, second] = facts.targets;
    expect([first, second].map((target) => target && addressLabel(target, target.addresses[0]!))).toEqual([
      "10.0.0.1 of EgressIP a, on n1",
      "10.0.0.3 of EgressIP b, has no node",
    ]);
  });
  test("say of a move where from and where to", () => {
    const target = facts.targets[0]!;
    const move = { egressIp: "a", address: "10.0.0.1", from: "n0", to: "n1", atMs: 0 };
    const fact = { ...target.addresses[0]!, mark: "move" as const, move };
    expect(addressLabel(target, fact)).toMatch(/^10\.0\.0\.1 of EgressIP a, moving from n0 to n1, moved at /);
  });
  test("say of pods by what they leave", () => {
    expect(who.rows.map((row) => rowLabel(row, true))).toEqual([
      "Namespace shop, 2 pods, team=shop",
      "Pod shop-0, ! a, b",
      "Pod shop-1, ! a, b",
    ]);
  });
  test.each([
    ["192.168.126.102", ".102"],
    ["fd00::65", ":65"],
    ["odd", "odd"],
  ])("%s is %s on a chip", (address, short) => {
    expect(shortAddress(address)).toBe(short);
  });
});

test("the table is in the order that was asked for, what needs attention first otherwise", () => {
  const order = (sort: string) =>
    tableLines(facts.targets, sortOf(sort))
      .map(({ fact }) => fact.address.slice(-1))
      .join("");
  expect([order(""), order("address"), order("-address"), order("unheard-of")]).toEqual([
    "312",
    "123",
    "321",
    "312",
  ]);
});

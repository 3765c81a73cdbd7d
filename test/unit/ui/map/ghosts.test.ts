// A plan on the map: the future assignments, the EgressIPs that lose an address, and the nodes involved.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Difference } from "../../../../src/ovn/compare.ts";
import { factsOf } from "../../../../src/ui/map/facts.ts";
import { fold } from "../../../../src/ui/map/fold.ts";
import { ghostsOf, isLoser, isUnmoved } from "../../../../src/ui/map/ghosts.ts";
import { linksOfPlace } from "../../../../src/ui/map/lines.ts";
import { addressLabel, nodeLabel } from "../../../../src/ui/map/words.ts";
import { egressIp, factsOfWorld, generated, knownOf, node } from "./worlds.ts";

const NOTHING: Difference = {
  ...{ moved: [], services: [], pods: [], decided: [], nodes: [], events: [], refused: [] },
};
const world = {
  egressIps: [
    egressIp("kept", { "10.0.0.9": "b" }),
    egressIp("mail", { "10.0.0.3": "a" }),
    egressIp("web", { "10.0.0.1": "a", "10.0.0.2": "b" }),
  ],
  nodes: [node("a"), node("b"), node("c")],
  teams: { shop: { pods: 1, egressIps: ["web"] }, idle: { pods: 1, egressIps: ["kept"] } },
};
const room = { ipv4: 1, ipv6: 0 };
const difference: Difference = {
  ...NOTHING,
  moved: [
    { egressIp: "mail", address: "10.0.0.3", from: "a" },
    { egressIp: "new", address: "10.0.0.7", to: "b" },
    { egressIp: "web", address: "10.0.0.1", from: "a", to: "b" },
    { egressIp: "web", address: "10.0.0.8", to: "d" },
  ],
  nodes: [{ node: "b", before: 2, after: 4, left: { before: room, after: room } }],
};
const fates = new Map([["a", "would be not Ready"]]);
const facts = factsOfWorld(world);
const shown = ghostsOf(facts, difference, fates);

describe("a plan on the map", () => {
  test("has what would be different, who loses an address first", () => {
    expect(shown.targets.map(({ name }) => name)).toEqual(["mail", "new", "web"]);
    expect(shown.targets.map(isLoser)).toEqual([true, false, false]);
    expect(shown.namespaces.map(({ name }) => name)).toEqual(["shop"]);
    expect(shown.nodes.map(({ name }) => name)).toEqual(["a", "b", "d"]);
  });

  test("is said in words", () => {
    const said = shown.targets.flatMap((target) =>
      target.addresses.map((fact) => addressLabel(target, fact)),
    );
    expect(said).toEqual([
      "10.0.0.3 of EgressIP mail, on a, would have no node",
      "10.0.0.7 of EgressIP new, not there yet, would be on b",
      "10.0.0.1 of EgressIP web, on a, would be on b",
      "10.0.0.2 of EgressIP web, on b",
      "10.0.0.8 of EgressIP web, not there yet, would be on d",
    ]);
    expect(shown.nodes.map(nodeLabel)).toEqual([
      "Node a, zone west, Ready · assignable, would be not Ready",
      "Node b, zone west, Ready · assignable, would hold 4, now 2",
      "Node d, not there yet",
    ]);
  });

  test("leads to where addresses would be, and to where the lost ones are", () => {
    const folded = fold(shown, knownOf(world), { manner: "auto", turned: new Set(), first: new Set() });
    const name = (key: string) => key.slice(key.indexOf("/") + 1);
    const links = linksOfPlace(folded, shown.targets).map(({ from, to, style }) => [
      name(folded.leaves.rows[from]?.key ?? ""),
      name(folded.from.rows[to]?.key ?? ""),
      style,
    ]);
    expect(links.sort()).toEqual(
      [
        ["mail", "a", "lost"],
        ["new", "b", "ghost"],
        ["web", "a", "ok"],
        ["web", "b", "ghost"],
        ["web", "b", "ok"],
        ["web", "d", "ghost"],
      ].sort(),
    );
  });

  test("of nothing is nothing", () => {
    expect(isUnmoved(ghostsOf(facts, NOTHING, new Map()))).toBe(true);
  });

  test("an EgressService that no node would host stands out", () => {
    const known = knownOf({
      ...world,
      egressServices: [
        {
          uid: "s",
          revision: 1,
          namespace: "shop",
          name: "api",
          host: "a",
          sourceIpBy: "LoadBalancerIP",
          network: "",
        },
      ],
    });
    const services = [{ egressService: "shop/api", from: "a", to: "" }];
    const { targets } = ghostsOf(factsOfWorld({ ...known }), { ...NOTHING, services }, new Map());
    expect(targets.map(isLoser)).toEqual([true]);
  });
});

test("however much would move, who would lose an address has a row, and every ghost is on the map", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 9 }), (count, every) => {
      const large = generated({ nodes: 10, egressIps: count, namespaces: 5, pods: 1 });
      const all = factsOf(large, new Map(), 0);
      const moved = all.targets.flatMap(({ name, addresses }, index) =>
        addresses
          .filter(({ node }) => node !== "")
          .map(({ address, node: from }) => ({
            ...{ egressIp: name, address, from },
            ...(index % every === 0 ? {} : { to: "elsewhere" }),
          })),
      );
      const passing = ghostsOf(all, { ...NOTHING, moved }, new Map());
      const { leaves } = fold(passing, large, { manner: "auto", turned: new Set() });
      expect(moved.length).toBeGreaterThan(0);
      expect(passing.targets).toHaveLength(new Set(moved.map(({ egressIp }) => egressIp)).size);
      for (const target of passing.targets) {
        const row = leaves.rows[leaves.placeOf.get(target.key) ?? -1];
        expect(row?.kind === "target" || (row?.kind === "group" && !isLoser(target))).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { factsOf } from "../../../../src/ui/map/facts.ts";
import { fold } from "../../../../src/ui/map/fold.ts";
import { layoutOf, scrollTo, visibleRows } from "../../../../src/ui/map/layout.ts";
import {
  curve,
  LINES_MAX,
  type Line,
  linesOf,
  linksOfPlace,
  linksOfUse,
  widthOf,
} from "../../../../src/ui/map/lines.ts";
import { egressIp, generated, knownOf, node, worlds } from "./worlds.ts";

function drawn(
  known: ReturnType<typeof knownOf>,
  { manner = "auto" as "auto" | "none", turned = [""] } = {},
) {
  const facts = factsOf(known, new Map(), 0);
  const folded = fold(facts, known, { manner, turned: new Set(turned) });
  return {
    facts,
    folded,
    use: linksOfUse(folded, facts.targets, known),
    place: linksOfPlace(folded, facts.targets),
  };
}

const large = generated({ nodes: 500, egressIps: 5_000, namespaces: 200, pods: 100 });

describe("rows", () => {
  const { folded } = drawn(large, { manner: "none" });
  const { rows } = folded.leaves;
  const layout = layoutOf(rows);

  test("stand below each other, as high as their kind", () => {
    expect(layout.tops[0]).toBe(0);
    expect(layout.tops[rows.length]).toBe(layout.height);
    expect(layoutOf(rows, 2).height).toBe(layout.height * 2);
  });

  test("that are seen are built, and a few more, however many there are", () => {
    fc.assert(
      fc.property(fc.nat(Math.ceil(layout.height)), fc.integer({ min: 1, max: 900 }), (scroll, height) => {
        const [from, to] = visibleRows(layout, { scroll, height });
        expect(to - from).toBeLessThanOrEqual(40);
        for (let index = 0; index < rows.length; index++) {
          const isSeen =
            (layout.tops[index + 1] ?? 0) > scroll && (layout.tops[index] ?? 0) < scroll + height;
          if (isSeen && (index < from || index >= to)) throw new Error(`row ${index} is missing`);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("of an empty column are none", () => {
    expect(visibleRows(layoutOf([]), { scroll: 0, height: 500 })).toEqual([0, 0]);
  });

  test("are scrolled to only as far as is needed", () => {
    const view = { scroll: 1_000, height: 500 };
    const inView = [...layout.tops].findIndex((top) => top > 1_100);
    expect(scrollTo(layout, inView, view)).toBe(1_000);
    expect(scrollTo(layout, 0, view)).toBe(0);
    expect(scrollTo(layout, rows.length - 1, view)).toBe(layout.height - 500);
  });
});

describe("lines", () => {
  const side = (rows: Parameters<typeof layoutOf>[0], height: number, scroll = 0) => ({
    ...{ layout: layoutOf(rows), view: { scroll, height }, scale: 1 },
  });

  test("lead from who uses an address over it to its node", () => {
    const known = knownOf({
      nodes: [node("n1")],
      egressIps: [egressIp("web", { "10.0.0.1": "n1", "10.0.0.2": "" })],
      teams: { shop: { pods: 20, egressIps: ["web"] } },
    });
    const { use, place } = drawn(known);
    expect(use).toMatchObject([{ from: 0, to: 0, style: "bad", count: 1 }]);
    expect(place).toMatchObject([{ from: 0, to: 0, style: "ok", count: 1 }]);
    expect(drawn(known, { turned: ["ns/shop"] }).use).toHaveLength(20);
  });

  test("of a pod that several match are dotted", () => {
    const known = knownOf({
      egressIps: [egressIp("a", { "10.0.0.1": "n1" }), egressIp("b", { "10.0.0.2": "n1" })],
      teams: { shop: { pods: 1, egressIps: ["a", "b"] } },
    });
    expect(drawn(known).use.map(({ style }) => style)).toEqual(["twice", "twice"]);
  });

  test("of what moves lead to the new node and to the old one", () => {
    const known = knownOf({
      nodes: [node("n1"), node("n2")],
      egressIps: [egressIp("web", { "10.0.0.1": "n2" })],
    });
    const move = { egressIp: "web", address: "10.0.0.1", from: "n1", to: "n2", atMs: 0 };
    const facts = factsOf(known, new Map([["web 10.0.0.1", move]]), 0);
    const folded = fold(facts, known, { manner: "auto", turned: new Set() });
    expect(linksOfPlace(folded, facts.targets).map(({ to, style }) => `${to} ${style}`)).toEqual([
      "1 move",
      "0 old",
    ]);
  });

  test("are never more than can be painted, and stand for all that ends where somebody looks", () => {
    fc.assert(
      fc.property(worlds, fc.nat(3_000), fc.integer({ min: 100, max: 4_000 }), (world, scroll, height) => {
        const { folded, use } = drawn(knownOf(world), { manner: "none" });
        const left = side(folded.who.rows, height);
        const right = side(folded.leaves.rows, height, scroll);
        const { lines, beyond } = linesOf(use, left, right);
        expect(lines.length).toBeLessThanOrEqual(LINES_MAX);
        const ends = (at: number, { layout, view }: typeof left, y: number) =>
          (layout.tops[at] ?? 0) + y - view.scroll;
        const isSeen = (y: number) => y >= 0 && y <= height;
        const expected = use.filter(
          ({ from, to, fromY, toY }) => isSeen(ends(from, left, fromY)) || isSeen(ends(to, right, toY)),
        );
        const total = (counted: readonly { count: number }[]) =>
          counted.reduce((sum, { count }) => sum + count, 0);
        expect(total(lines)).toBe(total(expected));
        const hidden = expected.filter(({ to, toY }) => !isSeen(ends(to, right, toY)));
        expect(beyond[1].above + beyond[1].below).toBe(total(hidden));
        for (const { fromY, toY } of lines) {
          expect(fromY >= 0 && fromY <= height && toY >= 0 && toY <= height).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("of a large cluster that is shown whole are bundled until they are few", () => {
    const { folded, place } = drawn(large, { manner: "none" });
    const { lines } = linesOf(place, side(folded.leaves.rows, 100_000), side(folded.from.rows, 100_000));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(LINES_MAX);
  });

  const line = (count: number, style: Line["style"] = "ok"): Line => ({
    ...{ from: 0, to: 0, fromY: 10.4, toY: 20, count, style },
  });
  test("grow with what they stand for, up to a limit", () => {
    expect([1, 2, 1_000].map((count) => widthOf(line(count)))).toEqual([1.5, 2.5, 8]);
  });
  test("are curves over the space between", () => {
    expect(curve(line(1), 100)).toBe("M0 10C50 10 50 20 100 20");
  });
});

test("facts, rows, places and lines of 5,000 EgressIPs cost little more than those of 500, object by object", () => {
  const small = generated({ nodes: 50, egressIps: 500, namespaces: 20, pods: 100 });
  const cost = (known: typeof large): number => {
    const times = Array.from({ length: 3 }, () => {
      const before = process.cpuUsage();
      const { folded } = drawn(known);
      layoutOf(folded.leaves.rows);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    });
    return Math.min(...times);
  };
  cost(small);
  expect(cost(large)).toBeLessThan(60 * Math.max(cost(small), 500));
});

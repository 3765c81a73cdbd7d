import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRoute } from "../../../../src/ui/frame/route.ts";
import { factsOf, type Known } from "../../../../src/ui/map/facts.ts";
import { type Filter, filterOf, passing } from "../../../../src/ui/map/filter.ts";
import { type FoldOptions, fold, MANNERS, type Row, type Rows } from "../../../../src/ui/map/fold.ts";
import { egressIp, generated, knownOf, node, type World, worlds } from "./worlds.ts";

const filter = (query: string): Filter => filterOf(parseRoute("/egret/ui/map", query));

function folded(known: Known, options: Partial<FoldOptions> = {}, query = "") {
  const facts = passing(factsOf(known, new Map(), 0), filter(query));
  return { facts, ...fold(facts, known, { manner: "auto", turned: new Set(), ...options }) };
}

const keysOf = ({ rows }: Rows): string[] => rows.map(({ key }) => key);
const isObject = (row: Row): boolean => row.kind !== "group" && row.kind !== "pod";

/** How many objects a column shows: those with a row, and those that closed groups count. */
const shown = ({ rows }: Rows): number =>
  rows.reduce(
    (sum, row) => sum + (isObject(row) ? 1 : row.kind === "group" && !row.isOpen ? row.count : 0),
    0,
  );
const podsShown = ({ rows }: Rows): number =>
  rows.reduce((sum, row) => {
    if (row.kind === "pod") return sum + 1;
    if (row.kind === "namespace") return sum + (row.isOpen ? 0 : row.of.pods);
    return row.kind === "group" && !row.isOpen ? sum + row.pods : sum;
  }, 0);

test("every object is in exactly one visible row or one visible count", () => {
  const queries = ["", "?q=eip-1", "?state=none", "?node=a", "?ns=b,c-1", "?family=4", "?state=assigned&q=c"];
  fc.assert(
    fc.property(
      worlds,
      fc.constantFrom(...MANNERS),
      fc.constantFrom(...queries),
      fc.func(fc.boolean()),
      (world: World, manner, query, isTurned) => {
        const known = knownOf(world);
        const closed = folded(known, { manner }, query);
        const turned = new Set(
          [closed.who, closed.leaves, closed.from].flatMap(keysOf).filter((key) => isTurned(key)),
        );
        const { facts, who, leaves, from } = folded(known, { manner, turned }, query);
        for (const [column, objects] of [
          [who, facts.namespaces],
          [leaves, facts.targets],
          [from, facts.nodes],
        ] as const) {
          expect(shown(column)).toBe(objects.length);
          expect(new Set(keysOf(column)).size).toBe(column.rows.length);
          for (const { key } of objects) {
            const row = column.rows[column.placeOf.get(key) ?? -1];
            expect(row?.key === key || row?.kind === "group").toBe(true);
          }
        }
        expect(podsShown(who)).toBe(facts.namespaces.reduce((sum, { pods }) => sum + pods, 0));
      },
    ),
    { numRuns: 60 },
  );
});

describe("what stands first", () => {
  const known = knownOf({
    egressIps: [egressIp("a", { "10.0.0.1": "n1" }), egressIp("z", { "10.0.0.2": "" })],
    nodes: [node("n1"), node("n2", { isReady: false })],
  });
  test("is what needs attention, the rest by name", () => {
    const { leaves, from } = folded(known);
    expect(keysOf(leaves)).toEqual(["eip/z", "eip/a"]);
    expect(keysOf(from)).toEqual(["node/n2", "node/n1"]);
  });
  test("stays where it is while somebody looks at it", () => {
    expect(keysOf(folded(known, { first: new Set(["eip/a"]) }).leaves)).toEqual(["eip/a", "eip/z"]);
  });
});

describe("a large cluster", () => {
  const known = generated({ nodes: 500, egressIps: 5_000, namespaces: 200, pods: 100 });
  const { who, leaves, from } = folded(known);

  test("is folded to what can be looked over", () => {
    expect(leaves.rows.length).toBeLessThanOrEqual(66);
    expect(who.rows.length).toBeLessThanOrEqual(66);
    expect(from.rows.length).toBeLessThanOrEqual(20);
  });
  test("shows five that need attention, and counts the others", () => {
    expect(leaves.rows.slice(0, 5).every((row) => row.kind === "target" && row.of.mark === "bad")).toBe(true);
    expect(leaves.rows[5]).toMatchObject({ kind: "group", key: "leaves/attention", count: 495, mark: "bad" });
  });
  test("opens a group in its place", () => {
    const [, , , , , attention, group] = leaves.rows;
    const opened = folded(known, { turned: new Set([group?.key ?? ""]) }).leaves;
    expect(opened.rows[5]).toEqual(attention);
    expect(opened.rows[6]).toMatchObject({ key: group?.key, isOpen: true });
    expect(opened.rows[7]?.kind).toBe("target");
  });
  test("is shown whole to who asks for it", () => {
    expect(folded(known, { manner: "none" }).leaves.rows).toHaveLength(5_000);
  });
});

test("pods stand below an open namespace, and by themselves where there are few", () => {
  const known = knownOf({ teams: { a: { pods: 2, egressIps: [] }, b: { pods: 1, egressIps: [] } } });
  expect(keysOf(folded(known).who)).toEqual(["ns/a", "pod/a/a-0", "pod/a/a-1", "ns/b", "pod/b/b-0"]);
  expect(keysOf(folded(known, { turned: new Set(["ns/a"]) }).who)).toEqual(["ns/a", "ns/b", "pod/b/b-0"]);
  const many = knownOf({ teams: { a: { pods: 11, egressIps: [] } } });
  expect(keysOf(folded(many).who)).toEqual(["ns/a"]);
});

describe("a filter", () => {
  const known = knownOf({
    nodes: [node("n1"), node("n2")],
    egressIps: [
      egressIp("mail", { "10.0.0.1": "n1" }),
      egressIp("six", { "fd00::1": "n2" }),
      egressIp("lost", { "10.0.0.3": "" }),
    ],
    teams: {
      shop: { pods: 1, egressIps: ["mail"] },
      bank: { pods: 1, egressIps: ["six", "lost"] },
      idle: { pods: 1, egressIps: [] },
    },
  });
  const names = (query: string) => {
    const { facts } = folded(known, {}, query);
    return [facts.namespaces, facts.targets, facts.nodes].map((list) =>
      list.map(({ name }) => name).join(" "),
    );
  };
  test.each([
    ["", ["bank idle shop", "lost mail six", "n1 n2"]],
    ["?state=none", ["bank", "lost", ""]],
    ["?state=assigned,none&family=6", ["bank", "six", "n2"]],
    ["?ns=shop", ["shop", "mail", "n1"]],
    ["?node=n2", ["bank", "six", "n2"]],
    ["?family=4", ["bank shop", "lost mail", "n1"]],
    ["?q=MAIL", ["shop", "mail", "n1"]],
    ["?q=idle", ["idle", "", ""]],
    ["?q=10.0.0.3", ["bank", "lost", ""]],
    ["?q=west", ["", "", "n1 n2"]],
    ["?state=unheard-of", ["bank idle shop", "lost mail six", "n1 n2"]],
  ])("%s", (query, expected) => {
    expect(names(query)).toEqual(expected);
  });
});

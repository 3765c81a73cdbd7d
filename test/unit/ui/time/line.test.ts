import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../../../src/ui/time/entries.ts";
import { moveFrom, placed, stateAt, timeOf } from "../../../../src/ui/time/line.ts";

const change = (revision: number, toldMs: number | undefined, rest: Partial<Entry> = {}): Entry => ({
  ...{ key: `c${revision}`, lane: "nodes", revision, toldMs, isExact: false },
  ...{ mark: "plain", text: "", by: "", of: undefined, ...rest },
});
const request = (toldMs: number, revision?: number): Entry => ({
  ...change(revision ?? 0, toldMs, { key: `r${toldMs} ${revision}`, lane: "requests", isExact: true }),
  revision,
});

describe("the line of time", () => {
  test("has states in their order, whatever their times say, and each entry once", () => {
    const entry = fc.oneof(
      fc
        .tuple(fc.integer({ min: 1, max: 60 }), fc.option(fc.integer({ min: 0, max: 90 })))
        .map(([revision, second]) => change(revision, second === null ? undefined : second * 1_000)),
      fc
        .tuple(fc.integer({ min: 0, max: 90_000 }), fc.option(fc.integer({ min: 1, max: 60 })))
        .map(([ms, revision]) => request(ms, revision ?? undefined)),
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), (all) => {
        const line = placed(all);
        expect(line.map(({ key }) => key).sort()).toEqual([...new Set(all.map(({ key }) => key))].sort());
        for (const [index, { atMs, at }] of line.slice(1).entries()) {
          expect(atMs).toBeGreaterThanOrEqual(line[index]?.atMs ?? 0);
          expect(at).toBeGreaterThanOrEqual(line[index]?.at ?? 0);
        }
        expect(placed(line)).toEqual(line);
      }),
    );
  });

  test("knows when a request wrote, and spreads what shares a second", () => {
    const line = placed([change(7, 5_000), change(8, 5_000), change(9, undefined), request(5_600, 9)]);
    expect(line.map(({ at, atMs, lane }) => [at, atMs, lane])).toEqual([
      [7, 5_000, "nodes"],
      [8, 5_300, "nodes"],
      [9, 5_600, "nodes"],
      [9, 5_600, "requests"],
    ]);
  });

  test("a request that changed nothing stands in the state of its time", () => {
    const line = placed([change(3, 1_000), change(4, 9_000), request(5_000)]);
    expect(line.map(({ key, at }) => [key, at])).toEqual([
      ["c3", 3],
      ["r5000 undefined", 3],
      ["c4", 4],
    ]);
    expect(stateAt(line, 8_999)).toBe(3);
    expect(stateAt(line, 999)).toBeUndefined();
    expect(timeOf(line, 4)).toBe(9_000);
    expect(timeOf(line, 3)).toBe(1_000);
    expect(timeOf(line, 2)).toBeUndefined();
  });

  test("leads to the next move and the one before; a first node is none", () => {
    const move = (from: string) => ({ move: { egressIp: "web", address: "a", from, to: "n2" } });
    const line = placed([
      ...[
        change(2, 1_000, move("")),
        change(5, 2_000, move("n1")),
        change(6, 3_000),
        change(9, 4_000, move("n3")),
      ],
    ]);
    expect(moveFrom(line, undefined, -1)?.at).toBe(9);
    expect(moveFrom(line, 9, -1)?.at).toBe(5);
    expect(moveFrom(line, 5, -1)).toBeUndefined();
    expect(moveFrom(line, 2, 1)?.at).toBe(5);
    expect(moveFrom(line, 9, 1)).toBeUndefined();
    expect(moveFrom(line, undefined, 1)).toBeUndefined();
  });

  test("20,000 entries are placed within a second", () => {
    const all = Array.from({ length: 20_000 }, (_, index) => change(index + 1, (index >> 3) * 1_000));
    const begun = performance.now();
    expect(placed(all)).toHaveLength(20_000);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});

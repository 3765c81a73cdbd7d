import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SortedMap } from "../../../../src/storage/mvcc/sorted-map.ts";

// Small enough to collide, large enough to make chunks split and join.
const key = fc.integer({ min: 0, max: 3000 }).map((n) => `/${n}`);

describe("a sorted map", () => {
  test("answers like a sorted list, while chunks split and join", () => {
    fc.assert(
      fc.property(
        fc.array(key, { minLength: 900, maxLength: 3000, size: "max" }),
        fc.array(key, { maxLength: 3000, size: "max" }),
        fc.array(fc.tuple(key, key), { minLength: 5, maxLength: 5 }),
        (added, removed, bounds) => {
          const map = new SortedMap<number>();
          added.forEach((key, index) => {
            map.set(key, index);
          });
          const plain = new Map(added.map((key, index) => [key, index]));
          for (const key of removed) {
            map.delete(key);
            plain.delete(key);
          }
          expect(map.size).toBe(plain.size);
          const keys = [...plain.keys()].sort();
          for (const [from, to] of [...bounds, ["", "~"], ["~", ""]] as const) {
            const inside = keys.filter((key) => key >= from && key < to);
            expect(map.count({ from, to })).toBe(inside.length);
            expect([...map.entries({ from, to })].map((entry) => entry.key)).toEqual(inside);
            const values = inside.map((key) => plain.get(key));
            expect(map.values({ from, to }, Number.POSITIVE_INFINITY)).toEqual(values);
            expect(map.values({ from, to }, 3)).toEqual(values.slice(0, 3));
          }
        },
      ),
      { numRuns: 8 },
    );
  });

  test("a chunk that runs empty beside a full one is taken out", () => {
    const map = new SortedMap<number>();
    const keys = Array.from({ length: 1500 }, (_, n) => `/${n + 1000}`);
    for (const [index, key] of keys.entries()) map.set(key, index);
    for (const key of keys.slice(500, 1100)) map.delete(key);
    map.set("/2099x", 1);
    expect(map.count({ from: "/1499", to: "/2101" })).toBe(3);
    expect(map.values({ from: "/1499", to: "/2102" }, 9)).toEqual([499, 1, 1100, 1101]);
  });

  test("a removed key is gone for every way of asking", () => {
    const map = new SortedMap<number>();
    map.set("/a", 1);
    map.set("/a", 2);
    map.delete("/b");
    expect([map.get("/a"), map.size]).toEqual([2, 1]);
    map.delete("/a");
    expect([map.get("/a"), map.has("/a"), map.size, map.count({ from: "", to: "~" })]).toEqual([
      undefined,
      false,
      0,
      0,
    ]);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SortedMap } from "../../../../src/storage/mvcc/sorted-map.ts";
import { EVERY_KEY } from "../../../../src/storage/store.ts";

// Small enough to collide, large enough to make chunks split and join.
const key = fc.integer({ min: 0, max: 3000 }).map((n) => `/${n}`);

interface Item {
  readonly key: string;
  readonly value: number;
}

const newMap = (hashed: boolean): SortedMap<Item> => new SortedMap({ hashed });
const mapOf = (hashed: boolean, keys: readonly string[]): SortedMap<Item> => {
  const map = newMap(hashed);
  for (const [value, key] of keys.entries()) map.set({ key, value });
  return map;
};
const shown = (map: SortedMap<Item>) => [...map.items(EVERY_KEY)].map(({ key, value }) => `${key}=${value}`);
const valuesIn = (map: SortedMap<Item>, from: string, to: string, limit = Number.POSITIVE_INFINITY) =>
  map.values({ from, to }, limit).map(({ value }) => value);

describe.each([
  ["with a hash", true],
  ["without a hash", false],
])("a sorted map %s", (_, hashed) => {
  test("answers like a sorted list, while chunks split and join", () => {
    fc.assert(
      fc.property(
        fc.array(key, { minLength: 900, maxLength: 3000, size: "max" }),
        fc.array(key, { maxLength: 3000, size: "max" }),
        fc.array(fc.tuple(key, key), { minLength: 5, maxLength: 5 }),
        (added, removed, bounds) => {
          const map = mapOf(hashed, added);
          const plain = new Map(added.map((key, index) => [key, index]));
          for (const key of removed) {
            map.delete(key);
            plain.delete(key);
          }
          for (const key of [...added, ...removed]) {
            if (map.get(key)?.value !== plain.get(key) || map.has(key) !== plain.has(key)) expect.fail(key);
          }
          const keys = [...plain.keys()].sort();
          for (const [from, to] of [...bounds, ["", "~"], ["~", ""]] as const) {
            const inside = keys.filter((key) => key >= from && key < to);
            expect(map.count({ from, to })).toBe(inside.length);
            expect([...map.items({ from, to })].map((item) => item.key)).toEqual(inside);
            const values = inside.map((key) => plain.get(key));
            expect(valuesIn(map, from, to)).toEqual(values);
            expect(valuesIn(map, from, to, 3)).toEqual(values.slice(0, 3));
          }
        },
      ),
      { numRuns: 8 },
    );
  });

  test("a chunk that runs empty beside a full one is taken out", () => {
    const keys = Array.from({ length: 1500 }, (_, n) => `/${n + 1000}`);
    const map = mapOf(hashed, keys);
    for (const key of keys.slice(500, 1100)) map.delete(key);
    map.set({ key: "/2099x", value: 1 });
    expect(map.count({ from: "/1499", to: "/2101" })).toBe(3);
    expect(valuesIn(map, "/1499", "/2102", 9)).toEqual([499, 1, 1100, 1101]);
  });

  test("one with changes is what setting and deleting would make of it, and the first one stays as it is", async () => {
    const changed = fc.array(fc.tuple(key, fc.option(fc.nat(), { nil: undefined })), {
      maxLength: 2000,
      size: "max",
    });
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 3000, size: "max" }), changed, async (keys, pairs) => {
        const first = mapOf(hashed, keys);
        const before = shown(first);
        const changes = new Map(
          pairs.map(([key, value]) => [key, value === undefined ? undefined : { key, value }]),
        );
        const made = await first.with(changes);
        expect(shown(first)).toEqual(before);
        for (const [key, item] of changes) {
          if (item === undefined) first.delete(key);
          else first.set(item);
        }
        expect(shown(made)).toEqual(shown(first));
        expect(made.count(EVERY_KEY)).toBe(first.count(EVERY_KEY));
        for (const key of ["/0", "/1", "/1500", "/2999"]) {
          expect(made.get(key)).toBe(first.get(key));
          made.set({ key, value: 1 });
          first.set({ key, value: 1 });
        }
        expect(shown(made)).toEqual(shown(first));
      }),
      { numRuns: 12 },
    );
  });

  test("a removed key is gone for every way of asking", () => {
    const map = newMap(hashed);
    map.set({ key: "/a", value: 1 });
    map.set({ key: "/a", value: 2 });
    map.delete("/b");
    expect([map.get("/a")?.value, map.count(EVERY_KEY)]).toEqual([2, 1]);
    map.delete("/a");
    expect([map.get("/a"), map.has("/a"), map.count(EVERY_KEY)]).toEqual([undefined, false, 0]);
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import type { KeyRange } from "../../../../src/storage/store.ts";
import { RangeIndex } from "../../../../src/storage/watch/watch-index.ts";

const bound = fc.string({ unit: fc.constantFrom("a", "b", "c", "\0"), maxLength: 3 });
const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ from: bound, to: bound }) },
  { weight: 2, arbitrary: fc.nat(20) },
);

test("a key finds just the items whose range holds it, whatever was added and removed", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), fc.array(bound, { minLength: 10 }), (actions, keys) => {
      const index = new RangeIndex<KeyRange>();
      const ranges: KeyRange[] = [];
      for (const action of actions) {
        if (typeof action === "number") {
          const [range] = ranges.splice(action % Math.max(ranges.length, 1), 1);
          if (range !== undefined) index.remove(range, range);
        } else {
          ranges.push(action);
          index.add(action, action);
        }
      }
      for (const key of keys) {
        const expected = ranges.filter(({ from, to }) => key >= from && key < to);
        expect(new Set(index.at(key))).toEqual(new Set(expected));
        expect(index.at(key)).toHaveLength(expected.length);
      }
      for (const range of ranges) index.remove(range, range);
      expect(index.size).toBe(0);
    }),
    { numRuns: 200 },
  );
});

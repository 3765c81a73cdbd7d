import fc from "fast-check";
import { expect, test } from "vitest";
import { axisOf, msAt, ticksOf, xOf } from "../../../../src/ui/time/axis.ts";

const TIMES = fc
  .array(fc.integer({ min: 0, max: 7_200_000 }), { minLength: 1, maxLength: 60 })
  .map((times) => times.toSorted((a, b) => a - b));

test("later is never further left, all lies within the width, and there is a way back", () => {
  fc.assert(
    fc.property(TIMES, fc.integer({ min: 300, max: 2_000 }), (times, width) => {
      const [from, to] = [times[0] ?? 0, (times.at(-1) ?? 0) + 1];
      const axis = axisOf(times, from, to, width);
      const places = times.map((ms) => xOf(axis, ms));
      for (const [index, x] of places.entries()) {
        expect(x).toBeGreaterThanOrEqual(places[index - 1] ?? 0);
        expect(x).toBeLessThanOrEqual(width + 1e-6);
        expect(Math.abs(xOf(axis, msAt(axis, x)) - x)).toBeLessThan(0.01);
      }
      const ticks = ticksOf(axis, 90);
      for (const [index, { x }] of ticks.slice(1).entries())
        expect(x - (ticks[index]?.x ?? 0)).toBeGreaterThanOrEqual(90);
    }),
  );
});

test("a long pause is folded, and what happened has the room", () => {
  const times = [0, 1_000, 2_000, 3_600_000, 3_601_000];
  const axis = axisOf(times, 0, 3_601_001, 1_000);
  expect(axis.pieces.filter(({ isFold }) => isFold)).toHaveLength(1);
  expect(xOf(axis, 2_000) - xOf(axis, 0)).toBeGreaterThan(5);
  const even = axisOf([0, 1_000, 2_000, 3_000], 0, 3_001, 1_000);
  expect(even.pieces).toHaveLength(1);
});

test("what is outside is not inside", () => {
  const axis = axisOf([1_000, 2_000], 1_000, 2_000, 500);
  expect(xOf(axis, 999)).toBeLessThan(0);
  expect(xOf(axis, 2_001)).toBeGreaterThan(500);
  expect(axisOf([], 5, 5, 500).pieces).toHaveLength(1);
});

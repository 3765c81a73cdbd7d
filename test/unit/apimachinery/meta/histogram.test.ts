import { expect, test } from "vitest";
import { Histogram } from "../../../../src/apimachinery/meta/histogram.ts";

test("a value stands in the first bucket that holds it, and in sum and count", () => {
  const histogram = new Histogram([1, 2, 4]);
  for (const value of [0, 1, 1.5, 4, 5]) histogram.observe(value);
  expect(histogram.buckets).toEqual([2, 1, 1]);
  expect(histogram).toMatchObject({ sum: 11.5, count: 5 });
});

// Lists longer than the arguments that a call can take: appending and searching.
import { expect, test } from "vitest";
import { append, greatest, leading, smallest } from "../../../../src/apimachinery/meta/lists.ts";

const LONG = 1_000_000;
const numbers = Array.from({ length: LONG }, (_, index) => index);

test("lists of any length are added, in their order", () => {
  const list = [-1];
  append(list, numbers, new Set([LONG]));
  expect(list).toHaveLength(LONG + 2);
  expect([list[0], list[1], list.at(-2), list.at(-1)]).toEqual([-1, 0, LONG - 1, LONG]);
});

test("the greatest and the smallest of lists of any length, and of none", () => {
  expect(greatest(numbers, 0)).toBe(LONG - 1);
  expect(smallest(numbers, Infinity)).toBe(0);
  expect(greatest([], 7)).toBe(7);
  expect(smallest([], 7)).toBe(7);
});

test("the items that pass are counted without looking at all of them", () => {
  for (let length = 0; length <= 20; length++) {
    for (let count = 0; count <= length; count++) {
      expect(leading(numbers.slice(0, length), (number) => number < count)).toBe(count);
    }
  }
  let asked = 0;
  const isSmall = (number: number) => {
    asked++;
    return number < 777_777;
  };
  expect(leading(numbers, isSmall)).toBe(777_777);
  expect(asked).toBeLessThanOrEqual(20);
});

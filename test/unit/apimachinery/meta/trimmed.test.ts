import { expect, test } from "vitest";
import { trimmed } from "../../../../src/apimachinery/meta/lists.ts";

test.each([0, 1, 2, 15, 16, 17, 1000])("a list of %d items stays as it is", (length) => {
  const list = Array.from({ length }, (_, index) => index);
  expect(trimmed([...list])).toEqual(list);
});

test("a short list is made anew, without its room, and a long one is not copied", () => {
  const [short, long] = [[1, 2], Array.from({ length: 100 }, () => 1)];
  expect(trimmed(short)).not.toBe(short);
  expect(trimmed(long)).toBe(long);
});

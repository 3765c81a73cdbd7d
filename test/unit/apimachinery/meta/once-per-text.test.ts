import { expect, test } from "vitest";
import { memoizeText } from "../../../../src/apimachinery/meta/memoize.ts";

test("a text is looked at once, also when nothing comes of it", () => {
  const asked: string[] = [];
  const read = memoizeText((text) => {
    asked.push(text);
    return text === "nothing" ? undefined : text.length;
  });
  expect(["abc", "nothing", "abc", "nothing"].map(read)).toEqual([3, undefined, 3, undefined]);
  expect(asked).toEqual(["abc", "nothing"]);
});

test("long texts are not remembered, nor more than a thousand short ones", () => {
  let asked = 0;
  const read = memoizeText((text) => {
    asked++;
    return text.length;
  });
  const long = "x".repeat(1001);
  expect([read(long), read(long)]).toEqual([1001, 1001]);
  expect(asked).toBe(2);
  for (let number = 0; number <= 1000; number++) read(String(number));
  asked = 0;
  read("1000");
  read("0");
  expect(asked).toBe(1);
});

// Compiled selectors: bounded, compact, shared, and fast to match with any number of requirements.
import { describe, expect, test } from "vitest";
import type { LabelRequirement } from "../../../../src/apimachinery/meta/label-requirement.ts";
import { parseLabelSelector } from "../../../../src/apimachinery/meta/label-selector.ts";
import { compileRules } from "../../../../src/apimachinery/meta/selector-rules.ts";

const many = (count: number, term: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => term(index)).join(",");
const absent = (count: number): LabelRequirement[] =>
  Array.from({ length: count }, (_, index) => ({ key: `k${index}`, operator: "!", values: [] }));

describe("the rules of many requirements", () => {
  test("are shared while they are in use", () => {
    expect(compileRules(absent(1000))).toBe(compileRules(absent(1000)));
    expect(compileRules(absent(1000))).not.toBe(compileRules(absent(1001)));
    expect(compileRules(absent(3))).toEqual(compileRules(absent(3)));
  });

  test("of one key are one rule", () => {
    const selector = parseLabelSelector(`${many(2000, (index) => `a notin (v${index})`)},a>5,a<9,b`);
    expect(selector.matches({ a: "7", b: "" })).toBe(true);
    for (const a of ["5", "9", "v3", "x"]) expect(selector.matches({ a, b: "" })).toBe(false);
    expect(selector.matches({ a: "7" })).toBe(false);
    expect(selector.matches({ b: "" })).toBe(false);
  });

  test("that contradict each other select nothing", () => {
    const selector = parseLabelSelector(`${many(50, (index) => `!k${index}`)},a in (1,2),a=3`);
    expect(selector.matches({ a: "1" })).toBe(false);
    expect(selector.matches({ a: "3" })).toBe(false);
    expect(selector.anchor?.values?.list()).toEqual([]);
  });

  test("have the key with the fewest values as anchor", () => {
    const values = many(100, (index) => `v${index}`);
    const selector = parseLabelSelector(`a in (${values}),b in (x,y),c`);
    expect([selector.anchor?.key, selector.anchor?.values?.list()]).toEqual(["b", ["x", "y"]]);
    expect(parseLabelSelector(`${many(50, (index) => `!k${index}`)},c`).anchor).toMatchObject({ key: "c" });
  });

  test("cost a search for each label", () => {
    const selector = parseLabelSelector(many(100_000, (index) => `!k${index}`));
    const labels = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`label-${index}`, "x"]));
    const before = process.cpuUsage();
    for (let time = 0; time < 1000; time++) expect(selector.matches(labels)).toBe(true);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000); // one after the other: over a minute
  });
});

describe("a text is a 400", () => {
  test.each([
    ["that is too long", " ".repeat(1024 * 1024 + 1), "the selector is longer than 1048576 characters"],
    [
      "with too many requirements",
      many(131_073, () => "a"),
      "the selector has more than 131072 requirements and values",
    ],
    [
      "with too many values",
      `a in (${many(131_073, () => "a")})`,
      "the selector has more than 131072 requirements and values",
    ],
  ])("%s", (_, text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
  });
});

// A real server's lexer takes a NUL for the end of what it reads.
test.each([
  ["a\0,b", { a: "", b: "" }, true],
  ["a\0,b", { a: "" }, false],
  ["a=\0b", { a: "b" }, true],
  ["a,\0\0b", {}, undefined],
  ["a \0b", { a: "" }, true],
])("%j with a NUL", (text, labels, expected) => {
  if (expected === undefined) expect(() => parseLabelSelector(text)).toThrow("identifier after ','");
  else expect(parseLabelSelector(text).matches(labels)).toBe(expected);
});

import { expect, test } from "vitest";
import { cpuMs } from "../../../../support/cpu-time.ts";
import { compiled, costOf } from "../support.ts";

test.each([
  ["a constant", "1", 0],
  ["a variable", "n", 1],
  ["an operator", "n + 1", 2],
  ["an operator on texts, by their length", '"0123456789" + "0123456789"', 2],
  ["a function without a cost of its own", "s.size()", 2],
  ["a selection", "m.a", 2],
  ["a lookup", "list[0]", 2],
  ["a list that is made", "[1, n]", 1 + 10],
  ["a constant list", "[1, 2]", 0],
  ["a map that is made", '{"a": 1}', 30],
  ["what is not evaluated", "b || 1 / 0 == 1", 1],
  ["a search in a text, by both lengths", `"${"x".repeat(100)}".contains("${"x".repeat(20)}")`, 20],
  ["a match, by both lengths", `"${"x".repeat(99)}".matches("${"x".repeat(20)}")`, 50],
  ["membership in a list, by its length", "'c' in list", 4],
  ["membership in a constant list", "s in ['a', 'b']", 1],
  ["a loop, for each round", "list.all(x, true)", 11],
])("the cost of %s: %s", (_what, text, expected) => {
  expect(costOf(text)).toBe(expected);
});

const LIMIT = "operation cancelled: actual cost limit exceeded";

test.each([
  ["nested loops", `lists.range(1000).all(x, ${"lists.range(1000).all(y, ".repeat(3)}true))))`],
  ["lists that double", `[[1]]${".map(x, x + x)".repeat(100)}.size()`],
  ["texts that double", `["a"]${".map(x, x + x)".repeat(100)}.size()`],
  [
    "values that share their parts, compared",
    `[1]${".map(x, [x, x])".repeat(100)} == [1]${".map(x, [x, x])".repeat(100)}`,
  ],
  ["values that share their parts, written", `"%s".format([[1]${".map(x, [x, x])".repeat(100)}])`],
  ["values that share their parts, flattened", `[1]${".map(x, [x, x])".repeat(100)}.flatten(1000)`],
  ["a text that grows with every replacement", `"a"${".replace('', 'aaaaaaaaaaaaaaaaaaaa')".repeat(50)}`],
  ["a match of a long text with a long pattern", `"${"a".repeat(40_000)}".matches("${"a?".repeat(20_000)}")`],
])("%s are given up in bounded time", (_what, text) => {
  const start = cpuMs();
  expect(compiled(text).evaluate([])).toMatchObject({ error: LIMIT, exhausted: true });
  expect(cpuMs() - start).toBeLessThan(5_000);
});

test("a limit can be set for each evaluation", () => {
  const loop = compiled("lists.range(10).all(x, true)");
  expect(loop.evaluate([], 1000)).toMatchObject({ value: true });
  expect(loop.evaluate([], 10)).toMatchObject({ error: LIMIT, exhausted: true });
});

test("what was given up leaves the next evaluation alone", () => {
  compiled(`[1]${".map(x, [x, x])".repeat(100)}.flatten(1000)`).evaluate([]);
  expect(compiled("[1, 2].distinct().size() == 2").evaluate([])).toMatchObject({ value: true });
});

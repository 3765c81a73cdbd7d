import { describe, expect, test } from "vitest";
import { compileExpression, environmentOf } from "../../../../src/apimachinery/cel/evaluate.ts";
import { DYN, INT, STRING, struct } from "../../../../src/apimachinery/cel/language/types.ts";
import type { Environment } from "../../../../src/apimachinery/cel/library/declare.ts";
import { jsonOfValue, valueOfJson } from "../../../../src/apimachinery/cel/values/collections.ts";

const FIELDS = new Map([
  ["text", STRING],
  ["count", INT],
  ["any", DYN],
]);
const THING = struct("Thing", (name) => FIELDS.get(name));
const ENV: Environment = {
  ...environmentOf(
    new Map([
      ["data", DYN],
      ["asked", STRING],
      ["asked.further", INT],
    ]),
  ),
  messageType: (name) => (name === "Thing" ? THING : undefined),
};

function run(text: string, data: unknown = {}): unknown {
  const compiled = compileExpression(text, ENV);
  if ("problem" in compiled) return compiled.problem.split("\n")[0];
  const { value, error } = compiled.evaluate([valueOfJson(data), "yes", 7n]);
  return value === undefined ? error : jsonOfValue(value);
}

describe("a message", () => {
  test.each<[what: string, text: string, result: unknown]>([
    ["has the fields that are given", "Thing{text: 'a', count: 1}", { text: "a", count: 1 }],
    ["is read like a map", "Thing{text: 'a'}.text", "a"],
    ["says which fields it has", "has(Thing{text: 'a'}.count)", false],
    ["leaves out fields whose optional is empty", "Thing{text: 'a', ?any: data.?none}", { text: "a" }],
    ["takes what is in an optional", "Thing{?any: data.?there}", { any: [1] }],
    ["is equal to one of the same fields", "Thing{count: 1} == Thing{count: 1}", true],
    ["stands in lists", "[Thing{count: 1}, Thing{}].map(t, has(t.count))", [true, false]],
  ])("%s", (_what, text, result) => {
    expect(run(text, { there: [1] })).toEqual(result);
  });

  test.each([
    ["Thing{color: 'red'}", "undefined field 'color'"],
    ["Thing{count: 'a'}", "expected type of field 'count' is 'int' but provided type is 'string'"],
    ["Thing{?count: 1}", "expected type 'optional_type(int)' but found 'int'"],
    ["Thing{count: 1}.color == 1", "undefined field 'color'"],
    ["Other{}", "undeclared reference to 'Other' (in container '')"],
  ])("%s is refused", (text, problem) => {
    expect(run(text)).toContain(problem);
  });
});

describe("JSON without a schema", () => {
  const data = { a: { b: [1, 2.5, "x", true, null] }, "c-d": 2n ** 60n };

  test.each<[text: string, result: unknown]>([
    ["data.a.b[0] + 1", 2],
    ["data.a.b[1] * 2.0", 5],
    ["data.a.b[4] == null", true],
    ["data['c-d'] > 1000", true],
    ["data.a.namespace", "no such key: namespace"],
    ["data.a.b[9]", "index out of bounds: 9"],
    ["data.map(k, k)", ["a", "c-d"]],
    ["data.a == {'b': data.a.b}", true],
    ["data", { ...data }],
    ["{1: timestamp('2020-01-01T00:00:00Z')}", { "1": "2020-01-01T00:00:00Z" }],
  ])("%s", (text, result) => {
    expect(run(text, data)).toEqual(result);
  });

  test("cannot hold everything", () => {
    const compiled = compileExpression("type(1)", ENV);
    if ("problem" in compiled) throw new Error(compiled.problem);
    const { value } = compiled.evaluate([null, "", 0n]);
    expect(() => jsonOfValue(value ?? null)).toThrow("unsupported conversion from 'type' to JSON");
  });
});

test("a variable may have a dot in its name", () => {
  expect(run("asked + string(asked.further)")).toBe("yes7");
});

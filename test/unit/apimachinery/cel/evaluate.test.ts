import { expect, test } from "vitest";
import { compileExpression, environmentOf } from "../../../../src/apimachinery/cel/evaluate.ts";
import { BOOL, DYN, INT } from "../../../../src/apimachinery/cel/language/types.ts";
import { CelError } from "../../../../src/apimachinery/cel/values/value.ts";

const environment = environmentOf(
  new Map([
    ["a", INT],
    ["b", DYN],
  ]),
);

function compile(text: string) {
  const expression = compileExpression(text, environment);
  if ("problem" in expression) throw new Error(expression.problem);
  return expression;
}

test("an expression knows its type and its variables", () => {
  const expression = compile("[1].all(x, x > a)");
  expect(expression.type).toBe(BOOL);
  expect([expression.uses("a"), expression.uses("b")]).toEqual([true, false]);
});

test("values are given in the order of the variables, as often as wanted", () => {
  const sum = compile("a + b");
  expect(sum.evaluate([1n, 2n]).value).toBe(3n);
  expect(sum.evaluate([3n, 4n]).value).toBe(7n);
});

test.each([
  ["a variable without a value", [1n, undefined], "no such attribute(s): b"],
  ["a variable whose value is a failure", [1n, new CelError("no")], "no"],
  ["a value of an unexpected type", [1n, "x"], "no such overload"],
])("%s is an error where it is used", (_what, values, error) => {
  expect(compile("a + b").evaluate(values).error).toBe(error);
  expect(compile("a == 1 || a + b == 3").evaluate(values).value).toBe(true);
});

test("a problem is shown with its line and a marker below", () => {
  expect(compileExpression("a +\n  c", environment)).toEqual({
    problem: "ERROR: <input>:2:3: undeclared reference to 'c' (in container '')\n |   c\n | ..^",
  });
});

test("wide characters move the marker", () => {
  expect(compileExpression('"é😁" + c', environment)).toEqual({
    problem: `ERROR: <input>:1:8: undeclared reference to 'c' (in container '')\n | "é😁" + c\n | .．．....^`,
  });
});

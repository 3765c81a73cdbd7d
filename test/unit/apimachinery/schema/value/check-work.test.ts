// Which validation runs in the server's thread: patterns count by the size of their programs.
import { expect, test } from "vitest";
import { compileExpression, environmentOf } from "../../../../../src/apimachinery/cel/evaluate.ts";
import { STRING } from "../../../../../src/apimachinery/cel/language/types.ts";
import { isHeavyCheck, isHeavySchema } from "../../../../../src/apimachinery/schema/value/check-work.ts";

const PATTERN = "(?i)[a-z]{1000}x";
const withPattern = (pattern: string) => ({
  type: "object",
  properties: { text: { type: "string", pattern } },
});
const textOf = (length: number) => ({ text: "a".repeat(length) });

test("a short pattern may be heavy", () => {
  expect(isHeavyCheck(withPattern(PATTERN), textOf(20_000))).toBe(true);
  expect(isHeavyCheck(withPattern(PATTERN), textOf(200))).toBe(false);
  expect(isHeavyCheck(withPattern("(?i)[a-z]{10}x"), textOf(20_000))).toBe(false);
});

test("patterns in rules are compiled as well", () => {
  const rules = (count: number) => ({
    ...withPattern("a"),
    "x-kubernetes-validations": Array.from({ length: count }, () => ({
      rule: `self.text.matches('${PATTERN}')`,
    })),
  });
  expect(isHeavySchema([rules(2)])).toBe(false);
  expect(isHeavySchema([rules(30)])).toBe(true);
});

test("an evaluation that has little time stops before it matches for long", () => {
  const environment = environmentOf(new Map([["text", STRING]]));
  const compiled = compileExpression(`text.matches('${PATTERN}')`, environment);
  if ("problem" in compiled) throw new Error(compiled.problem);
  const text = "a".repeat(20_000);
  const before = process.cpuUsage();
  expect(compiled.evaluate([text], 100_000)).toMatchObject({ exhausted: true });
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(250); // matching takes more than half a second
  expect(compiled.evaluate(["a".repeat(300)], 100_000)).toMatchObject({ value: false });
  const { cost, effort } = compiled.evaluate(["a".repeat(300)], 100_000);
  expect(effort).toBeGreaterThan(cost);
});

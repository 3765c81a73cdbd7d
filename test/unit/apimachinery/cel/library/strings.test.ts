import { expect, test } from "vitest";
import { cpuMs } from "../../../../support/cpu-time.ts";
import { problemsOf, resultOf } from "../support.ts";

test.each<[string, string, string]>([
  ["contains", 's.contains("éll")', "true"],
  ["startsWith", 's.startsWith("hé")', "true"],
  ["endsWith", 's.endsWith("lo")', "true"],
  ["matches finds anywhere", 's.matches("l+")', "true"],
  ["matches with anchors", 's.matches("^l+$")', "false"],
  ["a character", "s.charAt(1)", '"é"'],
  ["a character at the end is empty", "s.charAt(5)", '""'],
  ["a character beyond the end", "s.charAt(6)", "error: index out of range: 6"],
  ["positions count code points", 's.indexOf("l")', "2"],
  ["indexOf finds nothing", 's.indexOf("x")', "-1"],
  ["indexOf of the empty text", 's.indexOf("", 3)', "3"],
  ["indexOf from a position", 's.indexOf("l", 3)', "3"],
  ["indexOf from beyond the end", 's.indexOf("l", 9)', "error: index out of range: 9"],
  ["lastIndexOf", 's.lastIndexOf("l")', "3"],
  ["lastIndexOf up to a position", 's.lastIndexOf("l", 2)', "2"],
  ["lowerAscii leaves other letters", '"ÄBC".lowerAscii()', '"Äbc"'],
  ["upperAscii", "s.upperAscii()", '"HéLLO"'],
  ["replace", 's.replace("l", "L")', '"héLLo"'],
  ["replace so often", 's.replace("l", "L", 1)', '"héLlo"'],
  ["replace of the empty text", '"ab".replace("", "-")', '"-a-b-"'],
  ["split", '"a,b,,c".split(",")', '["a", "b", "", "c"]'],
  ["split into so many", '"a,b,c".split(",", 2)', '["a", "b,c"]'],
  ["split into none", '"a,b".split(",", 0)', "[]"],
  ["split into characters", '"aé".split("")', '["a", "é"]'],
  ["substring to the end", "s.substring(3)", '"lo"'],
  ["substring", "s.substring(1, 3)", '"él"'],
  ["substring the wrong way round", "s.substring(3, 1)", "error: invalid substring range. start: 3, end: 1"],
  ["substring beyond the end", "s.substring(9)", "error: index out of range: 9"],
  ["trim takes all white space", '"\\u00a0 a b\\t\\n".trim()', '"a b"'],
  ["join", 'list.join("-")', '"a-b-c"'],
  ["join without a separator", "list.join()", '"abc"'],
  ["strings.quote", 'strings.quote("a\\"\\n")', JSON.stringify('"a\\"\\n"')],
])("%s: %s", (_rule, text, expected) => {
  expect(resultOf(text)).toBe(expected);
});

test.each<[string, string, string]>([
  ["texts and numbers", '"%s %d %f".format([s, n, f])', '"héllo 5 2.500000"'],
  ["a precision", '"%.2f %.1e".format([1.005, 12345.678])', '"1.00 1.2e+04"'],
  ["hexadecimal, octal, binary", '"%x %X %o %b".format([255, 255, 8, 5])', '"ff FF 10 101"'],
  ["texts in hexadecimal", '"%x".format(["abc"])', '"616263"'],
  ["lists and maps", '"%s %s".format([numbers, m])', JSON.stringify('[3, 1, 2] {"a":1, "b":2}')],
  ["a percent sign", '"100%%".format([])', '"100%"'],
  ["bools and null", '"%s %s".format([true, null])', '"true null"'],
  ["a missing argument", '"%s %s".format([d])', "error: index 1 out of range"],
  [
    "a wrong argument",
    '"%d".format([d])',
    "error: error during formatting: decimal clause can only be used on integers, was given string",
  ],
])("format: %s: %s", (_rule, text, expected) => {
  expect(resultOf(text)).toBe(expected);
});

test.each<[string, string, string]>([
  ["find takes the first match", '"abc 123 45".find("[0-9]+")', '"123"'],
  ["find finds nothing", '"abc".find("[0-9]+")', '""'],
  ["findAll takes all", '"1 22 333".findAll("[0-9]+")', '["1", "22", "333"]'],
  ["findAll takes so many", '"1 22 333".findAll("[0-9]+", 2)', '["1", "22"]'],
  ["patterns know the syntax of RE2", '"aB".matches("(?i)^AB$") && "é".matches("^\\\\pL$")', "true"],
  [
    "a pattern that is computed may be broken",
    's.matches(d + "[")',
    "error: error parsing regexp: missing closing ]: `[`",
  ],
])("%s: %s", (_rule, text, expected) => {
  expect(resultOf(text)).toBe(expected);
});

test("patterns that only backtracking can match are refused", () => {
  expect(problemsOf('s.matches("(a)\\\\1")')).toEqual(["1:11: invalid matches argument"]);
});

test("a pattern that would drive a backtracking matcher mad takes no time", () => {
  const start = cpuMs();
  expect(resultOf(`"${"a".repeat(2_000)}!".matches("^(a+)+$")`)).toBe("false");
  expect(cpuMs() - start).toBeLessThan(1_000);
});

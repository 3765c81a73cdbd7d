import { describe, expect, test } from "vitest";
import { parseFieldSelector } from "../../../../src/apimachinery/meta/field-selector.ts";
import {
  labelSelectorFromObject,
  parseLabelSelector,
} from "../../../../src/apimachinery/meta/label-selector.ts";
import { StatusError } from "../../../../src/apimachinery/meta/status.ts";

describe("label selectors select", () => {
  const objects = {
    a: { env: "prod", n: "5", k: "" },
    b: { env: "dev", n: "10", k: "a" },
    c: { n: "x", in: "notin" },
    d: undefined,
  };
  test.each([
    ["", "abcd"],
    [" ", "abcd"],
    ["env=prod", "a"],
    ["env==prod", "a"],
    ["env!=prod", "bcd"],
    ["env=prod,env=dev", ""],
    ["env", "ab"],
    ["!env", "cd"],
    ["env in (prod,dev)", "ab"],
    ["env notin ( prod , x )", "bcd"],
    ["k=", "a"],
    ["k in ()", "a"],
    ["k in (,a)", "ab"],
    ["k notin ()", "bcd"],
    ["n>4", "ab"],
    ["n>4,n<9", "a"],
    ["in=notin", "c"],
    ["in in (notin)", "c"],
    ["IN", ""],
    [" env = prod , n ", "a"],
  ])("%j: %s", (text, names) => {
    const selector = parseLabelSelector(text);
    const found = Object.entries(objects).filter(([, labels]) => selector.matches(labels));
    expect(found.map(([name]) => name).join("")).toBe(names);
    expect(selector.isEmpty).toBe(text.trim() === "");
  });
});

describe("label selectors that cannot be parsed are a 400", () => {
  test.each([
    ["a=b=c", "found '=', expected: ',' or 'end of string'"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
    ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (!)", "unable to parse requirement: found '!', expected: ',', ')' or identifier"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["!a=b", "found '=', expected: ',' or 'end of string'"],
    ["a===b", "unable to parse requirement: found '=', expected: identifier"],
    ["=b", "found '=', expected: !, identifier, or 'end of string'"],
    ["a=b,", "found '', expected: identifier after ','"],
    ["a=b,,c=d", "found ',', expected: identifier after ','"],
    ["(a)", "found '(', expected: !, identifier, or 'end of string'"],
    [
      "n>x",
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ["/a=b", 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
    [
      `a=${"x".repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${"x".repeat(64)}": must be no more than 63 bytes`,
    ],
  ])("%j", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(StatusError);
    expect(() => parseLabelSelector(text)).toThrow(message);
  });
});

describe("selectors as objects", () => {
  const selects = (selector: unknown, labels: Record<string, string>): boolean =>
    labelSelectorFromObject(selector).matches(labels);

  test("absent selects nothing, empty selects everything", () => {
    expect(selects(undefined, {})).toBe(false);
    expect(selects({}, {})).toBe(true);
  });

  test("labels and expressions must all hold", () => {
    const selector = {
      matchLabels: { a: "1" },
      matchExpressions: [
        { key: "b", operator: "In", values: ["x", "y"] },
        { key: "c", operator: "DoesNotExist" },
      ],
    };
    expect(selects(selector, { a: "1", b: "y" })).toBe(true);
    expect(selects(selector, { a: "1", b: "y", c: "" })).toBe(false);
    expect(selects(selector, { a: "1" })).toBe(false);
  });

  test.each<[object, string]>([
    [{ key: "a", operator: "Nope" }, '"Nope" is not a valid label selector operator'],
    [
      { key: "a", operator: "In" },
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    ],
    [{ key: "a b", operator: "Exists" }, 'key: Invalid value: "a b": name part must consist of'],
  ])("%j is refused", (expression, message) => {
    expect(() => labelSelectorFromObject({ matchExpressions: [expression] })).toThrow(message);
  });
});

describe("field selectors", () => {
  test("are read as requirements, with backslashes before comma, equals sign and backslash", () => {
    expect(parseFieldSelector("metadata.name=a\\,b,status.phase!=x\\\\,x==1,")).toEqual([
      { field: "metadata.name", operator: "=", value: "a,b" },
      { field: "status.phase", operator: "!=", value: "x\\" },
      { field: "x", operator: "=", value: "1" },
    ]);
    expect(parseFieldSelector("f=a\\,\\=\\\\")[0]?.value).toBe("a,=\\");
    expect(parseFieldSelector("")).toEqual([]);
  });

  test.each([
    ["metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ["a=b,c in (d)", "invalid selector: 'a=b,c in (d)'; can't understand 'c in (d)'"],
    ["a=b=c", "invalid field selector: unescaped character in value: 61"],
    ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
    ["a=\\b", "invalid field selector: invalid escape sequence: \\b"],
  ])("%j is a 400", (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(StatusError);
    expect(() => parseFieldSelector(text)).toThrow(message);
  });
});

import { describe, expect, test } from "vitest";
import {
  objectResourceVersion,
  parseResourceVersion,
  parseUintComplaint,
} from "../../../../src/apiserver/registry/resource-version.ts";
import { refusal } from "./support.ts";

const SYNTAX = (text: string) => `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;

describe("a number", () => {
  test.each(["0", "7", "007", "18446744073709551615"])("%s is one", (text) => {
    expect(parseUintComplaint(text)).toBeUndefined();
  });

  test.each([
    ["", SYNTAX("")],
    ["-1", SYNTAX("-1")],
    ["+1", SYNTAX("+1")],
    ["1.5", SYNTAX("1.5")],
    [" 1", SYNTAX(" 1")],
    ["abc", SYNTAX("abc")],
    ["18446744073709551616", 'strconv.ParseUint: parsing "18446744073709551616": value out of range'],
  ])("%j is none: %s", (text, complaint) => {
    expect(parseUintComplaint(text)).toBe(complaint);
  });
});

describe("the resourceVersion of a query", () => {
  test.each([
    ["", 0],
    ["0", 0],
    ["42", 42],
  ])("%j is %d", (text, value) => {
    expect(parseResourceVersion(text)).toBe(value);
  });

  test("that is no number is a plain 500", () => {
    expect(refusal(() => parseResourceVersion("abc"))).toBe(
      `500 resourceVersion: Invalid value: "abc": ${SYNTAX("abc")}`,
    );
  });
});

describe("the resourceVersion of an object", () => {
  test.each([
    [undefined, 0],
    ["", 0],
    ["0", 0],
    ["42", 42],
  ])("%j is %d", (text, value) => {
    expect(objectResourceVersion(text)).toBe(value);
  });

  test("that is no number is a plain 500", () => {
    expect(refusal(() => objectResourceVersion("abc"))).toBe(`500 ${SYNTAX("abc")}`);
  });
});

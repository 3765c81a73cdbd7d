// The estimated size of a regular expression's program, compared with the compiler's actual size.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePattern } from "../../../../src/apimachinery/go/pattern.ts";
import { patternSize } from "../../../../src/apimachinery/go/pattern-size.ts";

describe("the size of a pattern", () => {
  test.each([
    "a",
    "^[a-z0-9]{1,63}$",
    "(?i)[a-z]{1000}x",
    "((a{0,30}){0,30}b)*c",
    "(((a{3}){3}){3}|b){10}",
    "[^]a-z\\p{L}[:alpha:]]{7}",
    "\\p{L}{0,1000}x",
    "a{2,}b{,3}{",
    "(a|b|c){100}",
    Array.from({ length: 900 }, (_, index) => `w${index}.*`).join("|"),
  ])("%j is estimated", (source) => {
    const actual = compilePattern(source).programSize();
    expect(patternSize(source)).toBeGreaterThanOrEqual(actual / 3);
    expect(patternSize(source)).toBeLessThan(10 * actual + 20);
  });

  test("is there for any text", () => {
    const parts = fc.constantFrom(
      "(",
      ")",
      "[",
      "]",
      "{1000}",
      "{1,",
      "}",
      "\\",
      "\\Q",
      "\\E",
      "\\p{L}",
      "a",
      "|",
      "*",
      "[:",
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 30 }), (texts) => {
        const size = patternSize(texts.join(""));
        expect(size).toBeGreaterThan(0);
        expect(size).toBeLessThanOrEqual(1e9);
      }),
    );
  });

  test("is found in linear time", () => {
    for (const part of ["(", "[", "{", "\\Q", "[:", "a{1000}", "\\p{", "(a|"]) {
      const before = process.cpuUsage();
      patternSize(part.repeat(300_000));
      expect(process.cpuUsage(before).user / 1000, part).toBeLessThan(2000);
    }
  });
});

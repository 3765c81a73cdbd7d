// Escaping of texts that are printed on a terminal.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shown, shownInLine } from "../../../../src/apimachinery/meta/terminal-text.ts";

describe("a text that is shown", () => {
  test.each([
    ["\u001b[2Jgone", "\\u001b[2Jgone"],
    ["\u001b]0;title\u0007", "\\u001b]0;title\\u0007"],
    ["a\rb", "a\\u000db"],
    ["\u009b31m", "\\u009b31m"],
    ["\u007f\u0008", "\\u007f\\u0008"],
    ["safe\u202etxt.exe", "safe\\u202etxt.exe"],
    ["\u2066a\u2069\u200f\u061c", "\\u2066a\\u2069\\u200f\\u061c"],
    ["a\u2028b", "a\\u2028b"],
    ["a\n\tb → ü 你 👍🏽 \\u001b", "a\n\tb → ü 你 👍🏽 \\u001b"],
  ])("%j is %j", (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test("keeps its lines and tabs, unless it has to stay in one line", () => {
    expect(shownInLine("a\n\tb")).toBe("a\\u000a\\u0009b");
  });

  test("holds nothing that a terminal obeys, and is otherwise the same", () => {
    const texts = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(texts, (text) => {
        expect(shown(text)).not.toMatch(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u);
        expect(shownInLine(text)).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
        const back = shown(text).replace(/\\u([0-9a-f]{4})/g, (_, code) =>
          String.fromCharCode(Number.parseInt(code, 16)),
        );
        if (!text.includes("\\")) expect(back).toBe(text);
      }),
    );
  });

  test("is the same JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        expect(JSON.parse(shown(JSON.stringify(value, null, 2)))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

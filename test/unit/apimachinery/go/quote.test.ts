import { expect, test } from "vitest";
import { goQuote } from "../../../../src/apimachinery/go/strconv.ts";

test.each([
  ["plain", '"plain"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ["\x07\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'],
  ["\x00\x1f\x7f", '"\\x00\\x1f\\x7f"'],
  ["\x80\x9f\xa0\xad", '"\\u0080\\u009f\\u00a0\\u00ad"'],
  ["ż漢😀", '"ż漢😀"'],
  ["\ud800-\udc00 \ufffd", '"\ufffd-\ufffd \ufffd"'],
])("%j", (text, expected) => {
  expect(goQuote(text)).toBe(expected);
});

// One letter of each general category of Unicode: letters, marks, numbers, punctuation and symbols stand as they are.
test.each(
  Object.entries({
    Lu: "Ż",
    Ll: "ż",
    Lt: "ǅ",
    Lm: "ʰ",
    Lo: "漢",
    Mn: "\u0301",
    Mc: "\u0903",
    Me: "\u20dd",
    Nd: "٣",
    Nl: "Ⅷ",
    No: "½",
    Pc: "‿",
    Pd: "—",
    Ps: "「",
    Pe: "」",
    Pi: "«",
    Pf: "»",
    Po: "§",
    Sm: "∑",
    Sc: "€",
    Sk: "´",
    So: "😀",
  }),
)("%s %s stands as it is", (category, letter) => {
  expect(letter).toMatch(new RegExp(`^\\p{${category}}$`, "u"));
  expect(goQuote(letter)).toBe(`"${letter}"`);
});

test.each([
  ["Zs", "\u3000", "\\u3000"],
  ["Zl", "\u2028", "\\u2028"],
  ["Zp", "\u2029", "\\u2029"],
  ["Cf", "\u200b", "\\u200b"],
  ["Cf", "\u{e0001}", "\\U000e0001"],
  ["Cf", "\ufeff", "\\ufeff"],
  ["Co", "\ue000", "\\ue000"],
  ["Co", "\u{10fffd}", "\\U0010fffd"],
  ["Cn", "\u0378", "\\u0378"],
])("%s %j is escaped", (category, letter, expected) => {
  expect(letter).toMatch(new RegExp(`^\\p{${category}}$`, "u"));
  expect(goQuote(letter)).toBe(`"${expected}"`);
});

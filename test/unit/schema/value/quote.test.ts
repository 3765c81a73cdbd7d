import { expect, test } from "vitest";
import { quote } from "../../../../src/schema/value/quote.ts";

test.each([
  ["plain", '"plain"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ["line\nend\ttab", '"line\\nend\\ttab"'],
  ["\x00\x1f\x7f", '"\\x00\\x1f\\x7f"'],
  ["ż漢😀", '"ż漢😀"'],
  ["\u200b\u{e0001}", '"\\u200b\\U000e0001"'],
])("%j", (text, expected) => {
  expect(quote(text)).toBe(expected);
});

import { describe, expect, test } from "vitest";
import { Warnings } from "../../../src/apiserver/warnings.ts";

function headersFor(...texts: string[]): string[] {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.headers();
}

describe("Warning headers", () => {
  test.each<[string, string[], string[]]>([
    ["nothing said is no header", [], []],
    ["an empty text is not said", [""], []],
    ["each text has a header of its own", ["one", "two"], ['299 - "one"', '299 - "two"']],
    ["a text is said once", ["one", "two", "one"], ['299 - "one"', '299 - "two"']],
    ["quotes and backslashes are escaped", ['a "b" \\c'], ['299 - "a \\"b\\" \\\\c"']],
    ["letters beyond ASCII go as the bytes of their UTF-8", ["ä"], ['299 - "Ã¤"']],
  ])("%s", (_rule, texts, headers) => {
    expect(headersFor(...texts)).toEqual(headers);
  });
});

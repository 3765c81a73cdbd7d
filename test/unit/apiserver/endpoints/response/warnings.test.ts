import { describe, expect, test } from "vitest";
import { Warnings } from "../../../../../src/apiserver/endpoints/response/warnings.ts";

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

describe("many or long texts", () => {
  test("up to 4096 letters are said in full", () => {
    const texts = ["a".repeat(2048), "b".repeat(2048)];
    expect(headersFor(...texts)).toEqual(texts.map((text) => `299 - "${text}"`));
  });

  // Clients refuse answers whose headers are too large (Node: 16 KiB); a real server cuts off in time.
  test("beyond that each is cut to 256 letters, those before too", () => {
    const texts = ["a".repeat(2048), "b".repeat(2049), "c".repeat(300), "d"];
    expect(headersFor(...texts)).toEqual([
      `299 - "${"a".repeat(256)}"`,
      `299 - "${"b".repeat(256)}"`,
      `299 - "${"c".repeat(256)}"`,
      '299 - "d"',
    ]);
  });

  test("and nothing more is said once 4096 letters have been", () => {
    const texts = Array.from({ length: 300 }, (_, index) => `${index}`.padStart(64, "x"));
    expect(headersFor(...texts)).toHaveLength(64);
  });

  test.each([1, 63, 64, 255, 256, 257, 4095, 4096, 4097])(
    "of texts with %d letters as many are said as if all were known first",
    (letters) => {
      const texts = Array.from({ length: 6000 }, (_, index) => {
        const mark = String.fromCodePoint(0x1f300 + (index % 500), 0x4e00 + index);
        return letters === 1 ? mark.slice(2) : mark + "x".repeat(letters - 2);
      });
      const all = texts.length * letters;
      const cut = Math.min(letters, 256);
      const said = all <= 4096 ? texts.length : Math.ceil(4096 / cut);
      expect(headersFor(...texts)).toHaveLength(said);
      const [first = ""] = headersFor(texts[0] ?? "", texts[1] ?? "");
      const shown = Buffer.from(first.slice('299 - "'.length, -1), "latin1").toString();
      expect([...shown]).toHaveLength(letters * 2 <= 4096 ? letters : cut);
    },
  );

  // An HTTP header cannot hold one: Node throws, and the answer is a bare 500 although the object was written.
  test("a text with a control character is not said", () => {
    expect(headersFor("a\u0007b", "a\nb", "c")).toEqual(['299 - "c"']);
  });
});

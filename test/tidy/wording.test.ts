// The check of `npm run lint` for the field's words finds what it is for.
import { expect, test } from "vitest";
import { wordingFindings } from "../../scripts/wording-rules.ts";

const countIn = (path: string, text: string): number => wordingFindings(path, text).findings.length;

test.each([
  "// Whoever asks is told.",
  "/** Nobody hears of it. */",
  " * The rooms of the house.",
  "const a = 1; // as it stood",
])("in a comment: %s", (text) => {
  expect(countIn("src/a.ts", text)).toBeGreaterThan(0);
});

test("in a document, with its line", () => {
  const { findings, lines } = wordingFindings("README.md", "# Title\n\nThe store is asked.\n");
  expect(lines).toBe(2);
  expect(findings).toMatchObject([{ line: 3, words: "is asked" }]);
});

test.each(["const who = told(stands);", "// The watcher is notified of each revision.", ""])(
  "but not in %s",
  (text) => {
    expect(countIn("src/a.ts", text)).toBe(0);
  },
);

// The diff of two texts transforms one into the other, and is minimal.
import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines, withContext } from "../../../src/ui/object/line-diff.ts";

const texts = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });

/** The length of the longest common part, the slow and plain way. */
function common(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  const [x, ...restA] = a;
  const [y, ...restB] = b;
  return x === y ? 1 + common(restA, restB) : Math.max(common(restA, b), common(a, restB));
}

test("old lines are the text before, new lines the text after", () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const lines = diffLines(before, after);
      expect(lines.filter(({ sign }) => sign !== "+").map(({ text }) => text)).toEqual(before);
      expect(lines.filter(({ sign }) => sign !== "-").map(({ text }) => text)).toEqual(after);
    }),
  );
});

test("no more lines differ than must", () => {
  const short = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 7 });
  fc.assert(
    fc.property(short, short, (before, after) => {
      expect(diffLines(before, after).filter(({ sign }) => sign === " ").length).toBe(common(before, after));
    }),
  );
});

test("only what is near a difference is shown", () => {
  const lines = Array.from({ length: 40 }, (_, index) => String(index));
  const shown = withContext(diffLines(lines, lines.with(20, "other")), 1);
  expect(shown.map((line) => line && line.sign + line.text)).toEqual([
    undefined,
    " 19",
    "-20",
    "+other",
    " 21",
    undefined,
  ]);
  expect(withContext(diffLines(lines, lines))).toEqual([undefined]);
});

test("texts that have nothing in common are told soon", () => {
  const [old, young] = ["a", "b"].map((letter) =>
    Array.from({ length: 5000 }, (_, index) => `${letter}${index}`),
  );
  expect(diffLines(old ?? [], young ?? []).length).toBe(10_000);
});

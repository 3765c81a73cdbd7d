// The blocks equal those of Python's difflib. The reference finds the longest match of a range line by line, and then
// searches the ranges on both sides of it: slow, and simple enough to compare with.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Block, matchingBlocks } from "../../../../../../src/kube/core/pod/update/matching-blocks.ts";
import { cpuMs } from "../../../../../support/cpu-time.ts";

const LONG = 200;

function popularLines(lines: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  const often = Math.floor(lines.length / 100) + 1;
  return new Set(lines.length < LONG ? [] : lines.filter((line) => (counts.get(line) ?? 0) > often));
}

function slowBlocks(a: readonly string[], b: readonly string[]): Block[] {
  const popular = popularLines(b);
  const blocks: Block[] = [];
  const sizeAt = (i: number, j: number, aTo: number, bTo: number, isCounted: (line: string) => boolean) => {
    let size = 0;
    while (i + size < aTo && j + size < bTo && a[i + size] === b[j + size] && isCounted(a[i + size] ?? ""))
      size++;
    return size;
  };
  const search = (aFrom: number, aTo: number, bFrom: number, bTo: number): void => {
    let best: Block = { a: aFrom, b: bFrom, size: 0 };
    for (let i = aFrom; i < aTo; i++)
      for (let j = bFrom; j < bTo; j++) {
        const size = sizeAt(i, j, aTo, bTo, (line) => !popular.has(line));
        if (size > best.size) best = { a: i, b: j, size };
      }
    let { a: i, b: j } = best;
    while (i > aFrom && j > bFrom && a[i - 1] === b[j - 1]) [i, j] = [i - 1, j - 1];
    const size = sizeAt(i, j, aTo, bTo, () => true);
    if (size === 0) return;
    search(aFrom, i, bFrom, j);
    blocks.push({ a: i, b: j, size });
    search(i + size, aTo, j + size, bTo);
  };
  search(0, a.length, 0, b.length);
  return blocks;
}

/** Blocks that touch in both texts are one. */
const pairsOf = (blocks: readonly Block[]) =>
  blocks.flatMap(({ a, b, size }) => Array.from({ length: size }, (_, index) => [a + index, b + index]));

describe("the matching blocks of two texts", () => {
  const text = (lines: number, words: number) =>
    fc.array(
      fc.nat({ max: words }).map((word) => `line ${word}`),
      { maxLength: lines },
    );

  it("are those of difflib", () => {
    fc.assert(
      fc.property(text(25, 4), text(25, 4), (a, b) => {
        expect(pairsOf(matchingBlocks(a, b))).toEqual(pairsOf(slowBlocks(a, b)));
      }),
      { numRuns: 1000 },
    );
  });

  it("are those of difflib where some lines are too frequent to begin a match", () => {
    const edits = fc.array(fc.tuple(fc.nat(259), fc.nat(8), fc.nat(259)), { maxLength: 6 });
    const long = fc.array(fc.nat({ max: 90 }).map(String), { minLength: LONG, maxLength: 260 });
    fc.assert(
      fc.property(long, edits, (a, moves) => {
        const b = [...a];
        for (const [from, count, to] of moves)
          for (const line of b.splice(from, count)) b.splice(to, 0, line);
        expect(pairsOf(matchingBlocks(a, b))).toEqual(pairsOf(slowBlocks(a, b)));
      }),
      { numRuns: 20 },
    );
  });

  it("are found in about linear time", () => {
    const a = Array.from({ length: 40_000 }, (_, index) => (index % 5 === 1 ? `old ${index}` : `${index}`));
    const b = a.map((line) => line.replace("old", "new"));
    const before = cpuMs();
    expect(matchingBlocks(a, b)).toHaveLength(8001);
    expect(cpuMs() - before).toBeLessThan(2000);
  });
});

// Two builds measured alternately: which one is better, and the significance of the difference.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { otherBuild } from "../../scripts/bench/compare/other-build.ts";
import { chanceOf, differencesOf, linesOf } from "../../scripts/bench/compare/pairs.ts";
import type { Row } from "../../scripts/bench/report/row.ts";
import { runBench } from "./run-bench.ts";

const get = (perSecond: number, cpuUs: number): Row[] => [
  { id: "get/16", operation: "get", clients: 16, perSecond, cpuUs },
];

test("each pair has a winner: by less processor time, and by more requests in a second", () => {
  const pairs = [
    { other: get(100, 60), ours: get(110, 30) },
    { other: get(90, 50), ours: get(80, 25) },
    { other: get(120, 70), ours: get(150, 70) },
  ];
  const [cpu, rate] = differencesOf(pairs);
  expect(cpu).toMatchObject({ figure: "cpu µs", other: 60, ours: 30, ratio: 0.5, pairs: 3, better: 2 });
  expect(cpu?.chance).toBeCloseTo(0.5); // one pair is a tie
  expect(rate).toMatchObject({ figure: "per second", other: 100, ours: 110, better: 2 });
  expect(rate?.ratio).toBeCloseTo(1.1);
  expect(linesOf([...(cpu ? [cpu] : [])], "main")[1]).toMatch(
    /^get +16 +cpu µs +60\.0 +30\.0 +0\.500 +2 of 3 +50 %$/,
  );
});

test("rows that only one build has are left out", () => {
  expect(differencesOf([{ other: [], ours: get(1, 1) }])).toEqual([]);
  expect(differencesOf([])).toEqual([]);
});

test.each([
  [5, 0, 2 / 32],
  [0, 5, 2 / 32],
  [4, 1, 12 / 32],
  [3, 3, 1],
  [0, 0, 1],
])("chance makes %d pairs point one way and %d the other in so many of all cases", (heads, tails, chance) => {
  expect(chanceOf(heads, tails)).toBeCloseTo(chance);
});

test("a build is compared with itself, and nothing is left behind", { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "egret-compare-test-"));
  try {
    const here = join(import.meta.dirname, "../..");
    const stdout = await runBench("--compare", here, "--runs", "1", "--only", "get/16", "--folder", folder);
    expect(stdout).toMatch(/^get EgressIP \(\d+ bytes\) +16 +cpu µs +.* [01] of 1 +100 %$/m);
    expect(await readdir(folder)).toEqual([]);
    await expect(otherBuild("no-such-commit", folder)).rejects.toThrow();
    expect(await readdir(folder)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

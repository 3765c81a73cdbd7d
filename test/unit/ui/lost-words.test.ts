import { expect, test } from "vitest";
import { lostWords } from "../../../src/ui/frame/lost-words.ts";

const lost = (sinceMs: number, againAtMs: number) => ({ state: "lost" as const, sinceMs, againAtMs });

test.each([
  [lost(0, 6_000), 4_000, "for 4 s", "trying again in 2 s"],
  [lost(0, 4_200), 4_000, "for 4 s", "trying again in 1 s"],
  [lost(0, 4_000), 4_000, "for 4 s", "trying again"],
  [lost(0, 0), 119_000, "for 119 s", "trying again"],
  [lost(0, 0), 125_000, "for 2 min", "trying again"],
  // The clock of the machine was set back.
  [lost(9_000, 12_000), 4_000, "for 0 s", "trying again in 8 s"],
])("%o at %i ms is said in words", (link, nowMs, since, again) => {
  expect(lostWords(link, nowMs)).toEqual({ since, again });
});

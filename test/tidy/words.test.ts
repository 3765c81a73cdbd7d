// The repository speaks of the program only: not of the tools and places it was made with.
import { expect, test } from "vitest";
import { filesBelow, readText } from "./source-files.ts";

/** Written in two halves, so that this file does not hold them. */
const UNWANTED = [
  ["clau", "de"],
  ["anthro", "pic"],
  ["copi", "lot"],
  ["chat", "gpt"],
  ["/wo", "rk/"],
  ["registry.np", "mjs"],
  ["artifac", "tory"],
  ["verdac", "cio"],
].map((halves) => halves.join(""));

const paths = filesBelow("");

test("the repository is read", () => {
  expect(paths).toContain("package.json");
  expect(paths).toContain("LICENSE");
});

test("no file holds an unwanted word", () => {
  const found = paths.flatMap((path) => {
    const text = `${path}\n${readText(path)}`.toLowerCase();
    return UNWANTED.filter((word) => text.includes(word)).map((word) => `${path}: ${word}`);
  });
  expect(found).toEqual([]);
});

test("the lock file names no place to download from", () => {
  expect(readText("package-lock.json")).not.toMatch(/"resolved"\s*:/);
});

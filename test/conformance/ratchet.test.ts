import { expect, test } from "vitest";
import { caseFileNames, readCaseFile } from "./runner/case-file.ts";
import { entryOf, judge, readKnownDifferences, withoutCases } from "./runner/ratchet.ts";
import { failureText, fileLine, totalLine } from "./runner/report.ts";
import { abouts, fileNames } from "./runner/run-file.ts";
import { textNames } from "./runner/texts.ts";

const outcome = (name: string, equal: boolean) => ({ name, equal, differences: [] });
const file = {
  file: "crud",
  outcomes: [outcome("a", true), outcome("b", false), outcome("c", false), outcome("d", true)],
};
const list = { crud: { c: "we do it our way", d: "for a while" }, patch: { a: "of another file" } };

test("an unequal case must be listed and a listed case must be unequal", () => {
  const verdict = judge(file, list);
  expect(verdict.unexpected.map(({ name }) => name)).toEqual(["b"]);
  expect(verdict.nowEqual).toEqual(["d"]);
  expect(verdict.known).toEqual(["c"]);
});

test("an update takes cases out of the list and adds none", () => {
  expect(withoutCases(list, "crud", ["d"])).toEqual({ ...list, crud: { c: "we do it our way" } });
  expect(withoutCases(list, "patch", ["a"])).toEqual({ crud: list.crud });
  expect(withoutCases(list, "listwatch", ["a"])).toEqual(list);
});

test("the sums count cases", () => {
  expect(fileLine(file)).toBe("crud: 2 of 4 cases equal");
  expect(totalLine([file, file])).toBe("4 passed, 4 failed");
});

test("a failure shows its steps and cuts long lists unless all is asked for", () => {
  const lines = Array.from({ length: 10 }, (_, index) => `line ${index}`);
  const failed = { name: "a", equal: false, differences: [{ step: 2, call: "GET /x", lines }] };
  expect(failureText(failed, { about: "what it shows" }).split("\n")).toEqual([
    "a: what it shows",
    "  step 2: GET /x",
    ...lines.slice(0, 8).map((line) => `    ${line}`),
    "    … and 2 more",
  ]);
  expect(failureText(failed, { verbose: true }).split("\n")).toHaveLength(12);
});

test("an entry stands for all names below it, and must go when one of them is equal", () => {
  const outcomes = [
    outcome("v1 Job/1/1 POST", true),
    outcome("v1 Job/1/2 GET", false),
    outcome("v1 Jobs/1", false),
  ];
  const verdict = judge({ file: "texts", outcomes }, { texts: { "v1 Job": "not served" } });
  expect(verdict.nowEqual).toEqual(["v1 Job"]);
  expect(verdict.known).toEqual(["v1 Job/1/2 GET"]);
  expect(verdict.unexpected.map(({ name }) => name)).toEqual(["v1 Jobs/1"]);
});

test("the names of cases are unique", () => {
  for (const name of caseFileNames()) {
    const names = readCaseFile(name).map((testCase) => testCase.name);
    expect(new Set(names).size, name).toBe(names.length);
  }
  expect(new Set(textNames()).size).toBe(textNames().length);
});

test("every entry of the list names something and has a reason in one sentence", () => {
  for (const [file, entries] of Object.entries(readKnownDifferences())) {
    expect(fileNames()).toContain(file);
    const named = new Set([...abouts(file).keys()].map((name) => entryOf(entries, name)));
    for (const [entry, reason] of Object.entries(entries)) {
      expect(named, file).toContain(entry);
      expect(reason).toMatch(/^[A-Z].*\.$/);
    }
  }
});

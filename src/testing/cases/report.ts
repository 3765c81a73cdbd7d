// Formats the results of cases as text and as JUnit XML.
import type { CaseReport, FactResult } from "./format.ts";

/** One line for each case, followed by its failed expectations. */
export function reportText(reports: readonly CaseReport[]): string {
  const failed = reports.filter(({ passed }) => !passed).length;
  const count = `${reports.length} ${reports.length === 1 ? "case" : "cases"}`;
  return `${reports.map(caseText).join("")}${count}, ${failed === 0 ? "all as expected" : `${failed} not as expected`}\n`;
}

/** As reportText(), for one case. */
export function caseText({ name, passed, problem, facts }: CaseReport): string {
  if (problem !== undefined) return `FAIL  ${name}\n        ${problem}\n`;
  const counted = `${facts.length} ${facts.length === 1 ? "fact" : "facts"}`;
  if (passed) return `ok    ${name} (${counted})\n`;
  const told = facts.filter(({ holds }) => !holds).map((fact) => `      ${factText(fact)}\n`);
  return `FAIL  ${name} (${told.length} of ${counted})\n${told.join("")}`;
}

function factText({ at, step, fact, differences, because }: FactResult): string {
  const lines = differences.flatMap(({ expected, found }) => [
    `        expected  ${expected}`,
    `        found     ${found}`,
  ]);
  const reason = because === undefined ? [] : [`        because   ${because}`];
  return [`${step}: ${fact} (${at})`, ...lines, ...reason].join("\n");
}

/** A test suite for each case, a test case for each expectation. */
export function junitText(reports: readonly CaseReport[]): string {
  const suites = reports.map((report) => {
    const { name, file, problem, facts } = report;
    const failures = facts.filter(({ holds }) => !holds).length;
    const errors = problem === undefined ? 0 : 1;
    const about = { name, file, tests: facts.length + errors, failures, errors };
    const broken =
      problem === undefined ? [] : [testcase(name, "case", element("error", { message: problem }))];
    return element("testsuite", about, [...broken, ...facts.map((fact) => factElement(name, fact))].join(""));
  });
  const sum = (of: (report: CaseReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0);
  const totals = {
    tests: sum(({ facts, problem }) => facts.length + (problem === undefined ? 0 : 1)),
    failures: sum(({ facts }) => facts.filter(({ holds }) => !holds).length),
    errors: sum(({ problem }) => (problem === undefined ? 0 : 1)),
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", totals, suites.join(""))}`;
}

function factElement(suite: string, result: FactResult): string {
  const { at, step, fact, holds, differences } = result;
  const message = differences.map(({ expected, found }) => `expected ${expected}, found ${found}`).join("; ");
  const failure = holds ? "" : element("failure", { message }, `\n${escaped(factText(result))}\n`);
  return testcase(`${step}: ${fact} (${at})`, suite, failure);
}

const testcase = (name: string, classname: string, inside: string): string =>
  element("testcase", { name, classname }, inside);

function element(name: string, attributes: Readonly<Record<string, string | number>>, inside = ""): string {
  const given = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escaped(String(value)).replaceAll("\n", "&#10;")}"`,
  );
  return `<${name}${given.join("")}${inside === "" ? "/>" : `>${inside}</${name}>`}\n`;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);

/** Removes characters that XML does not allow. */
const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are the characters.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replace(/[&<>"]/g, (letter) => ENTITIES.get(letter) ?? letter);

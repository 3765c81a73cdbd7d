import { expect, test } from "vitest";
import type { CaseReport } from "../../../../src/testing/cases/format.ts";
import { junitText, reportText } from "../../../../src/testing/cases/report.ts";

const fact = {
  at: "expect[0]",
  step: "at the end",
  fact: "explain egressip/a",
  holds: true,
  differences: [],
};
const failed = {
  ...fact,
  holds: false,
  differences: [{ expected: 'a "b"', found: "<none> & more" }],
  because: "no node",
};
const reports: CaseReport[] = [
  { name: "well", file: "well.yaml", passed: true, facts: [fact] },
  { name: "ill", file: "ill.yaml", passed: false, facts: [fact, failed] },
  { name: "broken", file: "broken.yaml", passed: false, problem: "no kind\u0007", facts: [] },
];

test("for people: what was expected, what was found, and why", () => {
  expect(reportText(reports)).toBe(`ok    well (1 fact)
FAIL  ill (1 of 2 facts)
      at the end: explain egressip/a (expect[0])
        expected  a "b"
        found     <none> & more
        because   no node
FAIL  broken
        no kind\u0007
3 cases, 2 not as expected
`);
  expect(reportText(reports.slice(0, 1))).toBe("ok    well (1 fact)\n1 case, all as expected\n");
});

test("for machines: a suite for each case, texts as XML has them", () => {
  const text = junitText(reports);
  expect(text).toContain('<testsuites tests="4" failures="1" errors="1">');
  expect(text).toContain('<testsuite name="ill" file="ill.yaml" tests="2" failures="1" errors="0">');
  expect(text).toContain(
    '<failure message="expected a &quot;b&quot;, found &lt;none&gt; &amp; more">\nat the end: explain egressip/a (expect[0])\n        expected  a &quot;b&quot;\n',
  );
  expect(text).toContain('<error message="no kind"/>');
  expect(text.match(/<testcase /g)).toHaveLength(4);
});

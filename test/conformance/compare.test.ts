import { describe, expect, test } from "vitest";
import { compareCase, differencesBetween } from "./runner/compare.ts";
import { pickPaths } from "./runner/pick.ts";
import { fillHoles } from "./runner/template.ts";

describe("differences", () => {
  const table: [rule: string, expected: unknown, actual: unknown, lines: string[]][] = [
    ["equal values have none", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ["the order of members does not count", { a: 1, b: 2 }, { b: 2, a: 1 }, []],
    ["undefined equals absent", { a: undefined }, {}, []],
    ["null does not equal absent", { a: null }, {}, [".a: expected null, got nothing"]],
    [
      "a changed value is shown with its path",
      { a: { b: [1] } },
      { a: { b: [2] } },
      [".a.b.0: expected 1, got 2"],
    ],
    ["a missing item is shown", [1, 2], [1], [".1: expected 2, got nothing"]],
    ["an added member is shown", {}, { a: 1 }, [".a: expected nothing, got 1"]],
    ["a list is no object", [], {}, [".: expected [], got {}"]],
    ["a text is no number", "1", 1, ['.: expected "1", got 1']],
  ];
  test.each(table)("%s", (_rule, expected, actual, lines) => {
    expect(differencesBetween(expected, actual)).toEqual(lines);
  });

  test("long values are cut", () => {
    expect(differencesBetween("x".repeat(1000), 1)[0]?.length).toBeLessThan(400);
  });
});

describe("a case", () => {
  const step = (expect: object) => ({ do: { path: "/x" }, expect });
  const twoSteps = { name: "a case", steps: [step({ status: 200 }), step({ status: 404 })] };

  test("is equal when every step is", () => {
    const run = { answers: [{ status: 200 }, { status: 404 }] };
    expect(compareCase(twoSteps, run)).toEqual({ name: "a case", equal: true, differences: [] });
  });

  test("names the step that differs and the steps that were not reached", () => {
    const outcome = compareCase(twoSteps, { answers: [{ status: 500 }], brokenOff: "it stopped" });
    expect(outcome.equal).toBe(false);
    expect(outcome.differences).toEqual([
      { step: 0, call: "the case", lines: ["did not run to its end: it stopped"] },
      { step: 1, call: "GET /x", lines: [".status: expected 200, got 500"] },
      { step: 2, call: "GET /x", lines: ["was not reached"] },
    ]);
  });
});

describe("picked paths", () => {
  const answer = {
    a: { "b.c": 1 },
    items: [
      { type: "Ready", status: "True", ports: [1, 2] },
      { type: "Other", status: "False" },
    ],
  };
  const table: [path: string, values: unknown[]][] = [
    ["a", [{ "b.c": 1 }]],
    ["a.b~c", [1]],
    ["items[*].status", ["True", "False"]],
    ["items[type=Ready].status", ["True"]],
    ["items[type=Ready].ports[*]", [1, 2]],
    ["items[*].ports", [[1, 2]]],
    ["items[type=None].status", []],
    ["a[*]", []],
    ["nothing.below", []],
    ["a.constructor", []],
  ];
  test.each(table)("%s", (path, values) => {
    expect(pickPaths(answer, [path])).toEqual({ [path]: values });
  });
});

describe("holes", () => {
  const known = { id: "abc", made: { metadata: { resourceVersion: "7", labels: ["x"] }, count: 3 } };

  test("are filled in texts and in names of members, at any depth", () => {
    const step = {
      path: "/a/{{id}}?rv={{made.metadata.resourceVersion}}",
      body: { "{{id}}.x": ["{{made.count}}"] },
    };
    expect(fillHoles(step, known)).toEqual({ path: "/a/abc?rv=7", body: { "abc.x": ["3"] } });
  });

  test("with = give the value itself", () => {
    expect(fillHoles({ count: "{{=made.count}}", first: "{{=made.metadata.labels.0}}" }, known)).toEqual({
      count: 3,
      first: "x",
    });
  });

  test("of unknown values break the case off", () => {
    expect(() => fillHoles("{{nobody.knows}}", known)).toThrow("nobody.knows");
  });
});

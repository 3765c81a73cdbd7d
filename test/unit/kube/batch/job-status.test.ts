import { expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { create, definitionOf, fixturesOf, lines, update } from "../passage.ts";

const JOBS = definitionOf("batch/Job");
const valid = fixturesOf(JOBS).find(({ name }) => name === "valid")?.body ?? {};
const conditions = (...types: string[]) => types.map((type) => ({ type, status: "True" }));
const STARTED = "2030-01-01T00:00:00Z";
const DONE = { startTime: STARTED, completionTime: "2030-01-01T00:01:00Z" };
const AT_CONDITIONS = "status.conditions: Invalid value:";

/** The errors for a status of a job whose status was `before`. */
function errorsOf(status: JsonObject, before: JsonObject = {}, spec: JsonObject = {}): string[] {
  const body = { ...valid, spec: { ...(valid["spec"] as JsonObject), ...spec } };
  const old = { ...create(JOBS, body).object, status: before };
  return lines(update(JOBS, { before: old, body: { ...body, status } }, "status").errors);
}

it.each<[string, JsonObject, string[]]>([
  ["what was announced", { ...DONE, conditions: conditions("SuccessCriteriaMet", "Complete") }, []],
  [
    "what was not announced",
    { ...DONE, conditions: conditions("Complete") },
    [`${AT_CONDITIONS} cannot set Complete=True condition without the SuccessCriteriaMet=true condition`],
  ],
  [
    "a failure without a reason to stop, before it began",
    { conditions: conditions("Failed") },
    [
      `${AT_CONDITIONS} cannot set Failed=True condition without the FailureTarget=true condition`,
      "status.startTime: Required value: startTime is required for finished job",
    ],
  ],
  [
    "pods that are left",
    {
      startTime: STARTED,
      conditions: conditions("FailureTarget", "Failed"),
      terminating: 1,
      active: 1,
      ready: 2,
    },
    [
      "status.active: Invalid value: 1: active>0 is invalid for finished job",
      "status.terminating: Invalid value: 1: terminating>0 is invalid for finished job",
      "status.ready: Invalid value: 2: cannot set more ready pods than active",
    ],
  ],
  [
    "both ends",
    { ...DONE, conditions: conditions("SuccessCriteriaMet", "FailureTarget", "Complete", "Failed") },
    [
      `${AT_CONDITIONS} cannot set Complete=True and Failed=true conditions`,
      `${AT_CONDITIONS} cannot set Complete=True and FailureTarget=true conditions`,
      `${AT_CONDITIONS} cannot set SuccessCriteriaMet=True and Failed=true conditions`,
      `${AT_CONDITIONS} cannot set SuccessCriteriaMet=True and FailureTarget=true conditions`,
    ],
  ],
])("a Job ends with %s", (_name, status, expected) => {
  expect(errorsOf(status)).toEqual(expected);
});

it("a Job that wants no pods and waits ends without a start, and what was wrong may stay", () => {
  const ended = { conditions: conditions("SuccessCriteriaMet", "Complete"), completionTime: STARTED };
  expect(errorsOf(ended, {}, { suspend: true, completions: 0 })).toEqual([]);
  expect(errorsOf({ ready: 2, succeeded: 1 }, { ready: 2 })).toEqual([]);
  const failed = { startTime: STARTED, conditions: conditions("Failed"), failed: 1 };
  expect(errorsOf({ ...failed, failed: 2 }, failed)).toEqual([]);
});

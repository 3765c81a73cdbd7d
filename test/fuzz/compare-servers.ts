// Compares one case on two servers, and finds the smallest case that still differs.
import { isObject } from "../../src/apimachinery/json/json.ts";
import type { ConformanceCase, Step } from "../conformance/runner/case-file.ts";
import { type CaseOutcome, compareCase } from "../conformance/runner/compare.ts";
import { runCase } from "../conformance/runner/run-case.ts";
import type { Target } from "../conformance/runner/target.ts";

export interface Compared {
  /** The case with the answers of the reference. */
  readonly recorded: ConformanceCase;
  readonly outcome: CaseOutcome;
}

/** The second server is the reference. */
export async function compareOn(
  testCase: ConformanceCase,
  own: Target,
  reference: Target,
): Promise<Compared> {
  const expected = await runCase(testCase, reference);
  const run = await runCase(testCase, own);
  const steps = testCase.steps.map((step, index): Step => {
    const expect = expected.answers[index];
    return expect === undefined ? step : { ...step, expect };
  });
  const recorded = { ...testCase, steps };
  return { recorded, outcome: compareCase(recorded, run) };
}

/** The limit of attempts to reduce a case. */
const TRIES_MAX = 300;

/** Removes steps, then members and items of bodies, as long as the rest still differs. */
export async function shrink(
  found: ConformanceCase,
  differs: (testCase: ConformanceCase) => Promise<boolean>,
): Promise<ConformanceCase> {
  let [smallest, tries] = [found, 0];
  for (let next = smallerCases(smallest), step = next.next(); !step.done && tries < TRIES_MAX; ) {
    tries++;
    if (await differs(step.value)) {
      smallest = step.value;
      next = smallerCases(smallest);
    }
    step = next.next();
  }
  return smallest;
}

function* smallerCases(testCase: ConformanceCase): Generator<ConformanceCase> {
  const { steps } = testCase;
  for (let index = steps.length - 1; index >= 0 && steps.length > 1; index--)
    yield { ...testCase, steps: steps.toSpliced(index, 1) };
  for (const [index, step] of steps.entries()) {
    for (const body of smallerValues(step.do?.body)) {
      if (step.do !== undefined)
        yield { ...testCase, steps: steps.with(index, { ...step, do: { ...step.do, body } }) };
    }
  }
}

/** The value without one of its parts, large parts first. */
function* smallerValues(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.toSpliced(index, 1);
    for (const [index, item] of value.entries())
      for (const smaller of smallerValues(item)) yield value.with(index, smaller);
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const { [name]: _gone, ...rest } = value;
      yield rest;
    }
    for (const [name, item] of Object.entries(value))
      for (const smaller of smallerValues(item)) yield { ...value, [name]: smaller };
  }
}

// Compares the normalised answers of a run with the recorded ones and reports the differences.
import { type Answer, type ConformanceCase, describeStep } from "./case-file.ts";

const SHOWN_LENGTH_MAX = 300;

interface StepDifference {
  /** Counted from 1; 0 is the case as a whole. */
  readonly step: number;
  readonly call: string;
  readonly lines: readonly string[];
}

export interface CaseOutcome {
  readonly name: string;
  readonly equal: boolean;
  readonly differences: readonly StepDifference[];
}

/** The result of a case: one answer per executed step, and the reason if it stopped early. */
export interface CaseRun {
  readonly answers: readonly Answer[];
  readonly brokenOff?: string;
}

export function compareCase(testCase: ConformanceCase, run: CaseRun): CaseOutcome {
  const differences: StepDifference[] = [];
  if (run.brokenOff !== undefined) {
    differences.push({ step: 0, call: "the case", lines: [`did not run to its end: ${run.brokenOff}`] });
  }
  for (const [index, step] of testCase.steps.entries()) {
    const answer = run.answers[index];
    const lines = answer === undefined ? ["was not reached"] : differencesBetween(step.expect ?? {}, answer);
    if (lines.length > 0) differences.push({ step: index + 1, call: describeStep(step), lines });
  }
  return { name: testCase.name, equal: differences.length === 0, differences };
}

/** One line for each difference between two JSON values; an undefined member equals an absent one. */
export function differencesBetween(expected: unknown, actual: unknown, path = ""): string[] {
  if (Object.is(expected, actual) || expected === actual) return [];
  const expectedMembers = membersOf(expected);
  const actualMembers = membersOf(actual);
  if (!expectedMembers || !actualMembers || Array.isArray(expected) !== Array.isArray(actual)) {
    return [`${path || "."}: expected ${show(expected)}, got ${show(actual)}`];
  }
  const names = new Set([...expectedMembers.keys(), ...actualMembers.keys()]);
  return [...names].flatMap((name) =>
    differencesBetween(expectedMembers.get(name), actualMembers.get(name), `${path}.${name}`),
  );
}

function membersOf(value: unknown): Map<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
}

function show(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}

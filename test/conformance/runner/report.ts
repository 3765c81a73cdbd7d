// The printed report of a run.
import type { ConformanceCase } from "./case-file.ts";
import type { CaseOutcome } from "./compare.ts";
import type { Verdict } from "./ratchet.ts";
import type { FileOutcome } from "./run-file.ts";

const LINES_PER_STEP_MAX = 8;

export function failureText(
  outcome: CaseOutcome,
  options: { readonly about?: ConformanceCase["about"]; readonly verbose?: boolean } = {},
): string {
  const steps = outcome.differences.flatMap(({ step, call, lines }) => {
    const shown = options.verbose ? lines : lines.slice(0, LINES_PER_STEP_MAX);
    const left = lines.length - shown.length;
    return [
      step === 0 ? `  ${call}` : `  step ${step}: ${call}`,
      ...shown.map((line) => `    ${line}`),
      ...(left > 0 ? [`    … and ${left} more`] : []),
    ];
  });
  return [`${outcome.name}${options.about ? `: ${options.about}` : ""}`, ...steps].join("\n");
}

export function fileLine({ file, outcomes }: FileOutcome): string {
  return `${file}: ${outcomes.filter(({ equal }) => equal).length} of ${outcomes.length} cases equal`;
}

export function totalLine(files: readonly FileOutcome[]): string {
  const outcomes = files.flatMap((file) => file.outcomes);
  const passed = outcomes.filter(({ equal }) => equal).length;
  return `${passed} passed, ${outcomes.length - passed} failed`;
}

export function verdictLines(verdict: Verdict): string[] {
  return [
    ...verdict.nowEqual.map((name) => `now equal, remove from the list: ${name}`),
    ...(verdict.known.length > 0 ? [`${verdict.known.length} unequal as listed`] : []),
  ];
}

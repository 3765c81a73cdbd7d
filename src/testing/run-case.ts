// A case file as a test of any framework.
import type { CaseReport } from "../cases/format.ts";
import { caseText } from "../cases/report.ts";
import { runCaseFile } from "../cases/run-case.ts";

/** Something is not as a case expects; the message tells what, and why. */
export class CaseFailedError extends Error {
  override readonly name = "CaseFailedError";
  readonly report: CaseReport;

  constructor(report: CaseReport) {
    super(`${report.file}\n${caseText(report)}`);
    this.report = report;
  }
}

/**
 * Plays a case (a state, what is done with it, what is expected), as `egret case run` does: on a server of its own in
 * memory, whose clock stands. Throws CaseFailedError where something is not as expected, and StartError for a file that is
 * no case.
 *
 * @example
 * test("the label is removed", () => runCase("test/cases/label-removed.yaml"));
 */
export async function runCase(file: string): Promise<CaseReport> {
  const report = await runCaseFile(file);
  if (!report.passed) throw new CaseFailedError(report);
  return report;
}

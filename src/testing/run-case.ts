// Runs a case file in tests of any framework.
import type { CaseReport } from "./cases/format.ts";
import { caseText } from "./cases/report.ts";
import { runCaseFile } from "./cases/run-case.ts";

/** An expectation of a case failed; the message has the differences and their reasons. */
export class CaseFailedError extends Error {
  override readonly name = "CaseFailedError";
  readonly report: CaseReport;

  constructor(report: CaseReport) {
    super(`${report.file}\n${caseText(report)}`);
    this.report = report;
  }
}

/**
 * Runs a case (a state, steps and expectations), as `egret case run` does: on its own in-memory server with a frozen
 * clock. Throws CaseFailedError for a failed expectation, and StartError for an invalid file.
 *
 * @example
 * test("the label is removed", () => runCase("test/cases/label-removed.yaml"));
 */
export async function runCase(file: string): Promise<CaseReport> {
  const report = await runCaseFile(file);
  if (!report.passed) throw new CaseFailedError(report);
  return report;
}

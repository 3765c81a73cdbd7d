// `egret case`: plays files that hold a state, what is done with it and what is expected.
import process from "node:process";
import type { CaseReport } from "../cases/format.ts";
import { junitText, reportText } from "../cases/report.ts";
import { runCaseFile } from "../cases/run-case.ts";
import { usageError } from "../server/command-line/commands.ts";
import { manifestFiles } from "../server/given.ts";
import type { Asked } from "./ask-server.ts";

/** Gives the exit code. Throws UsageError and StartError. */
export async function caseCommand(asked: Asked): Promise<number> {
  const [word, ...given] = asked.words;
  if (word === "run" && given.length > 0) return await run(asked, given);
  throw usageError("say what to do", "case");
}

async function run(asked: Asked, paths: readonly string[]): Promise<number> {
  const files = (await Promise.all(paths.map((path) => manifestFiles(path)))).flat();
  const reports: CaseReport[] = [];
  for (const file of files) reports.push(await runCaseFile(file));
  process.stdout.write(inForm(asked.text("output") ?? "text", reports));
  return reports.every(({ passed }) => passed) ? 0 : 1;
}

function inForm(form: string, reports: readonly CaseReport[]): string {
  if (form === "json") return `${JSON.stringify(reports, undefined, 2)}\n`;
  return form === "junit" ? junitText(reports) : reportText(reports);
}

// Runs the cases of one file against one server in sequence, because cases list cluster-wide.
import { type ConformanceCase, caseFileNames, readCaseFile } from "./case-file.ts";
import { type CaseOutcome, compareCase } from "./compare.ts";
import { runCase } from "./run-case.ts";
import { Target } from "./target.ts";
import { runTexts, TEXTS, textNames } from "./texts.ts";
import { WEBHOOKS } from "./webhooks/case-book.ts";
import { runWebhooks, webhookCases } from "./webhooks/run-webhooks.ts";

export interface FileOutcome {
  readonly file: string;
  readonly outcomes: readonly CaseOutcome[];
}

export interface FileRun {
  readonly file: string;
  readonly url: string;
  readonly token?: string | undefined;
  /** Only cases whose name contains this text. */
  readonly only?: string | undefined;
}

export const fileNames = (): string[] => [...caseFileNames(), TEXTS, WEBHOOKS];

/** The cases of a file by name, with their descriptions. */
export function abouts(file: string): Map<string, string> {
  if (file === TEXTS) return new Map(textNames().map((name) => [name, ""]));
  const cases = file === WEBHOOKS ? webhookCases() : readCaseFile(file);
  return new Map(cases.map(({ name, about = "" }) => [name, about]));
}

function casesOf(file: string, only = ""): ConformanceCase[] {
  return readCaseFile(file).filter((testCase) => testCase.name.includes(only));
}

export async function runFile({ file, url, token, only }: FileRun): Promise<FileOutcome> {
  const target = new Target(url, token);
  const outcomes: CaseOutcome[] = [];
  try {
    if (file === TEXTS) return { file, outcomes: await runTexts(target, only) };
    if (file === WEBHOOKS) return { file, outcomes: await runWebhooks(target, webhookCases(only)) };
    for (const testCase of casesOf(file, only)) {
      outcomes.push(compareCase(testCase, await runCase(testCase, target)));
    }
  } finally {
    target.close();
  }
  return { file, outcomes };
}

// Records the cases of one file: each step gets the answer of that server as its `expect`. Only a kube-apiserver is
// recorded; its release is named in the case's `about` or in README.
import { type ConformanceCase, readCaseFile, writeCaseFile } from "./case-file.ts";
import type { CaseRun } from "./compare.ts";
import { runCase } from "./run-case.ts";
import { Target } from "./target.ts";
import { WEBHOOKS } from "./webhooks/case-book.ts";
import { recordWebhooks } from "./webhooks/run-webhooks.ts";

export interface Recording {
  readonly file: string;
  readonly url: string;
  readonly token?: string | undefined;
  /** Records only cases whose name contains this text; the others keep their answers. */
  readonly only?: string | undefined;
}

/** Returns the names of the recorded cases. Throws when a case does not run to its end; the file is unchanged then. */
export async function recordFile({ file, url, token, only = "" }: Recording): Promise<string[]> {
  const target = new Target(url, token);
  const recorded: string[] = [];
  try {
    if (file === WEBHOOKS) return await recordWebhooks(target, only);
    const cases: ConformanceCase[] = [];
    for (const testCase of readCaseFile(file)) {
      const isRecorded = testCase.name.includes(only);
      cases.push(isRecorded ? withAnswers(testCase, await runCase(testCase, target)) : testCase);
      if (isRecorded) recorded.push(testCase.name);
    }
    writeCaseFile(file, cases);
  } finally {
    target.close();
  }
  return recorded;
}

function withAnswers(testCase: ConformanceCase, { answers, brokenOff }: CaseRun): ConformanceCase {
  if (brokenOff !== undefined) throw new Error(`${testCase.name} did not run to its end: ${brokenOff}`);
  const steps = testCase.steps.map((step, index) => {
    const { expect: _earlier, ...asked } = step;
    const answer = answers[index] ?? {};
    return Object.keys(answer).length === 0 ? asked : { ...asked, expect: answer };
  });
  return { ...testCase, steps };
}

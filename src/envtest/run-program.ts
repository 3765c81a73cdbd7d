// How an executable of an envtest folder ends: with the exit code of its program, or with one line that says why it did not
// start. Suites print what is on the standard error output.
import { print, printError } from "../commands/output.ts";
import type { Environment } from "../server/command-line/read-command-line.ts";
import { StartError, UsageError } from "../server/errors.ts";
import { endOfParent, signalled } from "../server/process-end.ts";

/** The variable that keeps a program running when the process has ended that has started it. */
export const OUTLIVES_PARENT = "EGRET_OUTLIVES_PARENT";

/**
 * Resolves at a signal, or at the end of the process that has started this one: suites that die, or kill without a look at
 * what they have started, leave nothing behind.
 */
export function stopped(env: Environment): Promise<void> {
  return env[OUTLIVES_PARENT] === "true" ? signalled() : Promise.race([signalled(), orphaned()]);
}

async function orphaned(): Promise<void> {
  await endOfParent();
  printError(`the process that has started this one has ended; ${OUTLIVES_PARENT}=true keeps it running\n`);
}

/** Resolves with the exit code. A defect shows where it happened. */
export async function runProgram(program: () => Promise<number>): Promise<number> {
  try {
    return await program();
  } catch (error) {
    const isKnown = error instanceof UsageError || error instanceof StartError;
    const text = error instanceof Error && !isKnown ? error.stack : undefined;
    printError(`Error: ${text ?? (error instanceof Error ? error.message : String(error))}\n`);
    return 1;
  }
}

/** The exit code of a program that prints and does no more. */
export function printed(text: string): number {
  print(text);
  return 0;
}

// Runs an envtest executable and determines its exit code. A failed start is reported in one line on standard error,
// which suites print.

import { StartError, UsageError } from "../../server/errors.ts";
import type { Environment } from "../../server/options/read-command-line.ts";
import { endOfParent, signalled } from "../../server/process-end.ts";
import { print, printError } from "../output.ts";

/** Keeps the program running after its parent process has ended. */
export const OUTLIVES_PARENT = "EGRET_OUTLIVES_PARENT";

/**
 * Resolves at a signal, or at the end of the parent process: a suite that crashes, or is killed without stopping its
 * processes, leaves nothing behind.
 */
export function stopped(env: Environment): Promise<void> {
  return env[OUTLIVES_PARENT] === "true" ? signalled() : Promise.race([signalled(), orphaned()]);
}

async function orphaned(): Promise<void> {
  await endOfParent();
  printError(`the process that has started this one has ended; ${OUTLIVES_PARENT}=true keeps it running\n`);
}

/** Resolves with the exit code. An unexpected error is reported with its stack. */
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

/** Prints the text. Returns the exit code 0. */
export function printed(text: string): number {
  print(text);
  return 0;
}

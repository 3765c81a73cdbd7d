// Errors of commands, each with a message of one line for the user.

/** The command line is invalid. */
export class UsageError extends Error {}

/** The server cannot start. */
export class StartError extends Error {
  /** The exit code of the process. */
  get exitCode(): number {
    return 1;
  }
}

/** The message of any thrown value. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// What keeps a command from being done, for the person who gave it.

/** What is wrong with a command line, in one line for the person who typed it. */
export class UsageError extends Error {}

/** What keeps a server from starting, in one line for the person who started it. */
export class StartError extends Error {
  /** What the process ends with. */
  get exitCode(): number {
    return 1;
  }
}

/** The message of anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

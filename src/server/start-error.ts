/** What keeps a server from starting, in one line for the person who started it. */
export class StartError extends Error {
  /** What the process ends with. */
  get exitCode(): number {
    return 1;
  }
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

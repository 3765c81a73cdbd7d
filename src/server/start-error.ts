/** What keeps a server from starting, in one line for the person who started it. */
export class StartError extends Error {}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

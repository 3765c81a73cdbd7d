// What is wrong with a network as its owner wrote it. The message is what the owner gets to read in a condition.

export class NetworkError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "NetworkError";
  }
}

/** The same failure, told with where it happened; the cause is kept. */
export const within = (where: string, error: unknown): NetworkError =>
  new NetworkError(`${where}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });

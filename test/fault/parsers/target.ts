// A fuzz target: a parser, valid inputs to start with, and the errors that invalid inputs may cause.

export interface ParserTarget {
  /** Valid inputs, which must be accepted; mutations start with them. */
  seeds(): readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  /** Tokens of the parser's grammar. */
  readonly tokens: readonly string[];
  /**
   * Parses the input. Throws what the parser throws, and BrokenLaw where a valid input violates a property, such as
   * equality after encoding and decoding it once more.
   */
  run(input: Buffer): unknown;
  /** Reports whether an invalid input may cause this error. */
  isExpected(error: unknown): boolean;
}

export class BrokenLaw extends Error {}

/** Throws BrokenLaw. */
export function mustHold(holds: boolean, law: string): void {
  if (!holds) throw new BrokenLaw(law);
}

export const texts = (...seeds: readonly string[]): readonly Uint8Array[] =>
  seeds.map((text) => Buffer.from(text));

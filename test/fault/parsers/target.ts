// What a fuzz target is: a parser, valid inputs to begin with, and the errors that invalid inputs may lead to.

export interface ParserTarget {
  /** Valid inputs, which must be accepted; mutations begin with them. */
  seeds(): readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  /** Texts that mean something to the parser. */
  readonly tokens: readonly string[];
  /**
   * Parses the input. Throws what the parser throws, and BrokenLaw where a valid input does not fulfil what must hold for
   * it, such as that it is the same when it is encoded and decoded once more.
   */
  run(input: Buffer): unknown;
  /** Whether an invalid input may lead to this error. */
  isExpected(error: unknown): boolean;
}

export class BrokenLaw extends Error {}

/** Throws BrokenLaw. */
export function mustHold(holds: boolean, law: string): void {
  if (!holds) throw new BrokenLaw(law);
}

export const texts = (...seeds: readonly string[]): readonly Uint8Array[] =>
  seeds.map((text) => Buffer.from(text));

// Numbers whose spelling differs from how a Go server prints them: 1.0, 1e3, an integer beyond int64. Go's typed
// decoders use the text: 1.0 is no int32, and as a quantity 1e3 is another text than 1000. With keepsNumbers the
// decoder returns a symbol for such a number. Patches and copies treat it like any other scalar. settleNumbers converts
// symbols to numbers once the types have been checked. Equal texts of one document are the same symbol.

import { type JsonObject, setOwn } from "./json.ts";

/** Limit of distinct spellings per text; further ones are decoded as usual. Each takes some hundred bytes. */
const SPELLINGS_MAX = 10_000;

/** The numbers of one text whose spelling is kept. */
export class NumberSpellings {
  readonly #keeps: boolean;
  readonly #known = new Map<string, symbol>();
  /** The first kept number that exceeds a double. */
  tooGreat: string | undefined;
  /** The first such number that was not kept. */
  lost: string | undefined;

  constructor(keeps: boolean) {
    this.#keeps = keeps;
  }

  get any(): boolean {
    return this.#known.size > 0;
  }

  /** Returns the value, or its spelling. */
  read(value: number | bigint, literal: string): number | bigint | symbol {
    const kept = this.#keeps ? this.#keep(value, literal) : value;
    if (typeof kept === "number" && !Number.isFinite(kept)) this.lost ??= literal;
    return kept;
  }

  #keep(value: number | bigint, literal: string): number | bigint | symbol {
    if (isPlainFraction(value, literal) || String(value) === literal) return value;
    let symbol = this.#known.get(literal);
    if (symbol !== undefined) return symbol;
    if (this.#known.size >= SPELLINGS_MAX) return value;
    symbol = Symbol(literal);
    this.#known.set(literal, symbol);
    if (typeof value === "number" && !Number.isFinite(value)) this.tooGreat ??= literal;
    return symbol;
  }
}

/** Up to fifteen digits survive the conversion to a double and back. */
const DIGITS_KEPT = 15;
const DECIMAL = /^-?\d+\.\d*[1-9]$/;
/** Smaller numbers are printed with an exponent. */
const DECIMAL_MIN = 1e-6;

/** Fast check for most fractions: printing one takes several times as long. */
const isPlainFraction = (value: number | bigint, literal: string): boolean =>
  typeof value === "number" &&
  literal.length <= DIGITS_KEPT &&
  Math.abs(value) >= DECIMAL_MIN &&
  DECIMAL.test(literal);

/** Go's error for a number that exceeds a double, where the target has no type. */
export const tooGreatForDouble = (literal: string): string =>
  `json: cannot unmarshal number ${literal} into Go value of type float64`;

export const isSpelled = (value: unknown): value is symbol => typeof value === "symbol";

/** The text of the number. */
export const spellingOf = (number: symbol): string => number.description ?? "";

/** The nearest double; without a negative zero. */
export const numberSpelled = (number: symbol): number => Number(spellingOf(number)) || 0;

/** Replaces spelled numbers; returns the text of the first one that exceeds a double. Mutates. */
export function settleNumbers(value: unknown): string | undefined {
  let tooGreat: string | undefined;
  if (typeof value !== "object" || value === null) return tooGreat;
  const container = value as JsonObject; // a list is accessed by its indexes
  for (const key of Object.keys(container)) {
    const item = container[key];
    if (typeof item === "object") tooGreat ??= settleNumbers(item);
    if (!isSpelled(item)) continue;
    const number = numberSpelled(item);
    if (!Number.isFinite(number)) tooGreat ??= spellingOf(item);
    setOwn(container, key, number);
  }
  return tooGreat;
}

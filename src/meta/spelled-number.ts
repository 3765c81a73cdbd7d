// Numbers that a text writes otherwise than a Go server prints them: 1.0, 1e3, an integer beyond int64. To Go's typed
// decoders the text counts: 1.0 is no int32, and as a quantity 1e3 is another text than 1000. So a reader with keepsNumbers
// gives a symbol for such a number, which is a scalar like any other for patches and copies. settleNumbers makes numbers
// of them once the types have been checked. Equal texts of one document are the same symbol.

import { type JsonObject, setOwn } from "./json.ts";

/** A text with more of them in so many spellings is read as usual: each takes some hundred bytes. */
const SPELLINGS_MAX = 10_000;

/** The numbers of one text that are not printed as they are written. */
export class NumberSpellings {
  readonly #keeps: boolean;
  readonly #known = new Map<string, symbol>();
  /** The first number that no double holds, and that was kept. */
  tooGreat: string | undefined;
  /** The same that was not kept. */
  lost: string | undefined;

  constructor(keeps: boolean) {
    this.#keeps = keeps;
  }

  get any(): boolean {
    return this.#known.size > 0;
  }

  /** The value, or its spelling. */
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

/** Fifteen digits come back from a double as they were. */
const DIGITS_KEPT = 15;
const DECIMAL = /^-?\d+\.\d*[1-9]$/;
/** Smaller ones are printed with an exponent. */
const DECIMAL_MIN = 1e-6;

/** Most fractions are, and to print one takes several times as long. */
const isPlainFraction = (value: number | bigint, literal: string): boolean =>
  typeof value === "number" &&
  literal.length <= DIGITS_KEPT &&
  Math.abs(value) >= DECIMAL_MIN &&
  DECIMAL.test(literal);

/** What Go says of a number that no double holds, where it does not know of a type. */
export const tooGreatForDouble = (literal: string): string =>
  `json: cannot unmarshal number ${literal} into Go value of type float64`;

export const isSpelled = (value: unknown): value is symbol => typeof value === "symbol";

/** The text of the number. */
export const spellingOf = (number: symbol): string => number.description ?? "";

/** The nearest double; without a negative zero. */
export const numberSpelled = (number: symbol): number => Number(spellingOf(number)) || 0;

/** Puts numbers in the places of spelled ones; returns the text of the first one that no double holds. Mutates. */
export function settleNumbers(value: unknown): string | undefined {
  let tooGreat: string | undefined;
  if (typeof value !== "object" || value === null) return tooGreat;
  const container = value as JsonObject; // a list is read by its indexes
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

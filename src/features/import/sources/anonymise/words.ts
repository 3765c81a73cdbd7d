// Anonymisation of words: one to one, of the same length, a letter for a letter and a digit for a digit, so that a
// valid name stays valid. Words that are public in Kubernetes and its products are kept.
import type { Keyed } from "./keyed.ts";
import { isPublicWord } from "./public-words.ts";

const CLASSES = ["abcdefghijklmnopqrstuvwxyz", "0123456789"] as const;
const ROUNDS = 8;

export class Words {
  readonly #keyed: Keyed;
  readonly #known = new Map<string, string>();

  constructor(keyed: Keyed) {
    this.#keyed = keyed;
  }

  /** For letters and digits only. Upper case stays upper case: host names are case-insensitive. */
  word(word: string): string {
    const small = word.toLowerCase();
    if (isPublicWord(word) || isPublicWord(small)) return word;
    let mapped = this.#known.get(small);
    if (mapped === undefined) {
      mapped = this.#map(small);
      this.#known.set(small, mapped);
    }
    return small === word ? mapped : [...mapped].map((letter, at) => inCase(letter, word[at] ?? "")).join("");
  }

  /** A permutation of all words of the same form, repeated until the result is not a public word. */
  #map(word: string): string {
    const form = [...word].map(classOf);
    const size = form.reduce((product, letters) => product * BigInt(letters.length), 1n);
    let mapped = word;
    // If nearly all words of a form are public, the cycle may lead back to the word itself, the only candidate then.
    do mapped = lettersOf(this.#permuted(numberOf(mapped, form), size, form), form);
    while (isPublicWord(mapped));
    return mapped;
  }

  /** A Feistel network over two halves, repeated until the number is within the form's range (cycle walking). */
  #permuted(number: bigint, size: bigint, form: readonly string[]): bigint {
    const half = Math.max(1, Math.ceil((size - 1n).toString(2).length / 2));
    const mask = (1n << BigInt(half)) - 1n;
    const purpose = `word ${form.map((letters) => letters[0]).join("")}`;
    let found = number;
    do {
      let [left, right] = [found >> BigInt(half), found & mask];
      for (let round = 0; round < ROUNDS; round++)
        [left, right] = [right, left ^ this.#keyed.number(purpose, `${round} ${right}`, half)];
      found = (left << BigInt(half)) | right;
    } while (found >= size);
    return found;
  }
}

const inCase = (letter: string, example: string): string =>
  example === example.toLowerCase() ? letter : letter.toUpperCase();

const classOf = (letter: string): string => CLASSES.find((letters) => letters.includes(letter)) ?? CLASSES[0];

const numberOf = (word: string, form: readonly string[]): bigint =>
  form.reduce(
    (number, letters, at) =>
      number * BigInt(letters.length) + BigInt(Math.max(0, letters.indexOf(word[at] ?? ""))),
    0n,
  );

function lettersOf(number: bigint, form: readonly string[]): string {
  let rest = number;
  let word = "";
  for (const letters of form.toReversed()) {
    word = `${letters[Number(rest % BigInt(letters.length))]}${word}`;
    rest /= BigInt(letters.length);
  }
  return word;
}

// Words under other names: one for one, of the same length, a letter for a letter and a digit for a digit, so that a name stays
// a name wherever it may stand. What is public, because Kubernetes and its products say it to everybody, stays.
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

  /** Of letters and digits alone. Large letters stay large: names of hosts are the same in both. */
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

  /** A permutation of all words of the form; walked on until it leads to a word that is not public. */
  #map(word: string): string {
    const form = [...word].map(classOf);
    const size = form.reduce((product, letters) => product * BigInt(letters.length), 1n);
    let mapped = word;
    // A word of which nearly all of the form are public may lead back to itself; that is the only one then.
    do mapped = lettersOf(this.#permuted(numberOf(mapped, form), size, form), form);
    while (isPublicWord(mapped));
    return mapped;
  }

  /** Feistel's network over two halves, walked on until the number is one of the form's. */
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

// Many short texts as one text and the places where each ends. A selector may have a hundred thousand keys or values: as
// strings of their own each would cost about 40 bytes more.
//
//   "a", "bcd", "e"   →   text "abcde", ends 1 4 5

export class PackedTexts {
  readonly #text: string;
  readonly #ends: Uint32Array;

  constructor(texts: readonly string[]) {
    this.#text = texts.join("");
    this.#ends = new Uint32Array(texts.length);
    let end = 0;
    texts.forEach((text, index) => {
      end += text.length;
      this.#ends[index] = end;
    });
  }

  get size(): number {
    return this.#ends.length;
  }

  /** Refers to the whole text where it is long: for use on the spot. */
  at(index: number): string {
    return this.#text.slice(index === 0 ? 0 : this.#ends[index - 1], this.#ends[index]);
  }

  /** The place of the text between two places, where the texts are in ascending order; -1 where it is absent. */
  find(text: string, from = 0, to = this.size): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle) < text) low = middle + 1;
      else high = middle;
    }
    return low < to && this.at(low) === text ? low : -1;
  }

  /** A number that equal lists have in common. */
  hash(): number {
    let hash = this.#text.length ^ this.#ends.length;
    for (let at = 0; at < this.#text.length; at++)
      hash = Math.imul(hash ^ this.#text.charCodeAt(at), 16_777_619);
    return hash >>> 0;
  }

  equals(other: PackedTexts): boolean {
    return this.#text === other.#text && sameNumbers(this.#ends, other.#ends);
  }
}

export function sameNumbers(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

/** Up to this length V8 copies what is cut out of a text; a longer part keeps the whole text alive. */
const COPIED_LENGTH_MAX = 12;

/** The same text on its own: it keeps no longer text alive of which it was cut. Also for browsers, which have no Buffer. */
export const ownText = (text: string): string =>
  text.length <= COPIED_LENGTH_MAX ? text : ` ${text}`.slice(1);

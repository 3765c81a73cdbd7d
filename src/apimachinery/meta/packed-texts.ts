// Many short texts as one string with the end offsets. A selector may have a hundred thousand keys or values; separate
// strings would cost about 40 more bytes each.
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

  /** A long text refers to the whole string: for temporary use only. */
  at(index: number): string {
    return this.#text.slice(index === 0 ? 0 : this.#ends[index - 1], this.#ends[index]);
  }

  /** Binary search between two indexes of ascending texts; -1 if it is absent. */
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

  /** Equal for equal lists. */
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

/** Up to this length V8 copies a substring; a longer one keeps the whole text in memory. */
const COPIED_LENGTH_MAX = 12;

/** A copy of the text that keeps no larger text in memory. Also for browsers, which have no Buffer. */
export const ownText = (text: string): string =>
  text.length <= COPIED_LENGTH_MAX ? text : ` ${text}`.slice(1);

// How much of what is decoded may be copies for aliases, so that a few lines cannot come to a billion items.
import { DecodeFailure } from "./go-value.ts";

/** As in go-yaml: fewer copies, and documents of fewer nodes, are no attack. */
const COPIES_MIN = 100;
const NODES_MIN = 1000;
/** Of a small document nearly all may be copies, of a large one few. */
const PART_FALLS = { from: 400_000, to: 4_000_000, high: 0.99, low: 0.1 };
/** Of the copies of texts; go-yaml has no limit, and ends when there is no more memory. */
const LETTERS_MAX = 32_000_000;

export class CopyLimit {
  #nodes = 0;
  #copies = 0;
  #letters = 0;

  /** Counts a node with a text of so many letters. Throws DecodeFailure. */
  count(isCopy: boolean, letters: number): void {
    this.#nodes++;
    if (isCopy) {
      this.#copies++;
      this.#letters += letters;
    }
    if (this.#copies > COPIES_MIN) this.#check();
  }

  #check(): void {
    if (this.#nodes <= NODES_MIN) return;
    const { from, to, high, low } = PART_FALLS;
    const place = Math.min(Math.max((this.#nodes - from) / (to - from), 0), 1);
    if (this.#copies / this.#nodes > high - (high - low) * place || this.#letters > LETTERS_MAX)
      throw new DecodeFailure("document contains excessive aliasing");
  }
}

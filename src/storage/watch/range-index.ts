// Finds the items whose range holds a key without looking at any other item: the key space is cut wherever a range starts or
// ends, and every piece knows the items that cover it.
//
//   A ├──────────────────────────┤        pieces   ""   a    b    d    e
//   B           ├────────┤                items    -    A    AB   A    -
//     a         b        d       e        at("c") = piece "b" = [A, B]
import type { KeyRange } from "../store.ts";

interface Piece<T> {
  readonly start: string;
  readonly items: T[];
  /** How many ranges start or end here; a piece that nobody needs is joined with the one before it. */
  edges: number;
}

export class RangeIndex<T> {
  /** In key order; the first starts before every key. */
  readonly #pieces: Piece<T>[] = [{ start: "", items: [], edges: 1 }];

  /** How many pieces the key space is cut into: 1 when there are no items. */
  get size(): number {
    return this.#pieces.length;
  }

  /** The caller must not change the answer, nor keep it. */
  at(key: string): readonly T[] {
    return this.#pieces[this.#pieceOf(key)]?.items ?? [];
  }

  add(range: KeyRange, item: T): void {
    if (range.from >= range.to) return; // holds no key
    const first = this.#cut(range.from);
    const end = this.#cut(range.to);
    for (const piece of this.#pieces.slice(first, end)) piece.items.push(item);
  }

  remove(range: KeyRange, item: T): void {
    if (range.from >= range.to) return;
    const first = this.#pieceOf(range.from);
    const end = this.#pieceOf(range.to);
    for (const { items } of this.#pieces.slice(first, end)) items.splice(items.indexOf(item), 1);
    this.#release(end);
    this.#release(first);
  }

  #cut(key: string): number {
    const index = this.#pieceOf(key);
    const piece = this.#pieces[index];
    if (piece?.start === key) {
      piece.edges++;
      return index;
    }
    this.#pieces.splice(index + 1, 0, { start: key, items: [...(piece?.items ?? [])], edges: 1 });
    return index + 1;
  }

  #release(index: number): void {
    const piece = this.#pieces[index];
    if (piece !== undefined && --piece.edges === 0) this.#pieces.splice(index, 1);
  }

  /** The last piece that starts at or before the key. */
  #pieceOf(key: string): number {
    let low = 1;
    let high = this.#pieces.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const piece = this.#pieces[middle];
      if (piece !== undefined && piece.start <= key) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

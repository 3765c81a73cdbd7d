// Allocator for numbers of a range: one for each owner, until it is released.

export interface NumberRange {
  readonly first: number;
  readonly last: number;
  /** True: round-robin, so a released number is not reused next. False: the lowest free number is next. */
  readonly goingRound: boolean;
}

export class Numbers {
  readonly #range: NumberRange;
  readonly #byOwner = new Map<string, number>();
  readonly #taken = new Set<number>();
  /** Offset where the search for a free number starts. Without round-robin all lower offsets are allocated. */
  #next = 0;

  constructor(range: NumberRange) {
    this.#range = range;
  }

  has(owner: string): boolean {
    return this.#byOwner.has(owner);
  }

  /** Replaces the owner's number; returns false if the number is out of range or allocated to another owner. */
  reserve(owner: string, number: number): boolean {
    if (this.#byOwner.get(owner) === number) return true;
    const { first, last } = this.#range;
    if (!(number >= first && number <= last) || this.#taken.has(number)) return false;
    this.release(owner);
    this.#take(owner, number);
    return true;
  }

  /** Returns the owner's number, or allocates one; undefined if the range is exhausted. */
  of(owner: string): number | undefined {
    const known = this.#byOwner.get(owner);
    if (known !== undefined) return known;
    const { first, last } = this.#range;
    const count = last - first + 1;
    // Avoids a scan of the full range: owners without a number retry often.
    if (this.#taken.size === count) return undefined;
    let index = this.#next;
    while (this.#taken.has(first + index)) index = (index + 1) % count;
    this.#next = (index + 1) % count;
    this.#take(owner, first + index);
    return first + index;
  }

  release(owner: string): void {
    const number = this.#byOwner.get(owner);
    this.#byOwner.delete(owner);
    if (number === undefined) return;
    this.#taken.delete(number);
    const { first, goingRound } = this.#range;
    if (!goingRound) this.#next = Math.min(this.#next, number - first);
  }

  #take(owner: string, number: number): void {
    this.#byOwner.set(owner, number);
    this.#taken.add(number);
  }
}

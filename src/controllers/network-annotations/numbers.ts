// Numbers of a range: one for each owner, for as long as it lives.

export interface NumberRange {
  readonly first: number;
  readonly last: number;
  /** One that was freed is not the next to be given; otherwise the lowest free one comes next. */
  readonly goingRound: boolean;
}

export class Numbers {
  readonly #range: NumberRange;
  readonly #byOwner = new Map<string, number>();
  readonly #taken = new Set<number>();
  /** From where on a free one is looked for. Where the lowest comes next, all below are taken. */
  #next = 0;

  constructor(range: NumberRange) {
    this.#range = range;
  }

  has(owner: string): boolean {
    return this.#byOwner.has(owner);
  }

  /** Gives the owner that number instead of the one it had; false if it is none of the range, or another's. */
  reserve(owner: string, number: number): boolean {
    if (this.#byOwner.get(owner) === number) return true;
    const { first, last } = this.#range;
    if (!(number >= first && number <= last) || this.#taken.has(number)) return false;
    this.release(owner);
    this.#take(owner, number);
    return true;
  }

  /** The number of the owner, a new one if it has none; undefined when all are taken. */
  of(owner: string): number | undefined {
    const known = this.#byOwner.get(owner);
    if (known !== undefined) return known;
    const { first, last } = this.#range;
    const count = last - first + 1;
    // Whoever is left without one asks again and again.
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

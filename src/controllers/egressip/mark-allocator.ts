// Packet marks: one number per EgressIP for as long as it lives. Numbers are given out going round, so that one that
// was freed is not the next to be given.

const MARK_FIRST = 50_000;
const MARKS = 5_000;

export class MarkAllocator {
  readonly #byName = new Map<string, number>();
  readonly #taken = new Set<number>();
  #next = 0;

  /** The mark of the EgressIP, a new one if it has none; undefined when all are taken. */
  markOf(name: string): string | undefined {
    const known = this.#byName.get(name);
    if (known !== undefined) return String(MARK_FIRST + known);
    for (let step = 0; step < MARKS; step++) {
      const index = (this.#next + step) % MARKS;
      if (this.#taken.has(index)) continue;
      this.#next = (index + 1) % MARKS;
      this.#take(name, index);
      return String(MARK_FIRST + index);
    }
    return undefined;
  }

  /** Takes a mark that the EgressIP already carries out of circulation; one that is no mark of ours changes nothing. */
  reserve(name: string, mark: string): void {
    const index = /^\d+$/.test(mark) ? Number(mark) - MARK_FIRST : -1;
    if (index < 0 || index >= MARKS || this.#byName.has(name) || this.#taken.has(index)) return;
    this.#take(name, index);
  }

  release(name: string): void {
    const index = this.#byName.get(name);
    if (index === undefined) return;
    this.#byName.delete(name);
    this.#taken.delete(index);
  }

  #take(name: string, index: number): void {
    this.#byName.set(name, index);
    this.#taken.add(index);
  }
}

// One number per node, for as long as it lives. Numbers are given out going round, so that one that was freed is not
// the next to be given.

/** 0 stands for no node, and 1 is not used either. */
const FIRST = 2;
const LAST = 5000;
const COUNT = LAST - FIRST + 1;

export class NodeIds {
  readonly #byNode = new Map<string, number>();
  readonly #taken = new Set<number>();
  #next = 0;

  /** Takes over the number that the node says it has; false if it is none, or another node's. */
  reserve(node: string, text: string | undefined): boolean {
    const id = /^[1-9]\d{0,3}$/.test(text ?? "") ? Number(text) : 0;
    if (this.#byNode.get(node) === id) return true;
    if (id < FIRST || id > LAST || this.#taken.has(id)) return false;
    this.release(node);
    this.#take(node, id);
    return true;
  }

  /** The number of the node, a new one if it has none; undefined when all are taken. */
  idOf(node: string): number | undefined {
    const known = this.#byNode.get(node);
    if (known !== undefined) return known;
    for (let step = 0; step < COUNT; step++) {
      const index = (this.#next + step) % COUNT;
      if (this.#taken.has(FIRST + index)) continue;
      this.#next = (index + 1) % COUNT;
      this.#take(node, FIRST + index);
      return FIRST + index;
    }
    return undefined;
  }

  release(node: string): void {
    const id = this.#byNode.get(node);
    if (id === undefined) return;
    this.#byNode.delete(node);
    this.#taken.delete(id);
  }

  #take(node: string, id: number): void {
    this.#byNode.set(node, id);
    this.#taken.add(id);
  }
}

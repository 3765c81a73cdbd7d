// A number per network, from 1 on (0 is the default network's). A network keeps its number while it exists; the lowest
// free one comes next.

export class NetworkIds {
  readonly #byName = new Map<string, number>();
  readonly #taken = new Set<number>();

  idOf(network: string): number {
    const known = this.#byName.get(network);
    if (known !== undefined) return known;
    let id = 1;
    while (this.#taken.has(id)) id++;
    this.#take(network, id);
    return id;
  }

  /** Notes a number that the network carries already; one that is no number or another's changes nothing. */
  reserve(network: string, text: string): void {
    const id = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (id < 1 || this.#taken.has(id) || this.#byName.has(network)) return;
    this.#take(network, id);
  }

  release(network: string): void {
    const id = this.#byName.get(network);
    if (id === undefined) return;
    this.#byName.delete(network);
    this.#taken.delete(id);
  }

  #take(network: string, id: number): void {
    this.#byName.set(network, id);
    this.#taken.add(id);
  }
}

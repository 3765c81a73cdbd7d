// The EgressIPs that an event about a node concerns, without asking each of them.
import { type EgressIp, isIncomplete } from "./egress-ip.ts";

export class EgressIpIndex {
  readonly #known = new Map<string, EgressIp>();
  readonly #incomplete = new Set<string>();
  /** Node → EgressIPs with an item on it. */
  readonly #onNode = new Map<string, Set<string>>();

  set(egressIp: EgressIp): void {
    const { name } = egressIp;
    this.delete(name);
    this.#known.set(name, egressIp);
    if (isIncomplete(egressIp)) this.#incomplete.add(name);
    for (const { node } of egressIp.items) {
      const names = this.#onNode.get(node);
      if (names) names.add(name);
      else this.#onNode.set(node, new Set([name]));
    }
  }

  delete(name: string): void {
    const egressIp = this.#known.get(name);
    if (!egressIp) return;
    this.#known.delete(name);
    this.#incomplete.delete(name);
    for (const { node } of egressIp.items) {
      const names = this.#onNode.get(node);
      names?.delete(name);
      if (names?.size === 0) this.#onNode.delete(node);
    }
  }

  get(name: string): EgressIp | undefined {
    return this.#known.get(name);
  }

  /** All of them, by name. */
  all(): EgressIp[] {
    return [...this.#known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Those that have not as many items as addresses. */
  incomplete(): Iterable<string> {
    return this.#incomplete;
  }

  /** Those with an item on the node. */
  onNode(node: string): EgressIp[] {
    const found: EgressIp[] = [];
    for (const name of this.#onNode.get(node) ?? []) {
      const egressIp = this.#known.get(name);
      if (egressIp) found.push(egressIp);
    }
    return found;
  }
}

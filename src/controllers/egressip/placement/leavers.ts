// Addresses that their EgressIPs give up, until the cloud has been told. "asked": it was asked for, so it has to be
// given back, or moved where it is wanted again; "maybe": it left the spec, and may have been asked for.

export type Leaving = "asked" | "maybe";

export class Leavers {
  readonly #byEgressIp = new Map<string, Map<string, Leaving>>();
  /** How many EgressIPs give up an address. */
  readonly #counts = new Map<string, number>();

  add(egressIp: string, address: string, how: Leaving): void {
    let leaving = this.#byEgressIp.get(egressIp);
    if (!leaving) {
      leaving = new Map();
      this.#byEgressIp.set(egressIp, leaving);
    }
    if (!leaving.has(address)) this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1);
    if (leaving.get(address) !== "asked") leaving.set(address, how);
  }

  of(egressIp: string): readonly (readonly [address: string, how: Leaving])[] {
    return [...(this.#byEgressIp.get(egressIp) ?? [])];
  }

  done(egressIp: string, address: string): void {
    const leaving = this.#byEgressIp.get(egressIp);
    if (!leaving?.delete(address)) return;
    if (leaving.size === 0) this.#byEgressIp.delete(egressIp);
    const count = (this.#counts.get(address) ?? 0) - 1;
    if (count > 0) this.#counts.set(address, count);
    else this.#counts.delete(address);
  }

  /** True while another EgressIP has the address to give back. */
  hasOther(address: string, egressIp: string): boolean {
    const own = this.#byEgressIp.get(egressIp)?.has(address) ? 1 : 0;
    return (this.#counts.get(address) ?? 0) > own;
  }
}

// What one EgressIP is going to hold, while it is decided: it reads as if all that were done already, and the allocator
// stays as it is until the changes are carried out.
import type { IpAddress } from "../../../meta/ip.ts";
import type { StatusItem } from "../egress-ip.ts";
import type { Allocator, Holder } from "./allocator.ts";

/** In this order: first what is freed, then what is held. */
export interface Allocations {
  readonly released: readonly string[];
  readonly allocated: readonly StatusItem[];
}

export class Draft {
  readonly allocator: Pick<Allocator, ReadingMethods>;
  readonly #egressIp: string;
  readonly #held: Map<string, string>;
  readonly #released = new Set<string>();

  constructor(allocator: Pick<Allocator, ReadingMethods>, egressIp: string) {
    this.allocator = allocator;
    this.#egressIp = egressIp;
    this.#held = new Map(allocator.heldBy(egressIp));
  }

  /** Address → node. */
  get held(): ReadonlyMap<string, string> {
    return this.#held;
  }

  holderOf(address: string): Holder | undefined {
    const node = this.#held.get(address);
    if (node !== undefined) return { egressIp: this.#egressIp, node };
    const holder = this.allocator.holderOf(address);
    return holder?.egressIp === this.#egressIp ? undefined : holder;
  }

  release(address: string): void {
    if (this.#held.delete(address)) this.#released.add(address);
  }

  /** Takes the best node for the address, if there is any. */
  place(ip: IpAddress): string | undefined {
    const node = this.allocator.chooseNode(this.#egressIp, ip, this.#held);
    if (node === undefined || !this.allocator.isKnown(node) || this.holderOf(ip.text)) return undefined;
    this.#held.set(ip.text, node);
    return node;
  }

  changes(): Allocations {
    const before = this.allocator.heldBy(this.#egressIp);
    const allocated = [...this.#held]
      .filter(([address, node]) => this.#released.has(address) || before.get(address) !== node)
      .map(([egressIP, node]) => ({ egressIP, node }));
    return { released: [...this.#released], allocated };
  }
}

type ReadingMethods =
  | "heldBy"
  | "holderOf"
  | "hostOf"
  | "hasNetwork"
  | "canHost"
  | "chooseNode"
  | "isKnown"
  | "hasEligibleNode"
  | "hostAddressesKnown";

export function applyAllocations(
  allocator: Allocator,
  egressIp: string,
  { released, allocated }: Allocations,
): void {
  for (const address of released) allocator.release(egressIp, address);
  for (const { egressIP, node } of allocated) allocator.allocate(egressIp, egressIP, node);
}

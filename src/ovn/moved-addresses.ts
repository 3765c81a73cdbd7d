// Addresses of an EgressIP that have different nodes in two versions of it.
import type { EgressIpView } from "./trace/egress-ip-source.ts";

export interface MovedAddress {
  readonly address: string;
  /** Undefined: the address was unassigned. */
  readonly from?: string;
  /** Undefined: the address is unassigned now. */
  readonly to?: string;
}

/** Sorted by address; unmoved addresses are omitted. */
export function movedAddresses(
  old: EgressIpView | undefined,
  now: EgressIpView | undefined,
): readonly MovedAddress[] {
  if (old === now) return []; // the usual case: unchanged object
  const [before, after] = [nodesOf(old), nodesOf(now)];
  const addresses = [...new Set([...before.keys(), ...after.keys()])].sort();
  return addresses.flatMap((address) => {
    const [from, to] = [before.get(address), after.get(address)];
    if (from === to) return [];
    return [{ address, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
  });
}

const nodesOf = (view: EgressIpView | undefined): ReadonlyMap<string, string> =>
  new Map(view?.items.map(({ address, node }) => [address.text, node]));

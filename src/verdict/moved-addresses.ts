// How addresses of an EgressIP changed their nodes from one version of it to another.
import type { EgressIpView } from "./trace/egress-ip.ts";

export interface MovedAddress {
  readonly address: string;
  /** undefined: it had no node. */
  readonly from?: string;
  /** undefined: it has none any more. */
  readonly to?: string;
}

/** By address; none has stayed where it was. */
export function movedAddresses(
  old: EgressIpView | undefined,
  now: EgressIpView | undefined,
): readonly MovedAddress[] {
  if (old === now) return []; // mostly they are the same object
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

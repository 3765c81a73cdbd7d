// Finds nodes for addresses of one EgressIP and notes them in its draft. Addresses are taken in the order given; what
// cannot be placed is left out, and said.
import type { IpAddress } from "../../../meta/ip.ts";
import type { Occurrence } from "../../kit/event-correlator.ts";
import type { StatusItem } from "../egress-ip.ts";
import {
  alreadyAllocated,
  hostConflict,
  isNodeAddress,
  noAssignableNodes,
  noMatchingNodes,
  notAllAssigned,
} from "../events.ts";
import type { Draft } from "./draft.ts";

export interface Assignment {
  readonly placed: readonly StatusItem[];
  readonly said: readonly Occurrence[];
}

export interface AssignOptions {
  /** An address stays on the node that holds it, even if the node can take no new one: it is asked for there. */
  readonly sticky: boolean;
  /** The first address that is somebody else's ends the search, and nothing is said in sum. */
  readonly conflictEndsSearch: boolean;
}

export function assignAddresses(
  draft: Draft,
  name: string,
  addresses: readonly IpAddress[],
  { sticky, conflictEndsSearch }: AssignOptions,
): Assignment {
  const { allocator } = draft;
  if (addresses.length === 0) return { placed: [], said: [] };
  if (!allocator.hasEligibleNode) return { placed: [], said: [noAssignableNodes(name)] };
  // One node whose own addresses cannot be read stops everything, without a word.
  if (!allocator.hostAddressesKnown) return { placed: [], said: [] };
  const placed: StatusItem[] = [];
  const said: Occurrence[] = [];
  for (const ip of addresses) {
    if (conflictEndsSearch) {
      const conflict = conflictOf(draft, name, ip);
      if (conflict !== undefined) return { placed, said: conflict };
    }
    const node = placeOf(draft, name, ip, { sticky, said });
    if (node !== undefined) placed.push({ egressIP: ip.text, node });
  }
  if (placed.length === 0)
    said.push(
      noMatchingNodes(
        name,
        addresses.map(({ text }) => text),
      ),
    );
  else if (placed.length < addresses.length) said.push(notAllAssigned(name));
  return { placed, said };
}

/** What an older product says of an address that it cannot have; nothing where another EgressIP has it. */
function conflictOf(draft: Draft, name: string, ip: IpAddress): readonly Occurrence[] | undefined {
  const holder = draft.holderOf(ip.text);
  if (holder && holder.egressIp !== name) return [];
  const host = draft.allocator.hostOf(ip.text);
  return host === undefined ? undefined : [isNodeAddress(name, ip.text, host)];
}

function placeOf(
  draft: Draft,
  name: string,
  ip: IpAddress,
  { sticky, said }: { readonly sticky: boolean; readonly said: Occurrence[] },
): string | undefined {
  const { allocator } = draft;
  const host = allocator.hostOf(ip.text);
  if (host !== undefined) {
    if (!sticky) draft.release(ip.text); // if it was remembered although the status had lost it
    said.push(hostConflict(name, ip.text, host));
    return undefined;
  }
  const holder = draft.holderOf(ip.text);
  if (holder && holder.egressIp !== name) {
    said.push(alreadyAllocated(name, ip.text, holder));
    return undefined;
  }
  if (holder && sticky) return allocator.hasNetwork(holder.node, ip) ? holder.node : undefined;
  if (holder) {
    if (allocator.canHost(holder.node, ip)) return holder.node;
    draft.release(ip.text);
  }
  return draft.place(ip);
}

// Which EgressIPs have to be looked at again when a node changes, and just as much which have not: an address never
// moves for balance, and a network or an address that was freed wakes nobody by itself. And which nodes are held to be
// reachable: they are asked on a change for which they are looked at anew, and every five seconds.
import { parseIp } from "../../meta/ip.ts";
import { type Allocator, hasNetwork } from "./allocator.ts";
import type { EgressIp, EgressIpIndex } from "./egress-ip.ts";
import { isUsable, type NodeState } from "./node-state.ts";

/** Takes in a node that is new or changed; answers with the EgressIPs to look at. */
export function takeNode(
  allocator: Allocator,
  index: EgressIpIndex,
  before: NodeState | undefined,
  given: NodeState,
): string[] {
  const isAnew = isLookedAtAnew(before, given);
  // A known and usable node that answers is reachable then; any other stays what it is held to be.
  const found = isAnew && given.answers && given.known && isUsable(given);
  const state = found ? { ...given, reachable: true } : given;
  const affected = allocator.setNode(state);
  if (!isUsable(state)) {
    // Only a node that could be used until now leaves anything behind.
    return sorted([affected, before && isUsable(before) ? namesOf(index.onNode(state.name)) : []]);
  }
  const hostCidrsChanged = before !== undefined && before.hostCidrsText !== state.hostCidrsText;
  return sorted([
    affected,
    state.reachable && isAnew ? index.incomplete() : [],
    hostCidrsChanged ? namesOf(withLostNetwork(index, state)) : [],
  ]);
}

/** Asks the nodes whether they answer; answers with the EgressIPs to look at. */
export function checkReachability(allocator: Allocator, index: EgressIpIndex): string[] {
  const affected = allocator
    .nodes()
    .filter(isMisjudged)
    .map((state) => {
      allocator.setNode({ ...state, reachable: state.answers });
      return state.answers ? [...index.incomplete()] : namesOf(index.onNode(state.name));
    });
  return sorted(affected);
}

/** Forgets a node; answers with the EgressIPs to look at. */
export const dropNode = (allocator: Allocator, index: EgressIpIndex, name: string): string[] =>
  sorted([allocator.removeNode(name), namesOf(index.onNode(name))]);

/** A node of which the next check will find that it is not what it is held to be. Others are not asked. */
export const isMisjudged = (state: NodeState): boolean =>
  isUsable(state) && state.known && state.reachable !== state.answers;

/** True for a change after which a node is looked at as if it had just come. */
const isLookedAtAnew = (before: NodeState | undefined, state: NodeState): boolean =>
  !before ||
  before.labelled !== state.labelled ||
  before.ready !== state.ready ||
  (state.known && !before.known) ||
  before.hostCidrsText !== state.hostCidrsText ||
  before.cloudConfigText !== state.cloudConfigText;

/** EgressIPs with an item on the node for which none of its networks is left. */
const withLostNetwork = (index: EgressIpIndex, state: NodeState): EgressIp[] =>
  index.onNode(state.name).filter(({ items }) =>
    items.some(({ egressIP, node }) => {
      const ip = node === state.name ? parseIp(egressIP) : undefined;
      return ip !== undefined && !hasNetwork(state, ip);
    }),
  );

const namesOf = (egressIps: readonly EgressIp[]): string[] => egressIps.map(({ name }) => name);

const sorted = (names: readonly Iterable<string>[]): string[] =>
  [...new Set(names.flatMap((some) => [...some]))].sort();

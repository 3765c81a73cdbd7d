// Which EgressIPs have to be looked at again when a node changes, and just as much which have not: an address never
// moves for balance, and a network or an address that was freed wakes nobody by itself.
import { parseIp } from "../../meta/ip.ts";
import type { EgressIpIndex } from "./egress-ip-index.ts";
import { isUsable, type NodeState } from "./node-state.ts";
import type { Allocator } from "./placement/allocator.ts";
import { hasNetwork } from "./placement/allocator.ts";
import { isLookedAtAnew, isMisjudged, settleReachability } from "./settle-reachability.ts";

/** Takes in a node that is new or changed; answers with the EgressIPs to look at. */
export function takeNode(
  allocator: Allocator,
  index: EgressIpIndex,
  before: NodeState | undefined,
  given: NodeState,
): Set<string> {
  const state = settleReachability(before, given);
  const affected = new Set(allocator.setNode(state));
  const hostCidrsChanged = before !== undefined && before.hostCidrsText !== state.hostCidrsText;
  if (!isUsable(state)) {
    // Only a node that could be used until now leaves anything behind.
    if (before && isUsable(before)) addNames(affected, index.onNode(state.name));
    return affected;
  }
  if (state.reachable && isLookedAtAnew(before, state)) {
    for (const name of index.incomplete()) affected.add(name);
  }
  if (hostCidrsChanged) addNames(affected, withLostNetwork(index, state));
  return affected;
}

/** Asks the nodes whether they answer; answers with the EgressIPs to look at. */
export function checkReachability(allocator: Allocator, index: EgressIpIndex): Set<string> {
  const affected = new Set<string>();
  for (const state of allocator.nodes().filter(isMisjudged)) {
    allocator.setNode({ ...state, reachable: state.answers });
    if (state.answers) for (const name of index.incomplete()) affected.add(name);
    else addNames(affected, index.onNode(state.name));
  }
  return affected;
}

/** Forgets a node; answers with the EgressIPs to look at. */
export function dropNode(allocator: Allocator, index: EgressIpIndex, name: string): Set<string> {
  const affected = new Set(allocator.removeNode(name));
  addNames(affected, index.onNode(name));
  return affected;
}

/** EgressIPs with an item on the node for which none of its networks is left. */
function withLostNetwork(index: EgressIpIndex, state: NodeState): { name: string }[] {
  return index.onNode(state.name).filter(({ items }) =>
    items.some(({ egressIP, node }) => {
      const ip = node === state.name ? parseIp(egressIP) : undefined;
      return ip !== undefined && !hasNetwork(state, ip);
    }),
  );
}

function addNames(names: Set<string>, found: readonly { readonly name: string }[]): void {
  for (const { name } of found) names.add(name);
}

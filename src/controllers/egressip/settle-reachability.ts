// Which nodes are held to be reachable: they are asked on a change for which they are looked at anew, and every five
// seconds.
import { isUsable, type NodeState } from "./node-state.ts";

/** True for a change after which a node is looked at as if it had just come. */
export function isLookedAtAnew(before: NodeState | undefined, state: NodeState): boolean {
  return (
    !before ||
    before.labelled !== state.labelled ||
    before.ready !== state.ready ||
    (state.known && !before.known) ||
    before.hostCidrsText !== state.hostCidrsText ||
    before.cloudConfigText !== state.cloudConfigText
  );
}

/** A known and usable node that is looked at anew and answers is reachable; any other stays what it is held to be. */
export function settleReachability(before: NodeState | undefined, state: NodeState): NodeState {
  const found = state.answers && state.known && isUsable(state) && isLookedAtAnew(before, state);
  return found && !state.reachable ? { ...state, reachable: true } : state;
}

/** A node of which the next check will find that it is not what it is held to be. Others are not asked. */
export const isMisjudged = (state: NodeState): boolean =>
  isUsable(state) && state.known && state.reachable !== state.answers;

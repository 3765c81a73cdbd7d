// Which nodes are held to be reachable. Nobody is probed here: a node answers unless its annotation says otherwise. When
// it is asked is kept, though: on a change for which the node is looked at anew, and every five seconds.
import type { Clock, Timer } from "../../meta/clock.ts";
import { isUsable, type NodeState } from "./node-state.ts";

const CHECK_MS = 5_000;

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

/** Calls at the next full five seconds since it was made, when asked to; it does not tick for nothing. */
export class ReachabilityCheck {
  readonly #clock: Clock;
  readonly #check: () => void;
  readonly #startedMs: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, check: () => void) {
    this.#clock = clock;
    this.#check = check;
    this.#startedMs = clock.now();
  }

  expect(): void {
    if (this.#timer) return;
    const elapsedMs = this.#clock.now() - this.#startedMs;
    this.#timer = this.#clock.after(CHECK_MS - (elapsedMs % CHECK_MS), () => {
      this.#timer = undefined;
      this.#check();
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

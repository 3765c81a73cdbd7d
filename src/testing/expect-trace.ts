// Assertions about packet traces for tests. A failed assertion throws an error with the whole packet path.
import { asText, blocksOfTrace } from "../ovn/tell.ts";
import { brokenClaims, type TraceClaims as Claims } from "../ovn/trace/claims.ts";
import type { Trace } from "../ovn/trace/trace.ts";

/** An assertion about a trace failed; the message shows every outcome with its stages. */
export class TraceMismatchError extends Error {
  override readonly name = "TraceMismatchError";
}

export interface TraceClaims {
  /** The packet is allowed, and its egress source IPs are exactly these addresses, across all outcomes. */
  toLeaveBy(...addresses: readonly string[]): void;
  /** The packet is allowed, and leaves from exactly these nodes, across all outcomes. */
  toLeaveFrom(...nodes: readonly string[]): void;
  /**
   * The packet is denied in every outcome; `by` is part of the deciding object's name: "EgressFirewall shop/default
   * rule 1".
   */
  toBeDenied(by?: string): void;
  /** The packet is allowed in every outcome. */
  toBeAllowed(): void;
  /** The packet has this DSCP; undefined: none is set. */
  toBeMarked(dscp: number | undefined): void;
}

/**
 * Assertions about a trace, for any test framework. A failed one throws a TraceMismatchError.
 *
 * @example
 * expectTrace(server.trace({ namespace: "shop", pod: "web", to: "8.8.8.8:443" })).toLeaveBy("192.168.126.101");
 */
export function expectTrace(trace: Trace): TraceClaims {
  const claim = (claims: Claims): void => {
    const [expected] = brokenClaims(trace, claims);
    if (expected === undefined) return;
    throw new TraceMismatchError(`expected ${expected}, but:\n\n${asText(blocksOfTrace(trace))}`);
  };
  return {
    toLeaveBy: (...addresses) => claim({ leavesBy: addresses }),
    toLeaveFrom: (...nodes) => claim({ leavesFrom: nodes }),
    toBeDenied: (by = "") => claim({ deniedBy: by }),
    toBeAllowed: () => claim({ verdict: "allowed" }),
    toBeMarked: (dscp) => claim({ dscp: dscp ?? null }),
  };
}

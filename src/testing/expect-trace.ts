// What tests say of the way of a packet. A claim that does not hold throws an error that tells the whole way.
import { asText, blocksOfTrace } from "../verdict/tell.ts";
import { brokenClaims, type TraceClaims as Claims } from "../verdict/trace/claims.ts";
import type { Trace } from "../verdict/trace/trace.ts";

/** A claim about a trace does not hold; the message shows every outcome with its stages. */
export class TraceMismatchError extends Error {
  override readonly name = "TraceMismatchError";
}

export interface TraceClaims {
  /** The packet is allowed, and leaves by just these source addresses: by any of them where there are several. */
  toLeaveBy(...addresses: readonly string[]): void;
  /** The packet is allowed, and leaves from just these nodes. */
  toLeaveFrom(...nodes: readonly string[]): void;
  /** It is denied, whatever may happen; `by` is part of who decides: "EgressFirewall shop/default rule 1". */
  toBeDenied(by?: string): void;
  /** It is allowed, whatever may happen. */
  toBeAllowed(): void;
  /** It carries this DSCP; undefined: none is set. */
  toBeMarked(dscp: number | undefined): void;
}

/**
 * Claims about a trace, for any test framework. Each throws a TraceMismatchError where it does not hold.
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

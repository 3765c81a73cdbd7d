// What tests say of the way of a packet. A claim that does not hold throws an error that tells the whole way.
import { asText, blocksOfTrace } from "../verdict/tell.ts";
import type { Trace } from "../verdict/trace/trace.ts";
import { inWords } from "../verdict/trace/way.ts";

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
  const { outcomes } = trace;
  const claim = (holds: boolean, what: string): void => {
    if (!holds) throw new TraceMismatchError(`expected ${what}, but:\n\n${asText(blocksOfTrace(trace))}`);
  };
  const claimSet = (
    found: readonly (string | undefined)[],
    wanted: readonly string[],
    what: string,
  ): void => {
    const isAllowed = outcomes.every(({ verdict }) => verdict === "allowed");
    const [has, wants] = [new Set(found), new Set(wanted)];
    const isSame = has.size === wants.size && [...wants].every((value) => has.has(value));
    claim(isAllowed && isSame, `the packet to leave ${what} ${wanted.join(" or ")}`);
  };
  return {
    toLeaveBy: (...addresses) =>
      claimSet(
        outcomes.map(({ source }) => source),
        addresses,
        "by",
      ),
    toLeaveFrom: (...nodes) =>
      claimSet(
        outcomes.map(({ node }) => node),
        nodes,
        "from",
      ),
    toBeDenied(by = "") {
      const isDenied = outcomes.every(
        ({ verdict, steps }) =>
          verdict === "denied" &&
          (steps.at(-1)?.by.some((decider) => inWords(decider).includes(by)) ?? false),
      );
      claim(isDenied, `the packet to be denied${by === "" ? "" : ` by ${by}`}`);
    },
    toBeAllowed: () =>
      claim(
        outcomes.every(({ verdict }) => verdict === "allowed"),
        "the packet to be allowed",
      ),
    toBeMarked: (wanted) =>
      claim(
        outcomes.every(({ dscp }) => dscp?.value === wanted),
        wanted === undefined ? "no DSCP" : `the DSCP ${wanted}`,
      ),
  };
}

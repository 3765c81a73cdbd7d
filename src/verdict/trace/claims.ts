// What somebody claims of the way of a packet, and which of it does not hold.
import type { Trace } from "./trace.ts";
import { inWords, type Verdict } from "./way.ts";

export interface TraceClaims {
  /** Of every outcome. */
  readonly verdict?: Verdict;
  /** The packet is allowed, and leaves by just these source addresses: by any of them where there are several. */
  readonly leavesBy?: readonly string[];
  /** The packet is allowed, and leaves from just these nodes. */
  readonly leavesFrom?: readonly string[];
  /** It is denied, and this is part of who decides: "EgressFirewall shop/default rule 1". */
  readonly deniedBy?: string;
  /** The DSCP that it carries; null: none is set. */
  readonly dscp?: number | null;
}

/** What was expected of the packet, for each claim that does not hold: "the packet to leave by 192.0.2.1". */
export function brokenClaims({ outcomes }: Trace, claims: TraceClaims): string[] {
  const { verdict, leavesBy, leavesFrom, deniedBy, dscp } = claims;
  const isAll = (wanted: Verdict): boolean => outcomes.every((outcome) => outcome.verdict === wanted);
  const leaves = (found: readonly (string | undefined)[], wanted: readonly string[]): boolean => {
    const [has, wants] = [new Set(found), new Set(wanted)];
    return isAll("allowed") && has.size === wants.size && [...wants].every((value) => has.has(value));
  };
  const isDeniedBy = (part: string): boolean =>
    isAll("denied") &&
    outcomes.every(
      ({ steps }) => steps.at(-1)?.by.some((decider) => inWords(decider).includes(part)) ?? false,
    );
  const sources = outcomes.map(({ source }) => source);
  const nodes = outcomes.map(({ node }) => node);
  const broken: (string | false)[] = [
    verdict !== undefined && !isAll(verdict) && `the packet to be ${verdict}`,
    leavesBy !== undefined && !leaves(sources, leavesBy) && `the packet to leave by ${leavesBy.join(" or ")}`,
    leavesFrom !== undefined &&
      !leaves(nodes, leavesFrom) &&
      `the packet to leave from ${leavesFrom.join(" or ")}`,
    deniedBy !== undefined &&
      !isDeniedBy(deniedBy) &&
      `the packet to be denied${deniedBy === "" ? "" : ` by ${deniedBy}`}`,
    dscp !== undefined &&
      !outcomes.every((outcome) => (outcome.dscp?.value ?? null) === dscp) &&
      (dscp === null ? "no DSCP" : `the DSCP ${dscp}`),
  ];
  return broken.filter((one) => one !== false);
}

// Expectations about a trace, and which of them fail.

import { inWords, type Verdict } from "./packet-path.ts";
import type { Trace } from "./trace.ts";

export interface TraceClaims {
  /** Expected for every outcome. */
  readonly verdict?: Verdict;
  /** Every outcome is allowed, and the set of egress source IPs equals this one. */
  readonly leavesBy?: readonly string[];
  /** Every outcome is allowed, and the set of egress nodes equals this one. */
  readonly leavesFrom?: readonly string[];
  /** Every outcome is denied, and the deciding rule contains this text: "EgressFirewall shop/default rule 1". */
  readonly deniedBy?: string;
  /** Expected DSCP of every outcome; null: no rule sets one. */
  readonly dscp?: number | null;
}

/** Texts of the failed expectations: "the packet to leave by 192.0.2.1". */
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

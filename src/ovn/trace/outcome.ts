// Outcomes of a trace as reported to the client: distinct, without fields that only the stages need.
import type { PodView } from "../cluster/pod-view.ts";
import {
  type Decider,
  type Dscp,
  isLikely,
  type Outcome,
  type PacketPath,
  type Protocol,
  type Step,
  type Verdict,
} from "./packet-path.ts";

export interface TracedDestination {
  readonly address: string;
  /**
   * The range, or the part of it, that the address represents. The longest prefix that contains an address applies, as in a
   * routing table.
   */
  readonly range?: string;
  readonly port?: number;
  readonly protocol: Protocol;
}

/** One possible outcome. */
export interface TracedOutcome extends Omit<Outcome, "evidence"> {
  /** Neither a test nor a document of upstream states it. */
  readonly likely: boolean;
  readonly destination: TracedDestination;
  readonly dscp?: { readonly value: number; readonly by: Decider };
  readonly steps: readonly (Omit<Step, "evidence"> & { readonly likely: boolean })[];
}

export const outcomesOf = (ways: readonly PacketPath[]): TracedOutcome[] => distinct(ways.map(toOutcome));

/** Removes duplicates, by JSON text. */
export const distinct = <T>(outcomes: readonly T[]): T[] => [
  ...new Map(outcomes.map((outcome) => [JSON.stringify(outcome), outcome])).values(),
];

/** The common verdict, or "several". */
export function verdictOf(outcomes: readonly { readonly verdict: Verdict }[]): Verdict | "several" {
  const [first, ...more] = new Set(outcomes.map(({ verdict }) => verdict));
  return first === undefined || more.length > 0 ? "several" : first;
}

/** The egress source IP of an allowed packet; otherwise the verdict. */
export const sourceOrVerdict = ({ verdict, source }: TracedOutcome): string =>
  verdict === "allowed" ? (source ?? "unknown") : verdict;

function toOutcome({ outcome, destination, dscp, steps }: PacketPath): TracedOutcome {
  const { evidence, ...told } = outcome ?? { verdict: "no verdict", text: "", evidence: "inferred" };
  const { address, within, port, protocol } = destination;
  return {
    ...told,
    likely: isLikely(evidence) || steps.some((step) => step.stage !== "route" && isLikely(step.evidence)),
    destination: {
      address: address.text,
      ...(within ? { range: within.text } : {}),
      ...(port === undefined ? {} : { port }),
      protocol,
    },
    ...(dscp ? { dscp: { value: dscp.value, by: dscp.by } satisfies Dscp } : {}),
    steps: steps.map(({ evidence: known, ...step }) => ({ ...step, likely: isLikely(known) })),
  };
}

/** Two parts of a range are equal if all fields but the representing addresses are. */
export const withoutDestination = (outcomes: readonly TracedOutcome[]): string =>
  JSON.stringify(outcomes.map(({ destination: _destination, ...rest }) => rest));

export function summaryOf(
  { namespace, name }: PodView,
  to: string,
  outcomes: readonly TracedOutcome[],
): string {
  const who = `pod ${namespace}/${name} to ${to}`;
  const ranges = new Set(outcomes.map(({ destination }) => destination.range));
  if (ranges.size > 1) {
    const told = [...ranges].map((range) => {
      const own = outcomes.filter(({ destination }) => destination.range === range);
      return `${range ?? to}: ${oneOf(own)}`;
    });
    return `${who} depends on the part: ${told.join("; ")}`;
  }
  return `${who}: ${oneOf(outcomes)}`;
}

function oneOf(outcomes: readonly TracedOutcome[]): string {
  const told = [...new Set(outcomes.map(inShort))];
  return told.length === 1 ? (told[0] ?? "") : `one of ${told.length} (${told.join("; ")})`;
}

function inShort({ verdict, source, node, interface: through, text, nextHop }: TracedOutcome): string {
  if (verdict !== "allowed") return `${verdict}, ${text}`;
  const by = through === undefined ? "" : through.startsWith("by ") ? ` ${through}` : ` by ${through}`;
  return `allowed, with source ${source ?? "unknown"} from ${node ?? "an unknown node"}${by}${nextHop === undefined ? "" : ` to ${nextHop}`}`;
}

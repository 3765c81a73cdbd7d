// The way of a packet through the stages, as values: each stage takes a way and answers how it goes on. Where upstream
// promises nothing a stage answers with several.
import type { Cidr, IpAddress } from "../../meta/ip.ts";
import type { Network } from "../cluster/network-view.ts";
import type { NodeView } from "../cluster/node-view.ts";
import type { PodView } from "../cluster/pod-view.ts";

/** How a fact is known: a test or the documents of upstream say it, its source does, or it follows from that. */
export type Evidence = "test" | "docs" | "source" | "inferred";

/** What neither a test nor a document promises is told as likely. */
export const isLikely = (evidence: Evidence): boolean => evidence === "source" || evidence === "inferred";

export const PROTOCOLS = ["tcp", "udp", "sctp", "icmp"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** What a row of a matrix stands for. */
export const ROWS_BY = ["pod", "namespace"] as const;
export type RowsBy = (typeof ROWS_BY)[number];

export interface Destination {
  readonly address: IpAddress;
  /** undefined: none was given; then rules for certain ports are not met. */
  readonly port: number | undefined;
  readonly protocol: Protocol;
  /** The name by which it was asked for. */
  readonly name: string | undefined;
  /** The range, or the part of one, for which the address stands. */
  readonly within: Cidr | undefined;
}

export type Stage =
  | "source"
  | "service"
  | "isolation"
  | "admin-network-policy"
  | "network-policy"
  | "baseline-admin-network-policy"
  | "egress-firewall"
  | "dscp"
  | "route";

/** An object, and the rule in it, that decided something. */
export interface Decider {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Position in its list of rules, from 0. */
  readonly rule?: number;
}

export interface Step {
  readonly stage: Stage;
  readonly result: "passed" | "allowed" | "denied" | "translated" | "marked" | "routed" | "skipped";
  readonly by: readonly Decider[];
  readonly text: string;
  readonly evidence: Evidence;
}

export const VERDICTS = ["allowed", "denied", "rejected", "unreachable", "dropped", "no verdict"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Where the packet leaves, and what it looks like then. */
export interface Exit {
  readonly source: string | undefined;
  readonly node: string | undefined;
  /** A bridge, "management port", "overlay", or the network of a host's interface. */
  readonly interface: string | undefined;
  readonly nextHop: string | undefined;
  /** The next hop on the cluster's own router. */
  readonly via: string | undefined;
}

export interface Outcome extends Partial<Exit> {
  readonly verdict: Verdict;
  readonly evidence: Evidence;
  readonly text: string;
}

export interface Dscp {
  readonly value: number;
  readonly by: Decider;
}

/** The pod that sends, as far as its packets are concerned. */
export interface Sender {
  readonly pod: PodView;
  readonly node: NodeView | undefined;
  /** Its primary network. */
  readonly network: Network;
  readonly address: IpAddress;
}

/**
 * A reply answers a packet that came in from outside: policies and firewalls let it pass. Of a packet that is allowed anyway
 * only the route is asked.
 */
export type PacketKind = "new" | "reply" | "allowed anyway";

export interface Way {
  readonly sender: Sender;
  readonly destination: Destination;
  readonly packet: PacketKind;
  readonly steps: readonly Step[];
  readonly dscp: Dscp | undefined;
  /** Why there are other ways beside this one. */
  readonly ambiguities: readonly string[];
  readonly warnings: readonly string[];
  /** It is over. */
  readonly outcome: Outcome | undefined;
}

/** Nothing has happened to the packet yet. */
export const begin = (asked: Pick<Way, "sender" | "destination" | "packet">): Way => ({
  ...asked,
  steps: [],
  dscp: undefined,
  ambiguities: [],
  warnings: [],
  outcome: undefined,
});

export const pass = (way: Way, step: Step): Way => ({ ...way, steps: [...way.steps, step] });

/** The way ends at a stage: the step says why, and so does the outcome. */
export const end = (way: Way, step: Step, outcome: Omit<Outcome, "text" | "evidence">): Way => ({
  ...pass(way, step),
  outcome: { ...outcome, text: step.text, evidence: step.evidence },
});

export const doubt = (way: Way, why: string): Way => ({ ...way, ambiguities: [...way.ambiguities, why] });

export const warn = (way: Way, warning: string): Way =>
  way.warnings.includes(warning) ? way : { ...way, warnings: [...way.warnings, warning] };

export const decider = (
  kind: string,
  object: { readonly metadata: { readonly namespace?: string; readonly name?: string } },
  rule?: number,
): Decider => ({
  kind,
  ...(object.metadata.namespace ? { namespace: object.metadata.namespace } : {}),
  name: object.metadata.name ?? "",
  ...(rule === undefined ? {} : { rule }),
});

export const inWords = ({ kind, namespace, name, rule }: Decider): string =>
  `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}${rule === undefined ? "" : ` rule ${rule}`}`;

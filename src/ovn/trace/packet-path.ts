// The packet path as immutable values. A stage takes a path and returns its continuations: several if upstream leaves the
// result undefined.
import type { Cidr, IpAddress } from "../../apimachinery/meta/ip.ts";
import type { Network } from "../cluster/network-view.ts";
import type { NodeView } from "../cluster/node-view.ts";
import type { PodView } from "../cluster/pod-view.ts";

/** Evidence of a rule: an upstream test, upstream documents, upstream source, or inferred from the source. */
export type Evidence = "test" | "docs" | "source" | "inferred";

/** Outcomes without a test or a document as evidence are marked as likely. */
export const isLikely = (evidence: Evidence): boolean => evidence === "source" || evidence === "inferred";

export const PROTOCOLS = ["tcp", "udp", "sctp", "icmp"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** The subject of a matrix row. */
export const ROWS_BY = ["pod", "namespace"] as const;
export type RowsBy = (typeof ROWS_BY)[number];

export interface Destination {
  readonly address: IpAddress;
  /** Undefined: not given; rules with ports do not match. */
  readonly port: number | undefined;
  readonly protocol: Protocol;
  /** The DNS name of the request; undefined if an address was requested. */
  readonly name: string | undefined;
  /** The range, or the part of one, that the address represents. */
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

/** The object, and the rule in it, that decided. */
export interface Decider {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Zero-based index in its list of rules. */
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

/** The point where the packet leaves the cluster, and its egress source IP there. */
export interface Exit {
  readonly source: string | undefined;
  readonly node: string | undefined;
  /** A bridge, "management port", "overlay", or the network of a host's interface. */
  readonly interface: string | undefined;
  readonly nextHop: string | undefined;
  /** The next hop on the cluster router. */
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

/** The sending pod, with its address in its primary network. */
export interface Sender {
  readonly pod: PodView;
  readonly node: NodeView | undefined;
  /** Its primary network. */
  readonly network: Network;
  readonly address: IpAddress;
}

/**
 * A reply belongs to an inbound connection: stateful rules allow it. A packet that is "allowed anyway" skips policies and
 * firewall, so only its route is traced.
 */
export type PacketKind = "new" | "reply" | "allowed anyway";

export interface PacketPath {
  readonly sender: Sender;
  readonly destination: Destination;
  readonly packet: PacketKind;
  readonly steps: readonly Step[];
  readonly dscp: Dscp | undefined;
  /** Why other paths are possible. */
  readonly ambiguities: readonly string[];
  readonly warnings: readonly string[];
  /** Set once the path has ended. */
  readonly outcome: Outcome | undefined;
}

/** A path before the first stage. */
export const begin = (asked: Pick<PacketPath, "sender" | "destination" | "packet">): PacketPath => ({
  ...asked,
  steps: [],
  dscp: undefined,
  ambiguities: [],
  warnings: [],
  outcome: undefined,
});

export const pass = (way: PacketPath, step: Step): PacketPath => ({ ...way, steps: [...way.steps, step] });

/** Ends the path at a stage; the outcome takes text and evidence from the step. */
export const end = (
  way: PacketPath,
  step: Step,
  outcome: Omit<Outcome, "text" | "evidence">,
): PacketPath => ({
  ...pass(way, step),
  outcome: { ...outcome, text: step.text, evidence: step.evidence },
});

export const doubt = (way: PacketPath, why: string): PacketPath => ({
  ...way,
  ambiguities: [...way.ambiguities, why],
});

export const warn = (way: PacketPath, warning: string): PacketPath =>
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

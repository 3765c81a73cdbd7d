// The packet path as a sequence of stations with the hops between them.
import type { TracedOutcome } from "../../ovn/trace/outcome.ts";
import type { Decider, Stage } from "../../ovn/trace/packet-path.ts";
import type { Trace } from "../../ovn/trace/trace.ts";

export interface Station {
  readonly title: string;
  readonly name: string;
  readonly details: readonly string[];
  /** Hop from the previous station; "" for the first one, and for a hop without a name. */
  readonly by: string;
  /** The packet path ends here. */
  readonly isEnd: boolean;
}

/** Titles of the stages. */
export const STAGES: Readonly<Record<Stage, string>> = {
  source: "Sender",
  service: "Service translation",
  isolation: "Isolation of networks",
  "admin-network-policy": "AdminNetworkPolicy",
  "network-policy": "NetworkPolicy",
  "baseline-admin-network-policy": "BaselineAdminNetworkPolicy",
  "egress-firewall": "EgressFirewall",
  dscp: "EgressQoS",
  route: "Route",
};

export const objectName = ({ kind, namespace, name }: Decider): string =>
  `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;

/** The object that determined the egress source IP. */
const routedBy = ({ steps }: TracedOutcome): Decider | undefined =>
  steps.findLast(({ stage }) => stage === "route")?.by[0];

export function stationsOf({ from, to }: Trace, outcome: TracedOutcome): Station[] {
  const { verdict, node, source, destination, interface: leaves, nextHop, via } = outcome;
  const pod = station("Pod", `${from.namespace}/${from.pod}`, from.addresses);
  const own = station(
    "Its node",
    from.node || "none yet",
    from.network === "" ? [] : [`network ${from.network}`],
  );
  const port = destination.port === undefined ? "" : `:${destination.port}`;
  const there = station("Destination", to, [
    `${destination.address}${port} ${destination.protocol}`,
    ...(nextHop === undefined ? [] : [`next hop ${nextHop}`]),
    ...(via === undefined ? [] : [`by way of ${via}`]),
  ]);
  if (verdict !== "allowed") return [pod, { ...own, isEnd: true }];
  const exit =
    node !== undefined && node !== from.node ? [{ ...station("Egress node", node, []), by: "overlay" }] : [];
  const giver = routedBy(outcome);
  const address =
    source === undefined || from.addresses.includes(source)
      ? []
      : [{ ...station("Address", source, giver ? [objectName(giver)] : []), by: "SNAT" }];
  const last = { ...there, by: leaves ?? "", isEnd: true };
  return [pod, own, ...exit, ...address, last];
}

const station = (title: string, name: string, details: readonly string[]): Station => ({
  title,
  name,
  details,
  by: "",
  isEnd: false,
});

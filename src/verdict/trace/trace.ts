// What happens with a packet that leaves a pod: each stage that looked at it, and all outcomes that upstream allows
// (verdict.md). Pure: a cluster and a question in, a value out.
import type { Cluster } from "../cluster/cluster.ts";
import type { Network } from "../cluster/network-view.ts";
import { nodeAddress } from "../cluster/node-view.ts";
import { isLive, type PodView } from "../cluster/pod-view.ts";
import type { Reason } from "../reason.ts";
import { destinationsOf, TraceError } from "./destinations.ts";
import { marked, mindQos } from "./dscp.ts";
import { matchingEgressIps, mindNetwork } from "./egress-ip.ts";
import { throughFirewall } from "./firewall.ts";
import type { Peer } from "./peers.ts";
import { type Place, placeOfDestination } from "./place.ts";
import { throughPolicies } from "./policies.ts";
import { routed } from "./route.ts";
import { throughServices } from "./services.ts";
import { unusedEgressIps } from "./unused.ts";
import {
  type Decider,
  type Destination,
  end,
  isLikely,
  type Outcome,
  type PacketKind,
  type Protocol,
  type Sender,
  type Step,
  type Verdict,
  type Way,
} from "./way.ts";

export interface TraceRequest {
  readonly namespace: string;
  readonly pod: string;
  /** As destinationsOf reads it. */
  readonly to: string;
  readonly protocol: Protocol;
  /** Default: "new". */
  readonly packet?: PacketKind;
}

/** One thing that can happen. */
export interface TracedOutcome extends Omit<Outcome, "evidence"> {
  /** Neither a test nor a document of upstream promises it. */
  readonly likely: boolean;
  readonly destination: { readonly address: string; readonly port?: number; readonly protocol: Protocol };
  readonly dscp?: { readonly value: number; readonly by: Decider };
  readonly steps: readonly (Omit<Step, "evidence"> & { readonly likely: boolean })[];
}

export interface Trace {
  readonly from: {
    readonly namespace: string;
    readonly pod: string;
    readonly node: string;
    readonly network: string;
    readonly addresses: readonly string[];
  };
  readonly to: string;
  /** "several" where outcomes differ in it. */
  readonly verdict: Verdict | "several";
  readonly summary: string;
  readonly outcomes: readonly TracedOutcome[];
  /** Why there are several outcomes. */
  readonly ambiguities: readonly string[];
  readonly unusedEgressIps: readonly { readonly name: string; readonly reasons: readonly Reason[] }[];
  readonly warnings: readonly string[];
}

/** Throws TraceError. */
export function trace(cluster: Cluster, request: TraceRequest): Trace {
  const pod = cluster.pod(request.namespace, request.pod);
  if (!pod)
    throw new TraceError("not found", `pods "${request.pod}" not found in namespace ${request.namespace}`);
  const destinations = destinationsOf(cluster, request.to, request.protocol);
  const network = cluster.networks.ofNamespace(pod.namespace);
  const addresses = network ? cluster.addressesOf(pod, network) : [];
  const traced = reachable(destinations, addresses.length > 0 ? addresses : pod.statusAddresses).map(
    (destination) => traceOne(cluster, pod, network, destination, request.packet ?? "new"),
  );
  const ways = traced.flatMap((one) => one.ways);
  const outcomes = distinct(ways.map(toOutcome));
  const [first] = outcomes;
  const verdicts = new Set(outcomes.map(({ verdict }) => verdict));
  return {
    from: {
      namespace: pod.namespace,
      pod: pod.name,
      node: pod.node,
      network: network?.name ?? "",
      addresses: addresses.map(({ text }) => text),
    },
    to: request.to,
    verdict: verdicts.size === 1 && first ? first.verdict : "several",
    summary: summaryOf(pod, request.to, outcomes),
    outcomes,
    ambiguities: [...new Set(ways.flatMap(({ ambiguities }) => ambiguities))],
    unusedEgressIps: traced[0]?.unused ?? [],
    warnings: [...new Set(ways.flatMap(({ warnings }) => warnings))],
  };
}

/** Of several addresses those of the families that the pod has; all where it has none of them. */
function reachable(
  destinations: readonly Destination[],
  own: readonly { readonly family: 4 | 6 }[],
): readonly Destination[] {
  const fitting = destinations.filter(({ address }) => own.some(({ family }) => family === address.family));
  return fitting.length > 0 ? fitting : destinations;
}

function traceOne(
  cluster: Cluster,
  pod: PodView,
  network: Network | undefined,
  destination: Destination,
  packet: PacketKind,
) {
  const node = cluster.nodes.get(pod.node);
  const { family } = destination.address;
  const address = network && cluster.addressOf(pod, network, family);
  const about = { pod, family, sender: undefined, place: undefined };
  if (!isLive(pod) || !network || !address) {
    const ways = [
      withoutPacket(
        { pod, network: network ?? cluster.networks.default, node, destination, packet },
        cluster,
        network !== undefined,
      ),
    ];
    return { ways, unused: unusedEgressIps(cluster, { ...about, ways }) };
  }
  const sender: Sender = { pod, node, network, address };
  const begun: Way = {
    sender,
    destination,
    packet,
    steps: [],
    dscp: undefined,
    ambiguities: [],
    warnings: [],
    outcome: undefined,
  };
  const ways = goOn(throughServices(begun, cluster), (way) => afterServices(way, cluster));
  // The place of what was asked for, or of what a Service made of it.
  const place = placeOfDestination(cluster, sender, ways[0]?.destination.address ?? destination.address);
  return { ways, unused: unusedEgressIps(cluster, { ...about, sender, place, ways }) };
}

/** What goes on goes through the next stage. */
const goOn = (ways: readonly Way[], stage: (way: Way) => Way[]): Way[] =>
  ways.flatMap((way) => (way.outcome === undefined ? stage(way) : [way]));

function afterServices(way: Way, cluster: Cluster): Way[] {
  const { sender, destination } = way;
  const place = placeOfDestination(cluster, sender, destination.address);
  const pod = place.type === "pods" || place.type === "other-network" ? place.pod : undefined;
  const peer: Peer = { address: destination.address, pod, network: sender.network };
  let ways = goOn(isolated(way, cluster, place), (one) =>
    one.packet !== "new"
      ? [one]
      : throughPolicies(one, cluster, { direction: "egress", pod: sender.pod, peer, to: destination }),
  );
  if (pod && way.packet === "new") {
    const from: Peer = { address: sender.address, pod: sender.pod, network: sender.network };
    ways = goOn(ways, (one) =>
      throughPolicies(one, cluster, { direction: "ingress", pod, peer: from, to: destination }),
    );
  }
  ways = goOn(ways, (one) => (one.packet !== "new" ? [one] : throughFirewall(one, cluster)));
  ways = goOn(ways, (one) => marked(mindQos(one, cluster), cluster, peer));
  ways = goOn(ways, (one) => [
    mindNetwork(one, sender.network.isDefault ? [] : matchingEgressIps(cluster, sender.pod)),
  ]);
  return goOn(ways, (one) => routed(one, cluster, place));
}

/** Tier 0: networks of pods do not reach each other, unless something joins them. */
function isolated(way: Way, cluster: Cluster, place: Place): Way[] {
  if (place.type !== "other-network") return [way];
  const { networks, facts } = cluster;
  const { network } = way.sender;
  if (networks.connection(network, place.network) !== undefined) return [way];
  const bothAdvertised =
    networks.advertisement(network) !== undefined && networks.advertisement(place.network) !== undefined;
  if (bothAdvertised && facts.advertisedIsolation === "loose") return [way];
  const text = `the destination is in network ${place.network.name}, from which ${network.name} is isolated`;
  const step: Step = {
    stage: "isolation",
    result: "denied",
    by: [],
    text,
    evidence: bothAdvertised ? "test" : "source",
  };
  return [end(way, step, { verdict: "dropped", node: way.sender.pod.node })];
}

/** Of a pod on its host's network, or one that sends nothing. */
function withoutPacket(
  { pod, destination, packet, ...rest }: Omit<Sender, "address"> & Pick<Way, "destination" | "packet">,
  cluster: Cluster,
  hasNetwork: boolean,
): Way {
  const { family } = destination.address;
  const sender: Sender = { pod, ...rest, address: destination.address };
  const way: Way = {
    sender,
    destination,
    packet,
    steps: [],
    dscp: undefined,
    ambiguities: [],
    warnings: [],
    outcome: undefined,
  };
  const said = (text: string, verdict: Verdict, evidence: Step["evidence"]) =>
    end(
      way,
      { stage: "source", result: verdict === "allowed" ? "routed" : "skipped", by: [], text, evidence },
      { verdict, ...(pod.node === "" ? {} : { node: pod.node }) },
    );
  if (pod.node === "") return said("the pod is not scheduled", "no verdict", "test");
  if (pod.finished) return said("the pod has finished", "no verdict", "test");
  if (pod.hostNetwork) {
    const own = said(
      "the pod is on the network of its host: the host's routes and address hold, and no feature applies",
      "allowed",
      "test",
    );
    const source =
      pod.statusAddresses.find((ip) => ip.family === family) ?? (rest.node && nodeAddress(rest.node, family));
    return own.outcome
      ? { ...own, outcome: { ...own.outcome, source: source?.text, interface: "by the host's routes" } }
      : own;
  }
  if (!hasNetwork)
    return said("the primary network that the namespace asks for is not there", "no verdict", "source");
  if (cluster.addressesOf(pod, rest.network).length === 0)
    return said("the pod has no address yet", "no verdict", "source");
  return said(`the pod has no IPv${family} address`, "unreachable", "source");
}

function toOutcome({ outcome, destination, dscp, steps }: Way): TracedOutcome {
  const { evidence, ...told } = outcome ?? { verdict: "no verdict", text: "", evidence: "inferred" };
  const { address, port, protocol } = destination;
  return {
    ...told,
    likely: isLikely(evidence) || steps.some((step) => step.stage !== "route" && isLikely(step.evidence)),
    destination: { address: address.text, ...(port === undefined ? {} : { port }), protocol },
    ...(dscp ? { dscp } : {}),
    steps: steps.map(({ evidence: known, ...step }) => ({ ...step, likely: isLikely(known) })),
  };
}

function distinct(outcomes: readonly TracedOutcome[]): TracedOutcome[] {
  return [...new Map(outcomes.map((outcome) => [JSON.stringify(outcome), outcome])).values()];
}

function summaryOf({ namespace, name }: PodView, to: string, outcomes: readonly TracedOutcome[]): string {
  const told = [...new Set(outcomes.map(inShort))];
  const who = `pod ${namespace}/${name} to ${to}`;
  return told.length === 1 ? `${who}: ${told[0]}` : `${who}: one of ${told.length} (${told.join("; ")})`;
}

function inShort({ verdict, source, node, interface: through, text, nextHop }: TracedOutcome): string {
  if (verdict !== "allowed") return `${verdict}, ${text}`;
  const by = through === undefined ? "" : ` by ${through}`;
  return `allowed, with source ${source ?? "unknown"} from ${node ?? "an unknown node"}${by}${nextHop === undefined ? "" : ` to ${nextHop}`}`;
}

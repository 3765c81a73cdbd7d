// Traces a packet that leaves a pod: the steps of each stage, and every outcome that upstream allows (src/ovn/rules.md).
// Pure: the result depends on the cluster and the request only.
import type { Cidr } from "../../apimachinery/meta/ip.ts";
import { type Coroutine, runSync } from "../../apimachinery/scheduling/coroutine.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { PodView } from "../cluster/pod-view.ts";
import type { Reason } from "../reason.ts";
import { cutsFor, isSomebodys, ownNetworks } from "./cuts.ts";
import { destinationsOf, TraceError } from "./destinations.ts";
import { EGRESS_IPS_BY_LABEL } from "./egress-ip-source.ts";
import { summaryOf, type TracedOutcome, verdictOf, withoutDestination } from "./outcome.ts";
import { senderOf, type Traced, traceOne } from "./packet.ts";
import type { Destination, PacketKind, Protocol, Sender, Verdict } from "./packet-path.ts";
import { isInside, type Part, partsOf } from "./range.ts";
import { SERVICES_BY_ADDRESS } from "./services.ts";
import { unusedEgressIps } from "./unused.ts";

/** Upper limit for the parts of one range. */
const PARTS_MAX = 1000;

export interface TraceRequest {
  readonly namespace: string;
  readonly pod: string;
  /** In the syntax of destinationsOf. */
  readonly to: string;
  readonly protocol: Protocol;
  /** Default: "new". */
  readonly packet?: PacketKind;
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
  /** "several" if outcomes have different verdicts. */
  readonly verdict: Verdict | "several";
  readonly summary: string;
  readonly outcomes: readonly TracedOutcome[];
  /** Why there are several outcomes. */
  readonly ambiguities: readonly string[];
  readonly unusedEgressIps: readonly { readonly name: string; readonly reasons: readonly Reason[] }[];
  readonly warnings: readonly string[];
}

/** Builds the indexes that traces use, in steps that yield the event loop: the first read of a large cluster takes long. */
export const readForTraces = (cluster: Cluster): Coroutine<void> =>
  cluster.readAhead([EGRESS_IPS_BY_LABEL, SERVICES_BY_ADDRESS]);

/** Throws TraceError. */
export function trace(cluster: Cluster, request: TraceRequest): Trace {
  const pod = cluster.pod(request.namespace, request.pod);
  if (!pod)
    throw new TraceError("not found", `pods "${request.pod}" not found in namespace ${request.namespace}`);
  const destinations = destinationsOf(cluster, request.to, request.protocol);
  const network = cluster.networks.ofNamespace(pod.namespace);
  const addresses = network ? cluster.addressesOf(pod, network) : [];
  const traced = runSync(tracedTo(cluster, pod, destinations, request.packet ?? "new"));
  const ways = traced.flatMap((one) => one.ways);
  const outcomes = traced.flatMap((one) => one.outcomes);
  return {
    from: {
      namespace: pod.namespace,
      pod: pod.name,
      node: pod.node,
      network: network?.name ?? "",
      addresses: addresses.map(({ text }) => text),
    },
    to: request.to,
    verdict: verdictOf(outcomes),
    summary: summaryOf(pod, request.to, outcomes),
    outcomes,
    ambiguities: [...new Set([...partedText(request.to, traced), ...ways.flatMap((way) => way.ambiguities)])],
    unusedEgressIps: unusedOf(cluster, traced),
    warnings: [...new Set([...unknownName(destinations), ...ways.flatMap(({ warnings }) => warnings)])],
  };
}

/** For the first destination, with all of its parts. */
function unusedOf(cluster: Cluster, [first, ...more]: readonly Traced[]): Trace["unusedEgressIps"] {
  if (!first) return [];
  const parts = more.filter(
    ({ destination, about }) => destination.within && about.family === first.about.family,
  );
  return unusedEgressIps(cluster, { ...first.about, ways: [first, ...parts].flatMap(({ ways }) => ways) });
}

const partedText = (to: string, traced: readonly Traced[]): string[] =>
  traced.some(({ destination }, index) => index > 0 && destination.within)
    ? [
        `what is decided depends on the part of ${to}: of several ranges that hold an address the longest tells`,
      ]
    : [];

function unknownName(destinations: readonly Destination[]): string[] {
  const name = destinations.find(({ within }) => within)?.name;
  if (name === undefined) return [];
  return [
    `nobody says which addresses ${name} has, so all are told that it may have: --resolve ${name}=ADDRESS says which`,
  ];
}

/** Traces each destination of the pod's families, and each part of a range with its own result. Throws TraceError. */
export function* tracedTo(
  cluster: Cluster,
  pod: PodView,
  destinations: readonly Destination[],
  packet: PacketKind,
): Coroutine<Traced[]> {
  const network = cluster.networks.ofNamespace(pod.namespace);
  const own = network ? cluster.addressesOf(pod, network) : [];
  const found: Traced[] = [];
  for (const destination of reachable(destinations, own.length > 0 ? own : pod.statusAddresses)) {
    const { within, address } = destination;
    const sender = within && senderOf(cluster, pod, network, address.family);
    const parts = within && sender ? rangeParts(cluster, sender, within) : undefined;
    if (!parts) {
      found.push(traceOne(cluster, pod, network, destination, packet));
      yield;
      continue;
    }
    const known = new Map<string | undefined, string>();
    for (const { cidr, sample, parent } of parts) {
      const part = { ...destination, address: sample, within: cidr };
      const traced = traceOne(cluster, pod, network, part, packet);
      yield;
      const what = withoutDestination(traced.outcomes);
      known.set(cidr.text, what);
      if (known.get(parent) !== what) found.push(traced);
    }
  }
  return found;
}

/** Omits cluster-internal parts, unless the whole range is cluster-internal. Throws TraceError. */
function rangeParts(cluster: Cluster, sender: Sender, range: Cidr): Part[] {
  const own = ownNetworks(cluster);
  const isOwn = (cidr: Cidr) => own.some((network) => isInside(cidr, network));
  const parts = partsOf(range, cutsFor(cluster, sender), (ip) => isSomebodys(cluster, sender, ip));
  if (parts.length > PARTS_MAX)
    throw new TraceError(
      "invalid",
      `rules cut ${range.text} into more than ${PARTS_MAX} parts: ask for less of it`,
    );
  return isOwn(range) ? parts : parts.filter(({ cidr }) => !isOwn(cidr));
}

/** Destinations of the families of `own`; all destinations if none has such a family. */
function reachable(
  destinations: readonly Destination[],
  own: readonly { readonly family: 4 | 6 }[],
): readonly Destination[] {
  const fitting = destinations.filter(({ address }) => own.some(({ family }) => family === address.family));
  return fitting.length > 0 ? fitting : destinations;
}

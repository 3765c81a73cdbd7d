// Traces many pods to many destinations. Equal results are stored once, and each row refers to them by position. Pure, and
// in steps that yield: a cluster can have twenty thousand pods.
import type { Cidr } from "../../apimachinery/meta/ip.ts";
import { type Coroutine, runSync } from "../../apimachinery/scheduling/coroutine.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { PodView } from "../cluster/pod-view.ts";
import { destinationsOf, TraceError } from "./destinations.ts";
import { distinct, type TracedOutcome, verdictOf } from "./outcome.ts";
import { WORLD } from "./outside.ts";
import type { Traced } from "./packet.ts";
import type { Decider, Destination, Protocol, RowsBy, Verdict } from "./packet-path.ts";
import { isInside } from "./range.ts";
import { readForTraces, tracedTo } from "./trace.ts";

export interface ManyRequest {
  /** "ns/NAME", "pod/NAMESPACE/NAME"; none: all pods. */
  readonly from: readonly string[];
  /** In the syntax of destinationsOf; empty: everything outside of the cluster, in each family of the pods. */
  readonly to: readonly string[];
  readonly protocol: Protocol;
  readonly by: RowsBy;
}

/** An outcome without fields that are specific to one pod. */
export interface SharedOutcome {
  readonly verdict: Verdict;
  /** Absent if there is none, or if it is the pod IP. */
  readonly source?: string;
  readonly keepsAddress?: true;
  readonly node?: string;
  readonly interface?: string;
  readonly nextHop?: string;
  readonly dscp?: number;
  /** The deciding objects; if empty, `text` has the reason. */
  readonly by: readonly Decider[];
  readonly text?: string;
  readonly likely: boolean;
}

/** The longest prefix of `ranges` that contains an address applies to it; without `ranges` the whole destination. */
export interface PartOfWay {
  readonly ranges?: readonly string[];
  /** All possible outcomes. */
  readonly outcomes: readonly SharedOutcome[];
}

export interface SharedWay {
  readonly to: string;
  readonly verdict: Verdict | "several";
  readonly parts: readonly PartOfWay[];
  readonly ambiguities: readonly string[];
  readonly warnings: readonly string[];
}

export interface Row {
  readonly namespace: string;
  /** Absent if rows are namespaces. */
  readonly pod?: string;
  readonly node?: string;
  readonly pods: number;
  /** For each destination the positions in ManyTraces.ways. */
  readonly ways: readonly (readonly number[])[];
}

export interface ManyTraces {
  readonly to: readonly string[];
  readonly ways: readonly SharedWay[];
  readonly rows: readonly Row[];
}

const CELLS_MAX = 200_000;
const PACKETS_MAX = 500_000;

/** Finished pods are omitted. Throws TraceError. */
export function* traceMany(cluster: Cluster, request: ManyRequest): Coroutine<ManyTraces> {
  yield* readForTraces(cluster);
  const pods = yield* sendersOf(cluster, request.from);
  const to = request.to.length > 0 ? [...new Set(request.to)] : worldOf(pods);
  if (pods.length * to.length > CELLS_MAX)
    throw new TraceError("invalid", `${pods.length} pods and ${to.length} destinations are too many at once`);
  const destinations = to.map((text) => destinationsOf(cluster, text, request.protocol));
  const ways = new Ways(to);
  const rows: Row[] = [];
  let packets = 0;
  for (const pod of pods) {
    const taken: number[][] = [];
    for (const [column, known] of destinations.entries()) {
      const steps = tracedTo(cluster, pod, known, "new");
      let next = steps.next();
      while (!next.done) {
        if (++packets > PACKETS_MAX)
          throw new TraceError(
            "invalid",
            "too many packets at once: ask for fewer pods, or for smaller ranges",
          );
        yield;
        next = steps.next();
      }
      taken.push([ways.numberOf(column, pod, known, next.value)]);
    }
    const { namespace, name, node } = pod;
    rows.push({ namespace, pod: name, ...(node === "" ? {} : { node }), pods: 1, ways: taken });
  }
  return { to, ways: ways.all, rows: request.by === "pod" ? rows : byNamespace(rows) };
}

/** Traces one pod to one destination. Throws TraceError. */
export function sharedWay(cluster: Cluster, pod: PodView, to: string, protocol: Protocol): SharedWay {
  const destinations = destinationsOf(cluster, to, protocol);
  return shared(to, pod, destinations, runSync(tracedTo(cluster, pod, destinations, "new")));
}

/** Sorted by namespace and name. */
function* sendersOf(cluster: Cluster, from: readonly string[]): Coroutine<PodView[]> {
  const found = new Map<string, PodView>();
  const named = from.length === 0 ? [cluster.pods()] : from.map((text) => podsNamed(cluster, text));
  for (const pod of named.flat()) {
    if (!pod.finished) found.set(`${pod.namespace}/${pod.name}`, pod);
    yield;
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pod]) => pod);
}

function podsNamed(cluster: Cluster, text: string): readonly PodView[] {
  const [what = "", namespace = "", name = "", ...rest] = text.split("/");
  const isNamespace = (what === "ns" || what === "namespace") && name === "" && namespace !== "";
  if (isNamespace) {
    if (cluster.snapshot.get("namespaces", "", namespace)) return cluster.pods(namespace);
    throw new TraceError("not found", `namespaces "${namespace}" not found`);
  }
  if (what !== "pod" || name === "" || rest.length > 0)
    throw new TraceError("invalid", `${text} sends nothing: ns/NAME and pod/NAMESPACE/NAME do`);
  const pod = cluster.pod(namespace, name);
  if (!pod) throw new TraceError("not found", `pods "${name}" not found in namespace ${namespace}`);
  return [pod];
}

/** The range of all addresses, for IPv4 and for each family that pods have. */
function worldOf(pods: readonly PodView[]): string[] {
  const families = new Set(pods.flatMap((pod) => pod.statusAddresses.map(({ family }) => family)));
  return ([4, 6] as const)
    .filter((family) => family === 4 || families.has(family))
    .map((family) => WORLD[family]);
}

/** Distinct results in order of first use. */
class Ways {
  readonly all: SharedWay[] = [];
  readonly #to: readonly string[];
  readonly #numbers = new Map<string, number>();

  constructor(to: readonly string[]) {
    this.#to = to;
  }

  numberOf(column: number, pod: PodView, asked: readonly Destination[], traced: readonly Traced[]): number {
    const way = shared(this.#to[column] ?? "", pod, asked, traced);
    const key = JSON.stringify(way);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.all.length);
    return this.all.push(way) - 1;
  }
}

function shared(
  to: string,
  pod: PodView,
  asked: readonly Destination[],
  traced: readonly Traced[],
): SharedWay {
  const isRange = asked.some(({ within }) => within);
  const parts = isRange
    ? partsOfRange(traced)
    : [
        {
          outcomes: distinct(
            traced.flatMap((one) => one.outcomes.map((outcome) => impersonal(outcome, one))),
          ),
        },
      ];
  const ways = traced.flatMap((one) => one.ways);
  const said = (text: string) => text.replaceAll(`pod ${pod.namespace}/${pod.name}`, "the pod");
  return {
    to,
    verdict: verdictOf(parts.flatMap(({ outcomes }) => outcomes)),
    parts,
    ambiguities: [...new Set(ways.flatMap(({ ambiguities }) => ambiguities.map(said)))],
    warnings: [...new Set(ways.flatMap(({ warnings }) => warnings.map(said)))],
  };
}

/** Merges parts with equal outcomes; omits a part whose enclosing part has the same outcomes. */
function partsOfRange(traced: readonly Traced[]): PartOfWay[] {
  const parts = new Map<string, { ranges: string[]; outcomes: readonly SharedOutcome[] }>();
  const around: { readonly cidr: Cidr; readonly key: string }[] = [];
  for (const one of traced) {
    const cidr = one.destination.within;
    const outcomes = distinct(one.outcomes.map((outcome) => impersonal(outcome, one)));
    const key = JSON.stringify(outcomes);
    if (!cidr) continue;
    for (let last = around.at(-1); last && !isInside(cidr, last.cidr); last = around.at(-1)) around.pop();
    const isSame = around.at(-1)?.key === key;
    around.push({ cidr, key });
    if (isSame) continue;
    const known = parts.get(key);
    if (known) known.ranges.push(cidr.text);
    else parts.set(key, { ranges: [cidr.text], outcomes });
  }
  return [...parts.values()];
}

function impersonal(outcome: TracedOutcome, { about }: Traced): SharedOutcome {
  const { verdict, source, node, interface: through, nextHop, dscp, steps, text, likely } = outcome;
  const by = steps.at(-1)?.by ?? [];
  const isOwn = source !== undefined && about.sender?.address.text === source;
  // An outcome other than allowed on the pod's own node is shared with pods of all nodes.
  const isThere = verdict === "allowed" || node !== about.pod.node;
  return {
    verdict,
    ...(isOwn ? { keepsAddress: true as const } : source === undefined ? {} : { source }),
    ...(node === undefined || !isThere ? {} : { node }),
    ...(through === undefined ? {} : { interface: through }),
    ...(nextHop === undefined ? {} : { nextHop }),
    ...(dscp ? { dscp: dscp.value } : {}),
    by,
    ...(by.length > 0 ? {} : { text }),
    likely,
  };
}

/** One row for each namespace, with all results of its pods. */
function byNamespace(rows: readonly Row[]): Row[] {
  const found = new Map<string, { namespace: string; pods: number; ways: Set<number>[] }>();
  for (const { namespace, ways } of rows) {
    const row = found.get(namespace) ?? { namespace, pods: 0, ways: ways.map(() => new Set<number>()) };
    found.set(namespace, row);
    row.pods += 1;
    for (const [column, taken] of ways.entries()) for (const way of taken) row.ways[column]?.add(way);
  }
  return [...found.values()].map(({ ways, ...row }) => ({
    ...row,
    ways: ways.map((taken) => [...taken].sort((a, b) => a - b)),
  }));
}

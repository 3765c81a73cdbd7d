// Pods whose egress source IP or verdict changes between two clusters. Only pods that changed objects can affect are traced.
import { type IpFamily, parseCidr } from "../apimachinery/meta/ip.ts";
import { append } from "../apimachinery/meta/lists.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import type { Coroutine } from "../apimachinery/scheduling/coroutine.ts";
import { type Cluster, objectKey } from "./cluster/cluster.ts";
import { differenceOf } from "./cluster/object-index.ts";
import { isLive, type PodView } from "./cluster/pod-view.ts";
import { egressIpView, namespaceSelectorOf, selectsPod } from "./trace/egress-ip-source.ts";
import { type SharedOutcome, sharedWay } from "./trace/many.ts";
import { sourceOrVerdict } from "./trace/outcome.ts";
import { SOMEBODY_OUTSIDE, WORLD } from "./trace/outside.ts";
import { inWords } from "./trace/packet-path.ts";
import { isInside } from "./trace/range.ts";
import { trace } from "./trace/trace.ts";

export interface PodDifference {
  readonly pod: string;
  readonly from: string;
  readonly to: string;
}

export interface Decision extends PodDifference {
  /** The longest prefix that contains an address applies to it. */
  readonly range: string;
  /** The deciding objects after the changes. */
  readonly by: string;
}

/** Resources that affect routes of pods in their namespace. */
const OF_NAMESPACE = [
  "services",
  "endpointslices.discovery.k8s.io",
  "egressservices.k8s.ovn.org",
  "network-attachment-definitions.k8s.cni.cncf.io",
] as const;
/** Resources that can affect routes of any pod. */
const OF_CLUSTER = [
  "adminpolicybasedexternalroutes.k8s.ovn.org",
  "routeadvertisements.k8s.ovn.org",
  "clusternetworkconnects.k8s.ovn.org",
] as const;
const POLICIES_OF_NAMESPACE = ["egressfirewalls.k8s.ovn.org", "networkpolicies.networking.k8s.io"] as const;
const POLICIES_OF_CLUSTER = [
  "adminnetworkpolicies.policy.networking.k8s.io",
  "baselineadminnetworkpolicies.policy.networking.k8s.io",
] as const;

export interface PodsCompared {
  readonly pods: readonly PodDifference[];
  readonly decided: readonly Decision[];
}

export function* comparePods(before: Cluster, after: Cluster): Coroutine<PodsCompared> {
  const pair = new ClusterPair(before, after);
  const pods: PodDifference[] = [];
  for (const pod of inOrder(pair.concernedByRoutes())) {
    append(pods, leavesOtherwise(before, after, pod));
    yield;
  }
  yield;
  const decided: Decision[] = [];
  for (const pod of inOrder(pair.concernedByPolicies())) {
    append(decided, decidedOtherwise(before, after, pod));
    yield;
  }
  return { pods, decided };
}

type Pods = Map<string, PodView>;

const inOrder = (pods: Pods): PodView[] =>
  [...pods].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pod]) => pod);

/** Selects pods of the first cluster that changes can affect. Pods whose node was removed are omitted. */
class ClusterPair {
  readonly #before: Cluster;
  readonly #after: Cluster;

  constructor(before: Cluster, after: Cluster) {
    this.#before = before;
    this.#after = after;
  }

  concernedByRoutes(): Pods {
    const found: Pods = this.#relabelled();
    for (const object of this.#changed("egressips.k8s.ovn.org")) this.#addSelected(found, object);
    for (const resource of OF_NAMESPACE)
      for (const { metadata } of this.#changed(resource)) this.#add(found, metadata.namespace);
    if (OF_CLUSTER.some((resource) => this.#changed(resource).length > 0)) this.#add(found);
    const nodes = new Set(this.#changed("nodes").map(({ metadata }) => metadata.name));
    if (nodes.size > 0) this.#add(found, undefined, ({ node }) => nodes.has(node));
    return found;
  }

  concernedByPolicies(): Pods {
    const found: Pods = this.#relabelled();
    for (const resource of POLICIES_OF_NAMESPACE)
      for (const { metadata } of this.#changed(resource)) this.#add(found, metadata.namespace);
    if (POLICIES_OF_CLUSTER.some((resource) => this.#changed(resource).length > 0)) this.#add(found);
    return found;
  }

  /** Pods that changed, or whose namespace changed. */
  #relabelled(): Pods {
    const found: Pods = new Map();
    for (const { metadata } of this.#changed("namespaces")) this.#add(found, metadata.name);
    const pods = new Set(this.#changed("pods"));
    if (pods.size > 0) this.#add(found, undefined, ({ object }) => pods.has(object));
    return found;
  }

  #addSelected(found: Pods, object: KubeObject): void {
    const view = egressIpView(object);
    const selector = namespaceSelectorOf(view);
    const selected = [this.#before, this.#after].flatMap((cluster) => cluster.namespaces(selector));
    for (const name of new Set(selected)) this.#add(found, name, (pod) => selectsPod(view, pod));
  }

  #add(found: Pods, namespace?: string, isMeant: (pod: PodView) => boolean = () => true): void {
    for (const pod of this.#before.pods(namespace)) {
      if (isLive(pod) && isMeant(pod) && this.#hasNode(pod)) found.set(objectKey(pod.object), pod);
    }
  }

  #hasNode({ node }: PodView): boolean {
    return this.#after.nodes.has(node) || !this.#before.nodes.has(node);
  }

  /** Old and new versions of changed objects. An unchanged object is identical in both snapshots. */
  #changed(resource: string): KubeObject[] {
    const { gone, come } = differenceOf(
      this.#before.snapshot.list(resource),
      this.#after.snapshot.list(resource),
    );
    return [...gone, ...come];
  }
}

const familiesOf = (cluster: Cluster, { namespace, name }: PodView): readonly IpFamily[] => {
  const pod = cluster.pod(namespace, name);
  const network = pod && cluster.networks.ofNamespace(namespace);
  return network ? cluster.familiesOf(pod, network) : [];
};

function leavesOtherwise(before: Cluster, after: Cluster, pod: PodView): PodDifference[] {
  const [from = "", to = ""] = [before, after].map((cluster) => leavesBy(cluster, pod));
  return from === to ? [] : [{ pod: objectKey(pod.object), from, to }];
}

/** The egress source IPs of a pod for each of its families, or the verdicts of packets that are not allowed. */
function leavesBy(cluster: Cluster, pod: PodView): string {
  const { namespace, name } = pod;
  if (!cluster.pod(namespace, name) || !cluster.networks.ofNamespace(namespace)) return "gone";
  const sources = familiesOf(cluster, pod).flatMap((family) =>
    trace(cluster, {
      namespace,
      pod: name,
      to: SOMEBODY_OUTSIDE[family],
      protocol: "tcp",
      packet: "allowed anyway",
    }).outcomes.map(sourceOrVerdict),
  );
  return [...new Set(sources)].join(" or ");
}

/** Verdict changes for each part of the address space. */
function decidedOtherwise(before: Cluster, after: Cluster, pod: PodView): Decision[] {
  if (!after.pod(pod.namespace, pod.name)) return [];
  return familiesOf(after, pod).flatMap((family) => {
    const [old, now] = [before, after].map((cluster) => fares(cluster, pod, WORLD[family]));
    if (!old || !now) return [];
    const ranges = [...new Set([...old.keys(), ...now.keys()])];
    return ranges.flatMap((range) => {
      const [was, is] = [longest(old, range), longest(now, range)];
      const [from, to] = [verdictOf(was), verdictOf(is)];
      const by = [...new Set(is.flatMap((outcome) => outcome.by.map(inWords)))].join(", ");
      return from === to ? [] : [{ pod: objectKey(pod.object), range, from, to, by }];
    });
  });
}

const verdictOf = (outcomes: readonly SharedOutcome[]): string =>
  [...new Set(outcomes.map(({ verdict }) => verdict))].join(" or ");

function fares(
  cluster: Cluster,
  { namespace, name }: PodView,
  to: string,
): ReadonlyMap<string, readonly SharedOutcome[]> {
  const pod = cluster.pod(namespace, name);
  const parts = pod ? sharedWay(cluster, pod, to, "tcp").parts : [];
  return new Map(
    parts.flatMap(({ ranges = [to], outcomes }) => ranges.map((range) => [range, outcomes] as const)),
  );
}

/** The outcomes of the longest range that contains this one. */
function longest(
  told: ReadonlyMap<string, readonly SharedOutcome[]>,
  range: string,
): readonly SharedOutcome[] {
  const cidr = parseCidr(range);
  let best: { readonly prefix: number; readonly outcomes: readonly SharedOutcome[] } | undefined;
  for (const [text, outcomes] of told) {
    const around = parseCidr(text);
    if (!cidr || !around || !isInside(cidr, around)) continue;
    if (!best || around.prefix > best.prefix) best = { prefix: around.prefix, outcomes };
  }
  return best?.outcomes ?? [];
}

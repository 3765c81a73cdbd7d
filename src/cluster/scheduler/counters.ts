// Pod counts per node and topology domain. A counter is created from all pods at its first use and then updated
// incrementally, so a later pod with the same term costs nothing.
import { addCount } from "./amounts.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodInfo, PodTerm } from "./pod-info.ts";

/** Beyond this number the least recently used counters are evicted. */
const COUNTERS_MAX = 2_000;

export interface Counter {
  readonly byNode: ReadonlyMap<string, number>;
  /** Value of the topology key → count. Nodes without the key belong to no domain. */
  readonly byPlace: ReadonlyMap<string, number>;
  readonly total: number;
}

class PodCounter implements Counter {
  readonly byNode = new Map<string, number>();
  readonly byPlace = new Map<string, number>();
  total = 0;
  readonly #topologyKey: string;
  readonly #counts: (pod: PodInfo) => boolean;

  constructor(topologyKey: string, counts: (pod: PodInfo) => boolean) {
    this.#topologyKey = topologyKey;
    this.#counts = counts;
  }

  take(pod: PodInfo, node: NodeInfo, sign: 1 | -1): void {
    if (!this.#counts(pod)) return;
    this.total += sign;
    addCount(this.byNode, node.name, sign);
    const place = node.labels[this.#topologyKey];
    if (place !== undefined) addCount(this.byPlace, place, sign);
  }
}

/** A pod and its node. */
type Placed = readonly [pod: PodInfo, node: NodeInfo];

/** A pod term with the number of pods per topology domain. */
export interface Neighbours {
  readonly term: PodTerm;
  readonly byPlace: ReadonlyMap<string, number>;
}

export class Counters {
  readonly #nodes: ReadonlyMap<string, NodeInfo>;
  readonly #namespaceLabels: (namespace: string) => Readonly<Record<string, string>>;
  readonly #counters = new Map<string, PodCounter>();
  /** Uid of a controller → its pods by key. */
  readonly #owned = new Map<string, Map<string, Placed>>();
  readonly #rules = new Map<string, { term: PodTerm; byPlace: Map<string, number>; pods: number }>();

  constructor(
    nodes: ReadonlyMap<string, NodeInfo>,
    namespaceLabels: (namespace: string) => Readonly<Record<string, string>>,
  ) {
    this.#nodes = nodes;
    this.#namespaceLabels = namespaceLabels;
  }

  /** Drops all counters after a label change of a node or namespace. They are rebuilt on demand. */
  clear(): void {
    this.#counters.clear();
    this.#rules.clear();
    for (const node of this.#nodes.values())
      for (const pod of node.pods.values()) this.#takeRules(pod, node, 1);
  }

  take(pod: PodInfo, node: NodeInfo, sign: 1 | -1): void {
    for (const counter of this.#counters.values()) counter.take(pod, node, sign);
    this.#takeRules(pod, node, sign);
    this.#takeOwned(pod, node, sign);
  }

  /** The pods that the term matches. */
  of(term: PodTerm): Counter {
    return this.#counter(`t${term.id}`, term.topologyKey, (pod) => this.isMeant(term, pod));
  }

  neighbours(term: PodTerm): Neighbours {
    return { term, byPlace: this.of(term).byPlace };
  }

  /** The pods of a controller. Only its own pods are counted, since each controller has few of all pods. */
  ofOwner(owner: string, topologyKey: string): Counter {
    const isOwned = (pod: PodInfo): boolean => pod.owner === owner;
    return this.#counter(
      `o${owner} ${topologyKey}`,
      topologyKey,
      isOwned,
      this.#owned.get(owner)?.values() ?? [],
    );
  }

  /** Anti-affinity terms of placed pods that match this pod, with the number of pods per domain. */
  rulesAgainst(pod: PodInfo): Neighbours[] {
    return [...this.#rules.values()].filter(({ term }) => this.isMeant(term, pod));
  }

  isMeant({ namespaces, inNamespaces, matches }: PodTerm, pod: PodInfo): boolean {
    const isInside =
      namespaces.has(pod.namespace) || inNamespaces?.(this.#namespaceLabels(pod.namespace)) === true;
    return isInside && matches(pod.labels);
  }

  /** `among` is a superset of the pods to count. */
  #counter(
    id: string,
    topologyKey: string,
    counts: (pod: PodInfo) => boolean,
    among: Iterable<Placed> = this.#everyPod(),
  ): Counter {
    let counter = this.#counters.get(id);
    if (counter === undefined) {
      counter = new PodCounter(topologyKey, counts);
      for (const [pod, node] of among) counter.take(pod, node, 1);
    }
    this.#counters.delete(id);
    this.#counters.set(id, counter); // the most recently used one is last
    const [oldest] = this.#counters.keys();
    if (this.#counters.size > COUNTERS_MAX && oldest !== undefined) this.#counters.delete(oldest);
    return counter;
  }

  *#everyPod(): Generator<Placed, void, undefined> {
    for (const node of this.#nodes.values()) for (const pod of node.pods.values()) yield [pod, node];
  }

  #takeOwned(pod: PodInfo, node: NodeInfo, sign: 1 | -1): void {
    if (pod.owner === "") return;
    const owned = this.#owned.get(pod.owner) ?? new Map<string, Placed>();
    if (sign === 1) owned.set(pod.key, [pod, node]);
    else owned.delete(pod.key);
    if (owned.size > 0) this.#owned.set(pod.owner, owned);
    else this.#owned.delete(pod.owner);
  }

  #takeRules(pod: PodInfo, node: NodeInfo, sign: 1 | -1): void {
    for (const term of pod.antiAffinity) {
      const rule = this.#rules.get(term.id) ?? { term, byPlace: new Map<string, number>(), pods: 0 };
      const place = node.labels[term.topologyKey];
      rule.pods += sign;
      if (place !== undefined) addCount(rule.byPlace, place, sign);
      if (rule.pods > 0) this.#rules.set(term.id, rule);
      else this.#rules.delete(term.id);
    }
  }
}

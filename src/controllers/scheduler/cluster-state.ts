// What the scheduler knows of the cluster: nodes with what is on them, and the pods that want a node. A pod that was given to
// a node counts there from the decision on, before the API says so.
import { equalJson, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { groupedBy } from "../../meta/lists.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { isGoing, keyOfObject } from "../kit/api.ts";
import { hasEnded, nodeOf } from "../kit/pods.ts";
import { Counters } from "./counters.ts";
import { NodeInfo, zoneOf } from "./node-info.ts";
import { type PodInfo, podInfo } from "./pod-info.ts";

export const SCHEDULER = "default-scheduler";

/** What a change means for pods that found no node. */
export type Effect = "none" | "room" | "neighbour";

interface Placed {
  readonly info: PodInfo;
  readonly node: string;
}

export class ClusterState {
  readonly nodes = new Map<string, NodeInfo>();
  readonly counters: Counters;
  /** Pods without a node, by their keys. */
  readonly pending = new Map<string, PodInfo>();
  /** By the keys of pods without a node: the node on which room is made for them. */
  readonly nominated = new Map<string, string>();
  readonly #namespaces = new Map<string, Readonly<Record<string, string>>>();
  readonly #placed = new Map<string, Placed>();
  /** Decided, and not yet seen in the API. */
  readonly #assumed = new Set<string>();
  #order: NodeInfo[] | undefined;

  constructor() {
    this.counters = new Counters(this.nodes, (namespace) => this.#namespaces.get(namespace) ?? {});
  }

  setNamespace({ metadata: { name = "", labels = {} } }: KubeObject, isGone: boolean): Effect {
    if (!isGone && equalJson(this.#namespaces.get(name), labels)) return "none";
    if (isGone) this.#namespaces.delete(name);
    else this.#namespaces.set(name, labels);
    this.counters.clear();
    return "room";
  }

  setNode(node: KubeObject, isGone: boolean): Effect {
    const name = keyOfObject(node);
    const known = this.nodes.get(name);
    if (isGone) {
      if (known) known.isThere = false;
      if (known?.pods.size === 0) this.nodes.delete(name);
      this.#order = undefined;
      return "none";
    }
    const info = known ?? new NodeInfo(name);
    const before = { labels: info.labels, taints: info.taints, allocatable: [...info.allocatable] };
    const wasOpen = info.isThere && !info.isUnschedulable;
    info.read(node);
    this.nodes.set(name, info);
    const hasMoved = !equalJson(before.labels, info.labels);
    if (!wasOpen || hasMoved) this.#order = undefined;
    if (hasMoved) this.counters.clear();
    const isSame =
      !hasMoved &&
      equalJson(before.taints, info.taints) &&
      equalJson(before.allocatable, [...info.allocatable]);
    return isSame && wasOpen === !info.isUnschedulable ? "none" : "room";
  }

  /** Those that are there, zone by zone in turn, so that a look at some of them is one at all zones. */
  get order(): readonly NodeInfo[] {
    this.#order ??= inTurns([...this.nodes.values()].filter(({ isThere }) => isThere));
    return this.#order;
  }

  /** `isWanting`: it wants a node, and nobody has tried since it is as it is. */
  setPod(pod: KubeObject, isGone: boolean): { readonly effect: Effect; readonly isWanting: boolean } {
    const key = keyOfObject(pod);
    const node = nodeOf(pod);
    if (isGone || hasEnded(pod)) return { effect: this.#remove(key), isWanting: false };
    if (node === "") return { effect: "none", isWanting: this.#setPending(key, pod) };
    const wasAssumed = this.#assumed.delete(key);
    this.#noLonger(key);
    const placed = this.#placed.get(key);
    const info = this.#infoOf(pod, placed?.info);
    if (placed?.node === node && placed.info === info)
      return { effect: wasAssumed ? "neighbour" : "none", isWanting: false };
    this.#take(key);
    this.#put(info, node);
    return { effect: "neighbour", isWanting: false };
  }

  assume(info: PodInfo, node: string): void {
    this.#noLonger(info.key);
    this.#assumed.add(info.key);
    this.#put(info, node);
  }

  /** The API has refused it. */
  forget(info: PodInfo): void {
    if (!this.#assumed.delete(info.key)) return;
    this.#take(info.key);
    this.pending.set(info.key, info);
  }

  /** Pods for which room is made on the node and that go before this one. */
  guestsOn(node: string, { key, priority }: PodInfo): PodInfo[] {
    return [...this.nominated]
      .filter(([other, place]) => place === node && other !== key)
      .flatMap(([other]) => this.pending.get(other) ?? [])
      .filter((guest) => guest.priority >= priority);
  }

  /** What is found out while pods are thought onto the node (1) or away from it (-1); then all is as it was. */
  supposing<T>(node: NodeInfo, ask: (change: (pod: PodInfo, sign: 1 | -1) => void) => T): T {
    const before = new Map(node.pods);
    const change = (pod: PodInfo, sign: 1 | -1): void => {
      if (sign === 1) node.add(pod);
      else node.remove(pod);
      this.counters.take(pod, node, sign);
    };
    try {
      return ask(change);
    } finally {
      for (const pod of [...node.pods.values()]) if (!before.has(pod.key)) change(pod, -1);
      for (const pod of before.values()) if (!node.pods.has(pod.key)) change(pod, 1);
    }
  }

  #setPending(key: string, pod: KubeObject): boolean {
    if (this.#assumed.has(key)) return false;
    const spec = specOf(pod);
    const isOurs = (textAt(spec, "schedulerName") || SCHEDULER) === SCHEDULER;
    if (!isOurs || isGoing(pod) || objectsAt(spec, "schedulingGates").length > 0) {
      this.#noLonger(key);
      return false;
    }
    const nominated = textAt(objectAt(pod, "status"), "nominatedNodeName");
    if (nominated === "") this.nominated.delete(key);
    else this.nominated.set(key, nominated);
    const known = this.pending.get(key);
    const info = this.#infoOf(pod, known);
    this.pending.set(key, info);
    return info !== known;
  }

  /** What is known is kept while it holds: most that is heard of pods is about their status. */
  #infoOf(pod: KubeObject, known: PodInfo | undefined): PodInfo {
    return known !== undefined && isOf(pod, known) ? known : podInfo(pod);
  }

  /** It wants no node any more. */
  #noLonger(key: string): void {
    this.pending.delete(key);
    this.nominated.delete(key);
  }

  #remove(key: string): Effect {
    this.#noLonger(key);
    this.#assumed.delete(key);
    return this.#take(key) ? "room" : "none";
  }

  #put(info: PodInfo, name: string): void {
    const node = this.nodes.get(name) ?? new NodeInfo(name);
    this.nodes.set(name, node);
    node.add(info);
    this.#placed.set(info.key, { info, node: name });
    this.counters.take(info, node, 1);
  }

  #take(key: string): boolean {
    const placed = this.#placed.get(key);
    const node = placed && this.nodes.get(placed.node);
    if (!placed || !node) return false;
    this.#placed.delete(key);
    node.remove(placed.info);
    this.counters.take(placed.info, node, -1);
    if (!node.isThere && node.pods.size === 0) this.nodes.delete(node.name);
    return true;
  }
}

/** The generation changes with the spec. */
const isOf = ({ metadata }: KubeObject, info: PodInfo): boolean =>
  metadata.uid === info.uid &&
  (metadata.generation ?? 0) === info.generation &&
  equalJson(metadata.labels ?? {}, info.labels);

function inTurns(nodes: readonly NodeInfo[]): NodeInfo[] {
  const lists = [...groupedBy(nodes, ({ labels }) => zoneOf(labels)).values()];
  const ordered: NodeInfo[] = [];
  for (let round = 0; ordered.length < nodes.length; round++)
    for (const list of lists) {
      const node = list[round];
      if (node) ordered.push(node);
    }
  return ordered;
}

// The scheduler's cache of the cluster: nodes with their pods, and pending pods. An assumed pod counts on its node from
// the decision on, before the API confirms the binding.
import { equalJson, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { groupedBy } from "../../apimachinery/meta/lists.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { isGoing, keyOfObject } from "../../controller/api.ts";
import { hasEnded, nodeOf } from "../../controller/pods.ts";
import { Counters } from "./counters.ts";
import { NodeInfo, zoneOf } from "./node-info.ts";
import { type PodInfo, podInfo } from "./pod-info.ts";

export const SCHEDULER = "default-scheduler";

/** How a change affects unschedulable pods. The last value marks only pods with affinity or spread rules. */
export type Effect = "none" | "room" | "neighbour";

interface Placed {
  readonly info: PodInfo;
  readonly node: string;
}

export class ClusterState {
  readonly nodes = new Map<string, NodeInfo>();
  readonly counters: Counters;
  /** Pending pods by key. */
  readonly pending = new Map<string, PodInfo>();
  /** Key of a pending pod → its nominated node, on which preemption frees capacity. */
  readonly nominated = new Map<string, string>();
  readonly #namespaces = new Map<string, Readonly<Record<string, string>>>();
  readonly #placed = new Map<string, Placed>();
  /** Assumed pods: decided, but the watch has not reported the binding yet. */
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

  /** The existing nodes in round-robin order of their zones, so that each sample covers all zones. */
  get order(): readonly NodeInfo[] {
    this.#order ??= runYielding([...this.nodes.values()].filter(({ isThere }) => isThere));
    return this.#order;
  }

  /** `isWanting`: the pod is pending, and its current state has not been tried yet. */
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

  /** Reverts an assumed pod whose binding the API server rejected. */
  forget(info: PodInfo): void {
    if (!this.#assumed.delete(info.key)) return;
    this.#take(info.key);
    this.pending.set(info.key, info);
  }

  /** Pods nominated to the node with at least the priority of this pod. */
  guestsOn(node: string, { key, priority }: PodInfo): PodInfo[] {
    return [...this.nominated]
      .filter(([other, place]) => place === node && other !== key)
      .flatMap(([other]) => this.pending.get(other) ?? [])
      .filter((guest) => guest.priority >= priority);
  }

  /**
   * Evaluates `ask` while pods are virtually added to the node (1) or removed from it (-1). Afterwards the state is
   * restored.
   */
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

  /** Reuses the parsed pod while it is valid: most pod updates change only the status. */
  #infoOf(pod: KubeObject, known: PodInfo | undefined): PodInfo {
    return known !== undefined && isOf(pod, known) ? known : podInfo(pod);
  }

  /** The pod is no longer pending. */
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

/** The generation covers the spec. */
const isOf = ({ metadata }: KubeObject, info: PodInfo): boolean =>
  metadata.uid === info.uid &&
  (metadata.generation ?? 0) === info.generation &&
  equalJson(metadata.labels ?? {}, info.labels);

function runYielding(nodes: readonly NodeInfo[]): NodeInfo[] {
  const lists = [...groupedBy(nodes, ({ labels }) => zoneOf(labels)).values()];
  const ordered: NodeInfo[] = [];
  for (let round = 0; ordered.length < nodes.length; round++)
    for (const list of lists) {
      const node = list[round];
      if (node) ordered.push(node);
    }
  return ordered;
}

// A node in the scheduler's cache: its capacity and the requests of its pods, updated incrementally.
import { objectAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { type Taint, taintsOf } from "../../controller/taints.ts";
import { readAmounts } from "../../kube/quota/amounts.ts";
import { addCount, type Counts, countsOf } from "./amounts.ts";
import type { PodInfo } from "./pod-info.ts";

export const HOSTNAME = "kubernetes.io/hostname";
export const ZONE = "topology.kubernetes.io/zone";
const REGION = "topology.kubernetes.io/region";

/** Region and zone in the labels, as one text. */
export const zoneOf = (labels: Readonly<Record<string, string>>): string =>
  `${labels[REGION] ?? ""}:${labels[ZONE] ?? ""}`;

export class NodeInfo {
  readonly name: string;
  labels: Readonly<Record<string, string>> = {};
  taints: readonly Taint[] = [];
  isUnschedulable = false;
  allocatable: Counts = new Map();
  /** False: pods refer to this node, but no such Node exists. */
  isThere = false;
  readonly pods = new Map<string, PodInfo>();
  readonly requested = new Map<string, number>();
  readonly ports = new Map<string, number>();
  /** CPU and memory requests, for scoring. */
  readonly scored: [cpu: number, memory: number] = [0, 0];

  constructor(name: string) {
    this.name = name;
  }

  read(node: KubeObject): void {
    const spec = specOf(node);
    this.isThere = true;
    this.labels = node.metadata.labels ?? {};
    this.taints = taintsOf(spec);
    this.isUnschedulable = spec["unschedulable"] === true;
    this.allocatable = countsOf(readAmounts(objectAt(objectAt(node, "status"), "allocatable")));
  }

  add(pod: PodInfo): void {
    this.pods.set(pod.key, pod);
    this.#count(pod, 1);
  }

  remove(pod: PodInfo): void {
    if (this.pods.delete(pod.key)) this.#count(pod, -1);
  }

  #count(pod: PodInfo, sign: 1 | -1): void {
    for (const [name, count] of pod.requests) addCount(this.requested, name, sign * count);
    for (const port of pod.ports) addCount(this.ports, port, sign);
    this.scored[0] += sign * pod.scored[0];
    this.scored[1] += sign * pod.scored[1];
  }
}

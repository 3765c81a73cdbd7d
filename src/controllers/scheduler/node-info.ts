// A node as the scheduler sees it: what it has, and what the pods on it take. It is kept up as pods come and go.
import { objectAt } from "../../meta/json.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { readAmounts } from "../../quota/amounts.ts";
import { type Taint, taintsOf } from "../kit/taints.ts";
import { addCount, type Counts, countsOf } from "./amounts.ts";
import type { PodInfo } from "./pod-info.ts";

export const HOSTNAME = "kubernetes.io/hostname";
export const ZONE = "topology.kubernetes.io/zone";
const REGION = "topology.kubernetes.io/region";

/** Region and zone of a node with these labels, as one text. */
export const zoneOf = (labels: Readonly<Record<string, string>>): string =>
  `${labels[REGION] ?? ""}:${labels[ZONE] ?? ""}`;

export class NodeInfo {
  readonly name: string;
  labels: Readonly<Record<string, string>> = {};
  taints: readonly Taint[] = [];
  isUnschedulable = false;
  allocatable: Counts = new Map();
  /** False: pods say that they are on it, and there is no such node. */
  isThere = false;
  readonly pods = new Map<string, PodInfo>();
  readonly requested = new Map<string, number>();
  readonly ports = new Map<string, number>();
  /** Of processor and memory, for scores. */
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

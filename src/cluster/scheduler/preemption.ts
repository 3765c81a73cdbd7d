// The choice of preemption victims, as in kube-scheduler. On each candidate node all pods of lower priority are
// virtually removed. They are then restored one by one, the most important first, as long as the pod still fits. Pods
// protected by a PodDisruptionBudget are restored before the others. The node with the least loss wins. This file
// changes nothing in the API.
import type { LabelSelector } from "../../apimachinery/meta/label-selector.ts";
import { append, smallest } from "../../apimachinery/meta/lists.ts";
import type { ClusterState } from "./cluster-state.ts";
import type { Refusal } from "./filters.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";

/** A PodDisruptionBudget. */
export interface Budget {
  readonly namespace: string;
  /** undefined: it selects nothing. */
  readonly selector: LabelSelector | undefined;
  /** Disruptions that are allowed now. */
  readonly allowed: number;
  /** Names of pods in status.disruptedPods, which no longer count. */
  readonly gone: ReadonlySet<string>;
}

/** The input of a decision besides nodes and their pods. */
export interface Circumstances {
  readonly budgets: readonly Budget[];
  /** The start time in milliseconds; the current time for a pod that has not started. */
  startOf(pod: PodInfo): number;
  isGoing(pod: PodInfo): boolean;
}

/** The victims on a node that make it fit the pod. */
export interface Preemption {
  readonly node: string;
  /** Most important first. */
  readonly victims: readonly PodInfo[];
}

interface Candidate extends Preemption {
  readonly violations: number;
}

/** Checks whether the pod fits on the node in its current virtual state. */
export type Fits = (pod: PodInfo, node: NodeInfo) => Refusal | undefined;

export interface Search {
  readonly state: ClusterState;
  readonly circumstances: Circumstances;
  readonly fits: Fits;
}

/** The minimum number of candidate nodes, or a tenth of all nodes if that is more. */
const CANDIDATES_MIN = 100;
const CANDIDATES_SHARE = 10;
const NO_VICTIMS = "No preemption victims found for incoming pod";
const NOT_HELPFUL = "Preemption is not helpful for scheduling";

/** The preemption, or the reasons of all nodes if none is possible. */
export function preemptionFor(
  pod: PodInfo,
  refused: ReadonlyMap<NodeInfo, Refusal>,
  search: Search,
): Preemption | { readonly reasons: readonly string[] } {
  const wanted = Math.max(CANDIDATES_MIN, Math.floor(refused.size / CANDIDATES_SHARE));
  const candidates: Candidate[] = [];
  const reasons: string[] = [];
  for (const [node, { isFinal }] of refused) {
    if (isFinal) reasons.push(NOT_HELPFUL);
    else {
      const found = candidateOn(node, pod, search);
      if ("victims" in found) candidates.push(found);
      else append(reasons, found.reasons);
    }
    if (candidates.length >= wanted) break;
  }
  return leastLoss(candidates, search.circumstances) ?? { reasons };
}

function candidateOn(
  node: NodeInfo,
  pod: PodInfo,
  { state, circumstances, fits }: Search,
): Candidate | { readonly reasons: readonly string[] } {
  const lower = [...node.pods.values()].filter(({ priority }) => priority < pod.priority);
  if (lower.length === 0) return { reasons: [NO_VICTIMS] };
  return state.supposing(node, (change) => {
    for (const one of lower) change(one, -1);
    const refusal = fits(pod, node);
    if (refusal) return refusal;
    const victims = new Set<PodInfo>();
    const takeBack = (one: PodInfo): boolean => {
      change(one, 1);
      if (fits(pod, node) === undefined) return true;
      change(one, -1);
      victims.add(one);
      return false;
    };
    const sorted = byImportance(lower, circumstances);
    const guarded = protectedPods(sorted, circumstances.budgets);
    const violations = sorted.filter((one) => guarded.has(one) && !takeBack(one)).length;
    for (const one of sorted) if (!guarded.has(one)) takeBack(one);
    return { node: node.name, violations, victims: sorted.filter((one) => victims.has(one)) };
  });
}

/** Higher priority first, then the earlier start. */
function byImportance(pods: readonly PodInfo[], { startOf }: Circumstances): PodInfo[] {
  const starts = new Map(pods.map((pod) => [pod, startOf(pod)]));
  return [...pods].sort(
    (a, b) =>
      b.priority - a.priority || (starts.get(a) ?? 0) - (starts.get(b) ?? 0) || (a.key < b.key ? -1 : 1),
  );
}

/** The pods whose eviction, in this order, would exceed a budget. */
function protectedPods(pods: readonly PodInfo[], budgets: readonly Budget[]): ReadonlySet<PodInfo> {
  const left = new Map(budgets.map((budget) => [budget, budget.allowed]));
  const found = new Set<PodInfo>();
  for (const pod of pods) {
    for (const budget of budgets) {
      if (budget.namespace !== pod.namespace || budget.selector?.matches(pod.labels) !== true) continue;
      if (budget.gone.has(nameOf(pod))) continue;
      const allowed = (left.get(budget) ?? 0) - 1;
      left.set(budget, allowed);
      if (allowed < 0) found.add(pod);
    }
  }
  return found;
}

const nameOf = ({ key }: PodInfo): string => key.slice(key.indexOf("/") + 1);

/** Priorities may be negative. The offset makes each victim count as a positive loss. */
const PRIORITY_OFFSET = 2 ** 31;

function leastLoss(candidates: readonly Candidate[], { startOf }: Circumstances): Preemption | undefined {
  const priced = candidates.map(({ node, victims, violations }) => {
    const highest = victims[0]?.priority ?? Number.NEGATIVE_INFINITY;
    const starts = victims.filter(({ priority }) => priority === highest).map(startOf);
    const loss = victims.reduce((sum, { priority }) => sum + priority + PRIORITY_OFFSET, 0);
    return {
      node,
      victims,
      price: [violations, highest, loss, victims.length, -smallest(starts, Number.POSITIVE_INFINITY)],
    };
  });
  const [best] = priced.sort((a, b) => compare(a.price, b.price));
  return best && { node: best.node, victims: best.victims };
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((one, index) => one !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
}

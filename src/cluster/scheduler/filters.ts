// The scheduler's filters: whether a pod fits on a node, and the reasons otherwise, with kube-scheduler's texts. State
// that depends on pods of other nodes is computed once per pod. The filters then run per node in a fixed order, up to
// the first rejection.
import { smallest } from "../../apimachinery/meta/lists.ts";
import { keepsAway } from "../../controller/taints.ts";
import { addCount } from "./amounts.ts";
import type { Counters, Neighbours } from "./counters.ts";
import type { NodeInfo } from "./node-info.ts";
import { collides, type PodInfo, type SpreadConstraint } from "./pod-info.ts";

/** Why a node is rejected. */
export interface Refusal {
  readonly reasons: readonly string[];
  /** Preemption of lower-priority pods cannot help. */
  readonly isFinal: boolean;
}

const final = (reason: string): Refusal => ({ reasons: [reason], isFinal: true });
const passing = (reason: string): Refusal => ({ reasons: [reason], isFinal: false });

const UNSCHEDULABLE = final("node(s) were unschedulable");
const TAINTED = final("node(s) had untolerated taint(s)");
const NO_AFFINITY = final("node(s) didn't match Pod's node affinity/selector");
const NO_PORT = passing("node(s) didn't have free ports for the requested pod ports");
const NO_LABEL = final("node(s) didn't match pod topology spread constraints (missing required label)");
const SKEWED = passing("node(s) didn't match pod topology spread constraints");
const NO_NEIGHBOUR = final("node(s) didn't match pod affinity rules");
const BAD_NEIGHBOUR = passing("node(s) didn't match pod anti-affinity rules");
const UNWANTED = passing("node(s) didn't satisfy existing pods anti-affinity rules");

const UNSCHEDULABLE_TAINT = {
  key: "node.kubernetes.io/unschedulable",
  value: "",
  effect: "NoSchedule",
  timeAdded: "",
};

interface Spread {
  readonly constraint: SpreadConstraint;
  readonly inPlace: ReadonlyMap<string, number>;
  readonly least: number;
  /** 1 if the pod matches its own constraint. */
  readonly self: 0 | 1;
}

/** The precomputed state of one pod that is shared by all nodes. */
export interface Question {
  readonly pod: PodInfo;
  readonly spreads: readonly Spread[];
  readonly near: readonly Neighbours[];
  /** No pod matches its required affinity except the pod itself: the first pod of a group may be placed anywhere. */
  readonly isFirst: boolean;
  readonly far: readonly Neighbours[];
  readonly rules: readonly Neighbours[];
}

export function questionOf(pod: PodInfo, nodes: readonly NodeInfo[], counters: Counters): Question {
  const isFirst = pod.affinity.every((term) => counters.isMeant(term, pod) && counters.of(term).total === 0);
  return {
    pod,
    spreads: pod.hardSpread.map((constraint) => spreadOf(constraint, pod, nodes, counters)),
    near: pod.affinity.map((term) => counters.neighbours(term)),
    isFirst,
    far: pod.antiAffinity.map((term) => counters.neighbours(term)),
    rules: counters.rulesAgainst(pod),
  };
}

/**
 * Pod counts per eligible topology domain: only nodes that the pod may use and that have the topology keys of all its
 * constraints.
 */
function spreadOf(
  constraint: SpreadConstraint,
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  counters: Counters,
): Spread {
  const { term, honoursAffinity, honoursTaints, minDomains } = constraint;
  const keys = pod.hardSpread.map((other) => other.term.topologyKey);
  const { byNode } = counters.of(term);
  const inPlace = new Map<string, number>();
  for (const node of nodes) {
    const place = node.labels[term.topologyKey];
    if (place === undefined || keys.some((key) => node.labels[key] === undefined)) continue;
    if (honoursAffinity && pod.requiredNode?.(node) === false) continue;
    if (honoursTaints && keepsAway(node.taints, pod.tolerations)) continue;
    addCount(inPlace, place, byNode.get(node.name) ?? 0);
  }
  const least = smallest(inPlace.values(), inPlace.size < minDomains ? 0 : Number.POSITIVE_INFINITY);
  return { constraint, inPlace, least, self: counters.isMeant(term, pod) ? 1 : 0 };
}

/** undefined: the pod fits on the node. */
export function refusalOf(question: Question, node: NodeInfo): Refusal | undefined {
  const { pod } = question;
  if (node.isUnschedulable && keepsAway([UNSCHEDULABLE_TAINT], pod.tolerations)) return UNSCHEDULABLE;
  if (node.taints.length > 0 && keepsAway(node.taints, pod.tolerations)) return TAINTED;
  if (pod.requiredNode?.(node) === false) return NO_AFFINITY;
  if (pod.ports.some((port) => collides(port, node.ports))) return NO_PORT;
  return lackOf(pod, node) ?? spreadRefusal(question, node) ?? neighbourRefusal(question, node);
}

const TOO_MANY = "Too many pods";

function lackOf({ requests }: PodInfo, node: NodeInfo): Refusal | undefined {
  const { allocatable, requested } = node;
  let reasons: string[] | undefined;
  let isFinal = false;
  const places = allocatable.get("pods") ?? 0;
  if (node.pods.size + 1 > places) reasons = [TOO_MANY];
  for (const [name, wanted] of requests) {
    if (wanted === 0) continue;
    const all = allocatable.get(name) ?? 0;
    if (wanted <= all - (requested.get(name) ?? 0)) continue;
    reasons = [...(reasons ?? []), `Insufficient ${name}`];
    isFinal ||= wanted > all;
  }
  return reasons && { reasons, isFinal };
}

function spreadRefusal({ spreads }: Question, { labels }: NodeInfo): Refusal | undefined {
  for (const { constraint, inPlace, least, self } of spreads) {
    const place = labels[constraint.term.topologyKey];
    if (place === undefined) return NO_LABEL;
    if ((inPlace.get(place) ?? 0) + self - least > constraint.maxSkew) return SKEWED;
  }
  return undefined;
}

function neighbourRefusal(
  { near, isFirst, far, rules }: Question,
  { labels }: NodeInfo,
): Refusal | undefined {
  const countAt = ({ term, byPlace }: Neighbours): number | undefined => {
    const place = labels[term.topologyKey];
    return place === undefined ? undefined : (byPlace.get(place) ?? 0);
  };
  for (const wanted of near) {
    const count = countAt(wanted);
    if (count === undefined || (count === 0 && !isFirst)) return NO_NEIGHBOUR;
  }
  if (far.some((unwanted) => (countAt(unwanted) ?? 0) > 0)) return BAD_NEIGHBOUR;
  return rules.some((rule) => (countAt(rule) ?? 0) > 0) ? UNWANTED : undefined;
}

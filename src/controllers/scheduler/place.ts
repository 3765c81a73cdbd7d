// One decision: a node for a pod, or why there is none. Pure but for where the next look begins.
import { groupedBy } from "../../meta/lists.ts";
import type { ClusterState } from "./cluster-state.ts";
import { type Question, questionOf, type Refusal, refusalOf } from "./filters.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import { scoresOf } from "./scores.ts";

/** So many nodes are looked at however many there are. */
const FEASIBLE_MIN = 100;
const PERCENT_MOST = 50;
const PERCENT_LEAST = 5;
const NODES_PER_PERCENT = 125;

export type Decision = { readonly node: string } | { readonly message: string };

/** Of many nodes only some that will do are compared; the next pod begins where this one has stopped. */
export class Placing {
  readonly #state: ClusterState;
  #begin = 0;

  constructor(state: ClusterState) {
    this.#state = state;
  }

  decide(pod: PodInfo): Decision {
    const nodes = this.#state.order;
    if (nodes.length === 0) return { message: "no nodes available to schedule pods" };
    const question = questionOf(pod, nodes, this.#state.counters);
    const { feasible, refusals } = this.#look(question, nodes);
    if (feasible.length === 0) return { message: whyNone(pod, refusals) };
    if (feasible.length === 1) return { node: feasible[0]?.name ?? "" };
    return { node: best(pod, feasible, scoresOf(pod, feasible, this.#state.counters)) };
  }

  #look(question: Question, nodes: readonly NodeInfo[]) {
    const wanted = feasibleWanted(nodes.length);
    const feasible: NodeInfo[] = [];
    const refusals: Refusal[] = [];
    let looked = 0;
    for (; looked < nodes.length && feasible.length < wanted; looked++) {
      const node = nodes[(this.#begin + looked) % nodes.length];
      if (node === undefined) break;
      const refusal = refusalOf(question, node);
      if (refusal) refusals.push(refusal);
      else feasible.push(node);
    }
    this.#begin = (this.#begin + looked) % nodes.length;
    return { feasible, refusals };
  }
}

function feasibleWanted(nodes: number): number {
  if (nodes < FEASIBLE_MIN) return nodes;
  const percent = Math.max(PERCENT_MOST - Math.floor(nodes / NODES_PER_PERCENT), PERCENT_LEAST);
  return Math.max(Math.floor((nodes * percent) / 100), FEASIBLE_MIN);
}

/** Between equals the pod's uid decides: by chance, and with a seed always the same. */
function best(pod: PodInfo, nodes: readonly NodeInfo[], scores: readonly number[]): string {
  let chosen = "";
  let chosenScore = Number.NEGATIVE_INFINITY;
  let chosenDraw = 0;
  nodes.forEach(({ name }, index) => {
    const score = scores[index] ?? 0;
    if (score < chosenScore) return;
    const drawn = draw(pod.uid, name);
    if (score > chosenScore || drawn > chosenDraw) [chosen, chosenScore, chosenDraw] = [name, score, drawn];
  });
  return chosen;
}

/** FNV-1a over both. */
function draw(uid: string, name: string): number {
  let hash = 0x811c9dc5;
  for (const text of [uid, name])
    for (let index = 0; index < text.length; index++)
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}

/** As the scheduler tells it in the pod's condition and in events. */
export function whyNone({ preempts }: PodInfo, refusals: readonly Refusal[]): string {
  const reasons = tally(refusals.flatMap((refusal) => refusal.reasons));
  const none = `0/${refusals.length} nodes are available`;
  const helped = tally(
    refusals.map(({ isFinal }) =>
      isFinal ? "Preemption is not helpful for scheduling" : "No preemption victims found for incoming pod",
    ),
  );
  const preemption = preempts ? `${none}: ${helped}.` : "not eligible due to preemptionPolicy=Never.";
  return `${none}: ${reasons}. no new claims to deallocate, preemption: ${preemption}`;
}

/** "1 Insufficient cpu, 2 node(s) had untolerated taint(s)": sorted as texts, numbers included. */
function tally(reasons: readonly string[]): string {
  return [...groupedBy(reasons, (reason) => reason)]
    .map(([reason, { length }]) => `${length} ${reason}`)
    .sort()
    .join(", ");
}

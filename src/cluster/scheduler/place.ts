// One scheduling decision: a node, or the reason why none fits together with the preemption victims. Pure except for
// the node offset at which the next search begins.
import { groupedBy } from "../../apimachinery/meta/lists.ts";
import type { ClusterState } from "./cluster-state.ts";
import { type Question, questionOf, type Refusal, refusalOf } from "./filters.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import { type Circumstances, type Preemption, preemptionFor } from "./preemption.ts";
import { scoresOf } from "./scores.ts";

/** The minimum number of feasible nodes to find before the search stops. */
const FEASIBLE_MIN = 100;
const PERCENT_MOST = 50;
const PERCENT_LEAST = 5;
const NODES_PER_PERCENT = 125;

export type Decision =
  | { readonly node: string }
  | { readonly message: string; readonly preemption?: Preemption; readonly keepsNomination?: boolean };

const NOBODY: Circumstances = { budgets: [], startOf: () => 0, isGoing: () => false };

/**
 * In large clusters only a sample of the feasible nodes is scored. The next pod continues at the node where this search
 * stopped.
 */
export class Placing {
  readonly #state: ClusterState;
  #begin = 0;

  constructor(state: ClusterState) {
    this.#state = state;
  }

  decide(pod: PodInfo, circumstances = NOBODY): Decision {
    const nodes = this.#state.order;
    if (nodes.length === 0) return { message: "no nodes available to schedule pods" };
    const question = questionOf(pod, nodes, this.#state.counters);
    const nominated = this.#state.nodes.get(this.#state.nominated.get(pod.key) ?? "");
    if (nominated?.isThere && this.#refusal(pod, nominated, question) === undefined)
      return { node: nominated.name };
    const { feasible, refused } = this.#look(question, nodes);
    if (feasible.length === 0) return this.#withoutNode(pod, refused, circumstances);
    if (feasible.length === 1) return { node: feasible[0]?.name ?? "" };
    return { node: best(pod, feasible, scoresOf(pod, feasible, this.#state.counters)) };
  }

  #look(question: Question, nodes: readonly NodeInfo[]) {
    const wanted = feasibleWanted(nodes.length);
    const feasible: NodeInfo[] = [];
    const refused = new Map<NodeInfo, Refusal>();
    let looked = 0;
    for (; looked < nodes.length && feasible.length < wanted; looked++) {
      const node = nodes[(this.#begin + looked) % nodes.length];
      if (node === undefined) break;
      const refusal = this.#refusal(question.pod, node, question);
      if (refusal) refused.set(node, refusal);
      else feasible.push(node);
    }
    this.#begin = (this.#begin + looked) % nodes.length;
    return { feasible, refused };
  }

  /** The pod has to fit both with and without the pods nominated to the node. */
  #refusal(pod: PodInfo, node: NodeInfo, question = this.#questionOf(pod)): Refusal | undefined {
    const guests = this.#state.nominated.size === 0 ? [] : this.#state.guestsOn(node.name, pod);
    const beside =
      guests.length > 0 &&
      this.#state.supposing(node, (change) => {
        for (const guest of guests) change(guest, 1);
        return refusalOf(this.#questionOf(pod), node);
      });
    return beside || refusalOf(question, node);
  }

  #questionOf = (pod: PodInfo): Question => questionOf(pod, this.#state.order, this.#state.counters);

  #withoutNode(
    pod: PodInfo,
    refused: ReadonlyMap<NodeInfo, Refusal>,
    circumstances: Circumstances,
  ): Decision {
    const why = whyNone([...refused.values()]);
    const untold = (preemption: string) => `${why} no new claims to deallocate, preemption: ${preemption}`;
    if (!pod.preempts) return { message: untold("not eligible due to preemptionPolicy=Never.") };
    if (this.#isMadeRoomFor(pod, refused, circumstances))
      return { message: untold(`not eligible due to a ${TERMINATING}.`), keepsNomination: true };
    const fits = (one: PodInfo, node: NodeInfo) => this.#refusal(one, node);
    const found = preemptionFor(pod, refused, { state: this.#state, circumstances, fits });
    if ("victims" in found) return { message: why, preemption: found };
    return { message: untold(`${noneOf(refused.size)}: ${tally(found.reasons)}.`) };
  }

  /** A pod of lower priority is already terminating on the nominated node. */
  #isMadeRoomFor(
    { key, priority }: PodInfo,
    refused: ReadonlyMap<NodeInfo, Refusal>,
    { isGoing }: Circumstances,
  ): boolean {
    const node = this.#state.nodes.get(this.#state.nominated.get(key) ?? "");
    if (node === undefined || refused.get(node)?.isFinal !== false) return false;
    return [...node.pods.values()].some((pod) => pod.priority < priority && isGoing(pod));
  }
}

const TERMINATING = "terminating pod on the nominated node";

function feasibleWanted(nodes: number): number {
  if (nodes < FEASIBLE_MIN) return nodes;
  const percent = Math.max(PERCENT_MOST - Math.floor(nodes / NODES_PER_PERCENT), PERCENT_LEAST);
  return Math.max(Math.floor((nodes * percent) / 100), FEASIBLE_MIN);
}

/** Ties are broken by a hash of the pod's uid: random in effect, and repeatable with a seed. */
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

/** FNV-1a over both texts. */
function draw(uid: string, name: string): number {
  let hash = 0x811c9dc5;
  for (const text of [uid, name])
    for (let index = 0; index < text.length; index++)
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}

const noneOf = (nodes: number): string => `0/${nodes} nodes are available`;

/** The text of the pod's condition and Events, as kube-scheduler writes it. */
const whyNone = (refusals: readonly Refusal[]): string =>
  `${noneOf(refusals.length)}: ${tally(refusals.flatMap(({ reasons }) => reasons))}.`;

/** "1 Insufficient cpu, 2 node(s) had untolerated taint(s)": sorted as texts, numbers included. */
function tally(reasons: readonly string[]): string {
  return [...groupedBy(reasons, (reason) => reason)]
    .map(([reason, { length }]) => `${length} ${reason}`)
    .sort()
    .join(", ");
}

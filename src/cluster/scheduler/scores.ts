// Scores of the feasible nodes. Each rule scores a node from 0 to 100 and has a weight. Rules and weights are the
// defaults of kube-scheduler, except image locality, since no node has images.
import { greatest, smallest } from "../../apimachinery/meta/lists.ts";
import { isTolerated } from "../../controller/taints.ts";
import type { Counter, Counters } from "./counters.ts";
import { HOSTNAME, type NodeInfo, ZONE } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";

const MOST = 100;
const WEIGHTS = { taints: 3, nodeAffinity: 2, spread: 2, neighbours: 2, least: 1, balance: 1 } as const;

/** One score per node, in the given order. */
export function scoresOf(pod: PodInfo, nodes: readonly NodeInfo[], counters: Counters): number[] {
  const total = nodes.map((node) => resourceScore(pod, node));
  const add = (weight: number, scores: readonly number[] | undefined): void => {
    scores?.forEach((score, index) => {
      total[index] = (total[index] ?? 0) + weight * score;
    });
  };
  add(WEIGHTS.taints, taintScores(pod, nodes));
  add(WEIGHTS.nodeAffinity, nodeAffinityScores(pod, nodes));
  add(WEIGHTS.spread, spreadScores(pod, nodes, counters));
  add(WEIGHTS.neighbours, neighbourScores(pod, nodes, counters));
  return total;
}

/** Free capacity, and the balance of CPU and memory usage. */
function resourceScore(pod: PodInfo, { allocatable, scored }: NodeInfo): number {
  const cpu = allocatable.get("cpu") ?? 0;
  const memory = allocatable.get("memory") ?? 0;
  const usedCpu = cpu === 0 ? 1 : Math.min((scored[0] + pod.scored[0]) / cpu, 1);
  const usedMemory = memory === 0 ? 1 : Math.min((scored[1] + pod.scored[1]) / memory, 1);
  const least = Math.floor((Math.floor((1 - usedCpu) * MOST) + Math.floor((1 - usedMemory) * MOST)) / 2);
  const balance = Math.floor((1 - Math.abs(usedCpu - usedMemory) / 2) * MOST);
  return WEIGHTS.least * least + WEIGHTS.balance * balance;
}

/** Fewer untolerated PreferNoSchedule taints score higher. */
function taintScores({ tolerations }: PodInfo, nodes: readonly NodeInfo[]): number[] | undefined {
  if (!nodes.some(({ taints }) => taints.length > 0)) return undefined;
  const counts = nodes.map(
    ({ taints }) =>
      taints.filter((taint) => taint.effect === "PreferNoSchedule" && !isTolerated(taint, tolerations))
        .length,
  );
  const most = greatest(counts, 0);
  return most === 0 ? undefined : counts.map((count) => MOST - Math.floor((count * MOST) / most));
}

function nodeAffinityScores({ preferredNodes }: PodInfo, nodes: readonly NodeInfo[]): number[] | undefined {
  if (preferredNodes.length === 0) return undefined;
  const sums = nodes.map((node) =>
    preferredNodes.reduce((sum, { weight, test }) => sum + (test(node) ? weight : 0), 0),
  );
  const most = greatest(sums, 0);
  return most === 0 ? undefined : sums.map((sum) => Math.floor((sum * MOST) / most));
}

interface Spread {
  readonly key: string;
  readonly maxSkew: number;
  readonly counter: Counter;
}

/** The default constraints: pods of one controller are spread over nodes and over zones. */
const USUAL_SPREAD = [
  { key: HOSTNAME, maxSkew: 3 },
  { key: ZONE, maxSkew: 5 },
] as const;

function spreadsOf(pod: PodInfo, counters: Counters): Spread[] {
  if (pod.softSpread.length > 0)
    return pod.softSpread.map(({ term, maxSkew }) => ({
      key: term.topologyKey,
      maxSkew,
      counter: counters.of(term),
    }));
  if (pod.hardSpread.length > 0 || pod.owner === "") return [];
  return USUAL_SPREAD.map((usual) => ({ ...usual, counter: counters.ofOwner(pod.owner, usual.key) }));
}

/** Fewer matching pods in the node's domains score higher. Each pod weighs more the more domains exist. */
function spreadScores(pod: PodInfo, nodes: readonly NodeInfo[], counters: Counters): number[] | undefined {
  const spreads = spreadsOf(pod, counters);
  if (spreads.length === 0) return undefined;
  const isExplicit = pod.softSpread.length > 0;
  const sums = nodes.map(() => 0);
  for (const { key, maxSkew, counter } of spreads) {
    const isHost = key === HOSTNAME;
    const places = isHost ? nodes.length : new Set(nodes.map(({ labels }) => labels[key])).size;
    const weight = Math.log(places + 2);
    nodes.forEach(({ name, labels }, index) => {
      const place = labels[key];
      if (!isHost && place === undefined) return;
      const count = (isHost ? counter.byNode.get(name) : counter.byPlace.get(place ?? "")) ?? 0;
      sums[index] = (sums[index] ?? 0) + count * weight + (maxSkew - 1);
    });
  }
  const isLeftOut = ({ labels }: NodeInfo): boolean =>
    isExplicit && spreads.some(({ key }) => labels[key] === undefined);
  const counted = sums.filter((_sum, index) => !isLeftOut(nodes[index] as NodeInfo)); // one per node
  const [most, least] = [greatest(counted, 0), smallest(counted, Number.POSITIVE_INFINITY)];
  return sums.map((sum, index) => {
    if (isLeftOut(nodes[index] as NodeInfo)) return 0; // as above
    return most === 0 ? MOST : Math.floor((MOST * (most + least - sum)) / most);
  });
}

function neighbourScores(pod: PodInfo, nodes: readonly NodeInfo[], counters: Counters): number[] | undefined {
  if (pod.preferredPods.length === 0) return undefined;
  const preferred = pod.preferredPods.map(({ weight, term }) => ({ weight, ...counters.neighbours(term) }));
  const sums = nodes.map(({ labels }) =>
    preferred.reduce((sum, { weight, term, byPlace }) => {
      const place = labels[term.topologyKey];
      return sum + (place === undefined ? 0 : weight * (byPlace.get(place) ?? 0));
    }, 0),
  );
  const [most, least] = [greatest(sums, Number.NEGATIVE_INFINITY), smallest(sums, Number.POSITIVE_INFINITY)];
  return most === least ? undefined : sums.map((sum) => Math.floor((MOST * (sum - least)) / (most - least)));
}

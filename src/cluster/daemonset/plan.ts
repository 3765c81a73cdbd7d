// Plans the pods of a DaemonSet: one on each eligible node, and their rolling update a few nodes at a time. Pure.
import { equalJson, type JsonObject, objectAt } from "../../apimachinery/json/json.ts";
import { append, groupedBy } from "../../apimachinery/meta/lists.ts";
import { byAge, type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import type { Remark } from "../../apimachinery/meta/occurrence.ts";
import {
  isAvailable,
  isPodReady,
  isTerminal,
  minReadySecondsOf,
  stateOf,
  targetNodeOf,
} from "../workloads/pods.ts";
import { countAt, nameOf, scaledValue, statusOf, withoutZeros } from "../workloads/resources.ts";
import { isUpdated, type Suitability } from "./daemon-pod.ts";

/** The limit of creations, and of deletions, in one reconcile. */
const BURST = 250;

export interface Situation {
  readonly set: KubeObject;
  readonly hash: string;
  /** By name. */
  readonly nodes: ReadonlyMap<string, Suitability>;
  readonly pods: readonly KubeObject[];
  readonly nowMs: number;
}

export interface DaemonPlan {
  /** The nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly KubeObject[];
  readonly says: readonly Remark[];
  readonly isMore: boolean;
}

type OnNode = ReadonlyMap<string, readonly KubeObject[]>;

const stays = (pod: KubeObject): boolean => !stateOf(pod).isGoing;

/** Pods by the node that they are on or are bound for, the oldest first. An ended pod under deletion is left out. */
function byNode(pods: readonly KubeObject[]): OnNode {
  const there = pods.filter((pod) => stays(pod) || !isTerminal(pod));
  const onNode = groupedBy(there, targetNodeOf);
  for (const together of onNode.values()) together.sort(byPlaceAndAge);
  return onNode;
}

/** Bound pods sort before pods that wait for a node. */
const byPlaceAndAge = (a: KubeObject, b: KubeObject): number =>
  Number(stateOf(b).nodeName !== "") - Number(stateOf(a).nodeName !== "") || byAge(a, b);

const isWell = (pod: KubeObject | undefined, { set, nowMs }: Situation): boolean =>
  pod !== undefined && isAvailable(pod, minReadySecondsOf(set), nowMs);

export function planDaemons(situation: Situation): DaemonPlan {
  const onNode = byNode(situation.pods);
  const first = planPlaces(situation, onNode);
  const isRolling = objectAt(specOf(situation.set), "updateStrategy")?.["type"] !== "OnDelete";
  const begun = { made: new Set(first.create), removed: new Set(first.remove) };
  const rolled = isRolling ? planRollout(situation, onNode, begun) : { create: [], remove: [] };
  const create = [...new Set([...first.create, ...rolled.create])];
  const remove = [...new Set([...first.remove, ...rolled.remove])];
  return {
    create: create.slice(0, BURST),
    remove: remove.slice(0, BURST),
    says: first.says,
    isMore: create.length > BURST || remove.length > BURST,
  };
}

type Places = Omit<DaemonPlan, "isMore">;

function planPlaces(situation: Situation, onNode: OnNode): Places {
  const create: string[] = [];
  const remove: KubeObject[] = [];
  const says: Remark[] = [];
  for (const [node, { shouldRun, mayStay }] of situation.nodes) {
    const pods = onNode.get(node) ?? [];
    if (shouldRun && pods.length === 0) create.push(node);
    else if (!mayStay) append(remove, pods.filter(stays));
    else {
      const running: KubeObject[] = [];
      for (const pod of pods.filter(stays)) {
        const said = endSaid(pod, node);
        if (!said) running.push(pod);
        else {
          says.push(said);
          remove.push(pod);
        }
      }
      append(remove, surplus(running, situation));
    }
  }
  // A pod that targets a deleted node would stay pending.
  for (const [node, pods] of onNode) {
    if (!situation.nodes.has(node))
      append(
        remove,
        pods.filter((pod) => stays(pod) && stateOf(pod).nodeName === ""),
      );
  }
  return { create, remove, says };
}

/** The Event about an ended pod, which the controller replaces: the kubelet does not restart it. */
function endSaid(pod: KubeObject, node: string): Remark | undefined {
  const where = `${pod.metadata.namespace}/${nameOf(pod)} on node ${node}`;
  switch (stateOf(pod).phase) {
    case "Failed":
      return {
        type: "Warning",
        reason: "FailedDaemonPod",
        message: `Found failed daemon pod ${where}, will try to kill it`,
      };
    case "Succeeded":
      return {
        type: "Normal",
        reason: "SucceededDaemonPod",
        message: `Found succeeded daemon pod ${where}, will try to delete it`,
      };
    default:
      return undefined;
  }
}

/** All pods but the oldest. With maxSurge an old and a new pod may coexist until the new one is available. */
function surplus(running: readonly KubeObject[], situation: Situation): KubeObject[] {
  const { set, hash } = situation;
  if (running.length <= 1) return [];
  if (limitsOf(set, 1).surge === 0) return running.slice(1);
  const newest = running.find((pod) => isUpdated(pod, set, hash));
  const old = running.find((pod) => !isUpdated(pod, set, hash));
  const others = running.filter((pod) => pod !== newest && pod !== old);
  const isReplaced = newest && old && (!isPodReady(old) || isWell(newest, situation));
  return isReplaced ? [...others, old] : others;
}

/** The rollout limits over that many nodes: how many may have two pods, and how many may have none. */
function limitsOf(set: KubeObject, wanted: number): { readonly surge: number; readonly unavailable: number } {
  const rolling = objectAt(objectAt(specOf(set), "updateStrategy"), "rollingUpdate");
  const surge = scaledValue(rolling?.["maxSurge"] ?? 0, wanted, Math.ceil);
  const unavailable = scaledValue(rolling?.["maxUnavailable"] ?? (surge > 0 ? 0 : 1), wanted, Math.ceil);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

interface OnOneNode {
  readonly old: KubeObject | undefined;
  readonly updated: KubeObject | undefined;
}

/** undefined: the node has too many pods, or one is under deletion. The rollout skips such a node. */
function pairOf(
  pods: readonly KubeObject[],
  { set, hash }: Situation,
  { removed }: Begun,
): OnOneNode | undefined {
  if (pods.some((pod) => stateOf(pod).isGoing || removed.has(pod))) return undefined;
  const updated = pods.filter((pod) => isUpdated(pod, set, hash));
  const old = pods.filter((pod) => !isUpdated(pod, set, hash));
  return updated.length > 1 || old.length > 1 ? undefined : { old: old[0], updated: updated[0] };
}

/** Creations and deletions planned before the rollout. */
interface Begun {
  readonly made: ReadonlySet<string>;
  readonly removed: ReadonlySet<KubeObject>;
}

type Rolled = Pick<DaemonPlan, "create" | "remove">;

function planRollout(situation: Situation, onNode: OnNode, begun: Begun): Rolled {
  const wanted = [...situation.nodes].filter(([, { shouldRun }]) => shouldRun).map(([node]) => node);
  const limits = limitsOf(situation.set, wanted.length);
  const pairs = wanted.map((node) => ({
    node,
    pair: pairOf(onNode.get(node) ?? [], situation, begun),
    isMade: begun.made.has(node),
  }));
  return limits.surge > 0
    ? planSurge(situation, pairs, limits.surge)
    : planReplacement(situation, pairs, limits.unavailable);
}

interface NodePair {
  readonly node: string;
  readonly pair: OnOneNode | undefined;
  readonly isMade: boolean;
}

/** Deletes old pods: all unavailable ones, and then as many available ones as maxUnavailable allows. */
function planReplacement(situation: Situation, nodes: readonly NodePair[], most: number): Rolled {
  let missing = 0;
  const [useless, candidates]: [KubeObject[], KubeObject[]] = [[], []];
  for (const { pair } of nodes) {
    const old = pair?.updated ? undefined : pair?.old;
    if (pair?.updated && !pair.old) missing += isWell(pair.updated, situation) ? 0 : 1;
    else if (!old) missing++;
    else if (isWell(old, situation)) candidates.push(old);
    else {
      missing++;
      useless.push(old);
    }
  }
  return { create: [], remove: [...useless, ...candidates.slice(0, Math.max(most - missing, 0))] };
}

/**
 * Creates new pods beside old ones: on all nodes whose old pod is unavailable, and otherwise on at most maxSurge nodes
 * at a time. An old pod is deleted when the new one is available.
 */
function planSurge(situation: Situation, nodes: readonly NodePair[], most: number): Rolled {
  let surging = 0;
  const [useless, candidates]: [string[], string[]] = [[], []];
  const remove: KubeObject[] = [];
  for (const { node, pair, isMade } of nodes) {
    if (!pair) surging++;
    else if (!pair.old || isMade)
      continue; // the node gets a pod without the rollout
    else if (!pair.updated) (isWell(pair.old, situation) ? candidates : useless).push(node);
    else if (isWell(pair.updated, situation)) remove.push(pair.old);
    else surging++;
  }
  return { create: [...useless, ...candidates.slice(0, Math.max(most - surging, 0))], remove };
}

/** The new status; undefined if it is unchanged. */
export function planStatus(situation: Situation, collisions: number | undefined): JsonObject | undefined {
  const { set, hash, nodes, pods } = situation;
  const onNode = byNode(pods);
  const count = { wanted: 0, current: 0, misplaced: 0, ready: 0, available: 0, updated: 0 };
  for (const [node, { shouldRun }] of nodes) {
    const [pod] = onNode.get(node) ?? [];
    if (!shouldRun) count.misplaced += pod ? 1 : 0;
    else count.wanted++;
    if (!shouldRun || !pod) continue;
    count.current++;
    if (isPodReady(pod)) count.ready++;
    if (isWell(pod, situation)) count.available++;
    if (isUpdated(pod, set, hash)) count.updated++;
  }
  const before = statusOf(set);
  const { conditions } = before;
  const status = {
    currentNumberScheduled: count.current,
    numberMisscheduled: count.misplaced,
    desiredNumberScheduled: count.wanted,
    numberReady: count.ready,
    ...withoutZeros({
      observedGeneration: Math.max(set.metadata.generation ?? 0, countAt(before, "observedGeneration")),
      updatedNumberScheduled: count.updated,
      numberAvailable: count.available,
      numberUnavailable: count.wanted - count.available,
    }),
    ...(collisions === undefined ? {} : { collisionCount: collisions }),
    ...(conditions === undefined ? {} : { conditions }),
  };
  return equalJson(status, before) ? undefined : status;
}

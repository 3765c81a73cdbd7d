// What a DaemonSet does about its pods: one on each node that it is for, and their replacement a few nodes at a time. Pure.
import { equalJson, type JsonObject, objectAt } from "../../meta/json.ts";
import { append, groupedBy } from "../../meta/lists.ts";
import { byAge, type KubeObject, specOf } from "../../meta/object-meta.ts";
import type { Remark } from "../../meta/occurrence.ts";
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

/** So many pods are made, and as many deleted, in one go. */
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

/** Pods by the nodes that they are on, or are to come to, the oldest first. One that has ended and goes is none. */
function byNode(pods: readonly KubeObject[]): OnNode {
  const there = pods.filter((pod) => stays(pod) || !isTerminal(pod));
  const onNode = groupedBy(there, targetNodeOf);
  for (const together of onNode.values()) together.sort(byPlaceAndAge);
  return onNode;
}

/** A pod that has its node comes before one that waits for it. */
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
  // A node that has gone takes none; what waits for it would wait for ever.
  for (const [node, pods] of onNode) {
    if (!situation.nodes.has(node))
      append(
        remove,
        pods.filter((pod) => stays(pod) && stateOf(pod).nodeName === ""),
      );
  }
  return { create, remove, says };
}

/** Of a pod that has ended, which is made again: its node's agent makes none anew. */
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

/** All but the oldest; with a surge an old and a new one may be there together, until the new one is well. */
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

/** How many nodes may be without a pod, or have two, in a rollout over so many. */
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

/** Undefined: there are too many, or one goes; that is not for the rollout to deal with. */
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

/** What is made and deleted before the rollout. */
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

/** Old pods go, those first that are not well, and as many others as nodes may be without one. */
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

/** New pods come beside old ones, on so many nodes at a time; an old one goes when the new one is well. */
function planSurge(situation: Situation, nodes: readonly NodePair[], most: number): Rolled {
  let surging = 0;
  const [useless, candidates]: [string[], string[]] = [[], []];
  const remove: KubeObject[] = [];
  for (const { node, pair, isMade } of nodes) {
    if (!pair) surging++;
    else if (!pair.old || isMade)
      continue; // the node gets its pod anyhow
    else if (!pair.updated) (isWell(pair.old, situation) ? candidates : useless).push(node);
    else if (isWell(pair.updated, situation)) remove.push(pair.old);
    else surging++;
  }
  return { create: [...useless, ...candidates.slice(0, Math.max(most - surging, 0))], remove };
}

/** The status as it is to be; undefined: it is that already. */
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

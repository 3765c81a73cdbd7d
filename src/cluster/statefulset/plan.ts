// Plans the pods of a StatefulSet. They are created in ordinal order, each when the previous ones are available, and
// deleted in reverse order. With the policy Parallel all change at once. Pure.
import { equalJson, type JsonObject, numberAt, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { isGoing } from "../../controller/api.ts";
import { isAvailable, isPodReady, isTerminal, minReadySecondsOf, stateOf } from "../workloads/pods.ts";
import { replicasOf, scaledValue, statusOf, withoutZeros } from "../workloads/resources.ts";
import { hasIdentity, isInRange, ordinalOf, podOf, revisionLabelOf, startOf } from "./identity.ts";

/** The set with the template of a revision. */
export interface Revised {
  readonly name: string;
  readonly set: KubeObject;
}

export interface Situation {
  readonly set: KubeObject;
  readonly current: Revised;
  readonly update: Revised;
  readonly pods: readonly KubeObject[];
  readonly nowMs: number;
}

export type Action =
  | { readonly type: "create"; readonly pod: KubeObject }
  | { readonly type: "delete"; readonly pod: KubeObject; readonly why?: "Failed" | "Succeeded" }
  /** The pod's name, labels or volumes do not match its ordinal. */
  | { readonly type: "mend"; readonly pod: KubeObject; readonly ordinal: number };

const isRunningAndReady = (pod: KubeObject): boolean => stateOf(pod).phase === "Running" && isPodReady(pod);

export function planPods(situation: Situation): Action[] {
  const { set, update, pods, nowMs } = situation;
  if (isGoing(set)) return [];
  const seconds = minReadySecondsOf(set);
  const isWell = (pod: KubeObject): boolean => isRunningAndReady(pod) && isAvailable(pod, seconds, nowMs);
  const inTurn = textAt(specOf(set), "podManagementPolicy") !== "Parallel";
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod, set), pod]));
  const actions: Action[] = [];
  const first = startOf(set);
  for (let ordinal = first; ordinal < first + replicasOf(set); ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) {
      const { set: revised, name } = isOfCurrent(situation, ordinal) ? situation.current : update;
      actions.push({ type: "create", pod: podOf(revised, ordinal, name) });
      if (inTurn) return actions;
      continue;
    }
    const { phase, isGoing: goes } = stateOf(pod);
    if (isTerminal(pod)) {
      if (!goes) actions.push({ type: "delete", pod, why: phase === "Failed" ? "Failed" : "Succeeded" });
      return actions;
    }
    if (inTurn && (goes || !isWell(pod))) return actions;
    if (!hasIdentity(pod, set, ordinal)) actions.push({ type: "mend", pod, ordinal });
  }
  const { removed, isToWait } = planCondemned(situation, byOrdinal, inTurn, isWell);
  for (const pod of removed) actions.push({ type: "delete", pod });
  return isToWait ? actions : [...actions, ...planUpdate(situation, byOrdinal, isWell)];
}

/** Only ordinals below the partition are created from the previous revision. */
function isOfCurrent({ set }: Situation, ordinal: number): boolean {
  const strategy = objectAt(specOf(set), "updateStrategy");
  const rolling = objectAt(strategy, "rollingUpdate");
  if (strategy?.["type"] !== "RollingUpdate") return false;
  return ordinal < startOf(set) + (numberAt(rolling, "partition") ?? 0);
}

/**
 * Pods outside the ordinal range, highest first. An unavailable one is kept unless it is the first unhealthy pod of
 * all.
 */
function planCondemned(
  { set, pods }: Situation,
  byOrdinal: ReadonlyMap<number, KubeObject>,
  inTurn: boolean,
  isWell: (pod: KubeObject) => boolean,
): { readonly removed: KubeObject[]; readonly isToWait: boolean } {
  const condemned = pods
    .filter((pod) => !isInRange(ordinalOf(pod, set), set))
    .sort((a, b) => ordinalOf(b, set) - ordinalOf(a, set));
  const isHealthy = (pod: KubeObject): boolean => isRunningAndReady(pod) && !stateOf(pod).isGoing;
  const kept = [...byOrdinal].filter(([ordinal]) => isInRange(ordinal, set)).sort(([a], [b]) => a - b);
  const firstUnhealthy = [...kept.map(([, pod]) => pod), ...condemned.toReversed()].find(
    (pod) => !isHealthy(pod),
  );
  if (!inTurn) return { removed: condemned.filter((pod) => !stateOf(pod).isGoing), isToWait: false };
  const [pod] = condemned;
  if (pod === undefined) return { removed: [], isToWait: false };
  const mustWait = stateOf(pod).isGoing || (!isWell(pod) && pod !== firstUnhealthy);
  return { removed: mustWait ? [] : [pod], isToWait: true };
}

/** Pods of older revisions, from the highest ordinal down to the partition. */
function planUpdate(
  { set, update }: Situation,
  byOrdinal: ReadonlyMap<number, KubeObject>,
  isWell: (pod: KubeObject) => boolean,
): Action[] {
  const strategy = objectAt(specOf(set), "updateStrategy");
  if (strategy?.["type"] === "OnDelete") return [];
  const rolling = objectAt(strategy, "rollingUpdate");
  const from = startOf(set) + (numberAt(rolling, "partition") ?? 0);
  const most = Math.max(scaledValue(rolling?.["maxUnavailable"] ?? 1, replicasOf(set), Math.floor), 1);
  const inRange = [...byOrdinal].filter(([ordinal]) => isInRange(ordinal, set)).sort(([a], [b]) => b - a);
  const isMissing = ([, pod]: readonly [number, KubeObject]): boolean => stateOf(pod).isGoing || !isWell(pod);
  const missing = replicasOf(set) - inRange.length + inRange.filter(isMissing).length;
  const old = inRange.filter(
    ([ordinal, pod]) => ordinal >= from && revisionLabelOf(pod) !== update.name && !stateOf(pod).isGoing,
  );
  let room = most - missing;
  const actions: Action[] = [];
  for (const entry of old) {
    const [, pod] = entry;
    // Deleting an unavailable pod loses no availability. Otherwise a broken revision could never be replaced.
    if (isMissing(entry)) actions.push({ type: "delete", pod });
    else if (room > 0) {
      room--;
      actions.push({ type: "delete", pod });
    }
  }
  return actions.slice(0, most);
}

/** The new status; undefined if it is unchanged. */
export function planStatus(situation: Situation, collisions: number | undefined): JsonObject | undefined {
  const { set, current, update, pods, nowMs } = situation;
  const seconds = minReadySecondsOf(set);
  const there = pods.filter((pod) => stateOf(pod).phase !== "");
  const of = ({ name }: Revised): number =>
    there.filter((pod) => !stateOf(pod).isGoing && revisionLabelOf(pod) === name).length;
  const ready = there.filter(isRunningAndReady);
  const counts = {
    observedGeneration: set.metadata.generation ?? 0,
    readyReplicas: ready.length,
    // If both revisions are equal, both counts include all pods.
    currentReplicas: of(current),
    updatedReplicas: of(update),
  };
  const isDone = isComplete(set, there.length, counts);
  const status = {
    ...withoutZeros(isDone ? { ...counts, currentReplicas: counts.updatedReplicas } : counts),
    replicas: there.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, seconds, nowMs)).length,
    currentRevision: isDone ? update.name : current.name,
    updateRevision: update.name,
    collisionCount: collisions ?? 0,
  };
  const { conditions } = statusOf(set);
  const whole = conditions === undefined ? status : { ...status, conditions };
  return equalJson(whole, statusOf(set)) ? undefined : whole;
}

/** After a complete rolling update the new revision becomes the current one. */
function isComplete(
  set: KubeObject,
  there: number,
  { readyReplicas, updatedReplicas }: { readonly readyReplicas: number; readonly updatedReplicas: number },
): boolean {
  if (objectAt(specOf(set), "updateStrategy")?.["type"] !== "RollingUpdate") return false;
  return [updatedReplicas, readyReplicas, there].every((count) => count === replicasOf(set));
}

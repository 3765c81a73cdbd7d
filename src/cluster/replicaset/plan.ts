// Plans the pods and the status of a ReplicaSet or ReplicationController. Pure.

import { equalJson, type JsonObject, numberAt, objectAt, objectsAt } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { conditionOf } from "../../apimachinery/meta/conditions.ts";
import { labelSelectorFromObject } from "../../apimachinery/meta/label-selector.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { without } from "../workloads/conditions.ts";
import { isAvailable, isPodReady, minReadySecondsOf } from "../workloads/pods.ts";
import { rankForDeletion } from "../workloads/ranking.ts";
import { labelsOf, replicasOf, statusOf, templateOf, withoutZeros } from "../workloads/resources.ts";

/** The limit of creations or deletions in one reconcile. */
export const BURST = 500;

export interface Scaling {
  readonly create: number;
  readonly remove: readonly KubeObject[];
  /** More changes remain than one reconcile makes. */
  readonly isMore: boolean;
}

/** `related` are the active pods of all sets of the same owner. */
export function planScaling(
  owner: KubeObject,
  active: readonly KubeObject[],
  related: () => readonly KubeObject[],
  nowMs: number,
): Scaling {
  const missing = replicasOf(owner) - active.length;
  const isMore = Math.abs(missing) > BURST;
  if (missing >= 0) return { create: Math.min(missing, BURST), remove: [], isMore };
  const surplus = Math.min(-missing, BURST);
  const ranked = replicasOf(owner) > 0 ? rankForDeletion(active, related(), nowMs) : active;
  return { create: 0, remove: ranked.slice(0, surplus), isMore };
}

export interface Failure {
  readonly reason: "FailedCreate" | "FailedDelete";
  readonly message: string;
}

export interface Seen {
  readonly active: readonly KubeObject[];
  /** Omitted for kinds that do not report it. */
  readonly terminating?: number;
  readonly failure?: Failure | undefined;
}

/** The new status; undefined if it is unchanged. */
export function planStatus(owner: KubeObject, seen: Seen, nowMs: number): JsonObject | undefined {
  const { active, terminating } = seen;
  const before = statusOf(owner);
  const seconds = minReadySecondsOf(owner);
  const conditions = conditionsAfter(before, seen.failure, nowMs);
  const status = {
    replicas: active.length,
    ...withoutZeros({
      fullyLabeledReplicas: fullyLabeled(owner, active),
      readyReplicas: active.filter(isPodReady).length,
      availableReplicas: active.filter((pod) => isAvailable(pod, seconds, nowMs)).length,
    }),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    observedGeneration: observed(owner, before),
    ...(conditions.length > 0 ? { conditions } : {}),
  };
  return equalJson(status, before) ? undefined : status;
}

/** The number of pods with all labels of the template. If the selector requires all of them, every pod has them. */
function fullyLabeled(owner: KubeObject, active: readonly KubeObject[]): number {
  const labels = labelsOf(templateOf(owner));
  const { matchLabels } = objectAt(specOf(owner), "selector") ?? {};
  if (equalJson(matchLabels, labels)) return active.length;
  const ofTemplate = labelSelectorFromObject({ matchLabels: labels });
  return active.filter(({ metadata }) => ofTemplate.matches(metadata.labels ?? {})).length;
}

/** observedGeneration never decreases. */
const observed = (owner: KubeObject, before: JsonObject): number =>
  Math.max(owner.metadata.generation ?? 0, numberAt(before, "observedGeneration") ?? 0);

function conditionsAfter(before: JsonObject, failure: Failure | undefined, nowMs: number): JsonObject[] {
  const conditions = objectsAt(before, "conditions");
  if (failure === undefined) return without(conditions, "ReplicaFailure");
  if (conditionOf(before, "ReplicaFailure")) return conditions;
  const condition = {
    type: "ReplicaFailure",
    status: "True",
    lastTransitionTime: formatTime(nowMs),
    ...failure,
  };
  return [...conditions, condition];
}

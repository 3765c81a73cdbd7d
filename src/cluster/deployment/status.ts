// The status of a Deployment: counts of its sets, availability and rollout progress. Pure.

import { equalJson, type JsonObject, numberAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { conditionOf } from "../../apimachinery/meta/conditions.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { type Said, without } from "../workloads/conditions.ts";
import { countAt, nameOf, replicasOf, statusOf, withoutZeros } from "../workloads/resources.ts";
import { allOf, deadlineSecondsOf, isPaused, maxUnavailableOf, type Sets, wantedBy } from "./replica-sets.ts";
import { sumOf } from "./scaling.ts";

const PROGRESSING = "Progressing";
const DONE = "NewReplicaSetAvailable";
const TIMED_OUT = "ProgressDeadlineExceeded";
const PAUSED = "DeploymentPaused";

const AVAILABLE: Said = {
  type: "Available",
  status: "True",
  reason: "MinimumReplicasAvailable",
  message: "Deployment has minimum availability.",
};
const UNAVAILABLE: Said = {
  type: "Available",
  status: "False",
  reason: "MinimumReplicasUnavailable",
  message: "Deployment does not have minimum availability.",
};

/** Sets the condition if its status or reason differs. An unchanged status keeps its transition time. */
export function withCondition(conditions: readonly JsonObject[], said: Said, nowMs: number): JsonObject[] {
  const old = conditions.find(({ type }) => type === said.type);
  if (old?.["status"] === said.status && old["reason"] === said.reason) return [...conditions];
  return [...without(conditions, said.type), stamped(said, old, nowMs)];
}

function stamped(
  { type, status, reason, message }: Said,
  old: JsonObject | undefined,
  nowMs: number,
): JsonObject {
  const now = formatTime(nowMs);
  const since = old?.["status"] === status ? old["lastTransitionTime"] : now;
  return { type, status, lastUpdateTime: now, lastTransitionTime: since, reason, message };
}

export const progressing = (status: Said["status"], reason: string, message: string): Said => ({
  type: PROGRESSING,
  status,
  reason,
  message,
});

/** The condition after a pause or a resume. undefined: no change, or the rollout has already timed out. */
export function pauseCondition(deployment: KubeObject): Said | undefined {
  if (deadlineSecondsOf(deployment) === undefined) return undefined;
  const reason = textAt(conditionOf(statusOf(deployment), PROGRESSING), "reason");
  if (reason === TIMED_OUT) return undefined;
  if (isPaused(deployment)) {
    return reason === PAUSED ? undefined : progressing("Unknown", PAUSED, "Deployment is paused");
  }
  return reason === PAUSED ? progressing("Unknown", "DeploymentResumed", "Deployment is resumed") : undefined;
}

/** The condition when the ReplicaSet of the template is found and no progress was reported before. */
export function foundCondition(deployment: KubeObject, set: KubeObject): Said | undefined {
  if (deadlineSecondsOf(deployment) === undefined || conditionOf(statusOf(deployment), PROGRESSING))
    return undefined;
  return progressing("True", "FoundNewReplicaSet", `Found new replica set "${nameOf(set)}"`);
}

/** The counts, and the condition Available. */
export function countedStatus(deployment: KubeObject, sets: Sets, nowMs: number): JsonObject {
  const all = allOf(sets);
  const before = statusOf(deployment);
  const available = sumOf(all, "availableReplicas");
  const isEnough = available >= replicasOf(deployment) - maxUnavailableOf(deployment);
  const conditions = withCondition(
    objectsAt(before, "conditions"),
    isEnough ? AVAILABLE : UNAVAILABLE,
    nowMs,
  );
  const collisions = numberAt(before, "collisionCount");
  return {
    ...withoutZeros({
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: sumOf(all, "replicas"),
      updatedReplicas: sumOf(sets.current ? [sets.current] : [], "replicas"),
      readyReplicas: sumOf(all, "readyReplicas"),
      availableReplicas: available,
      unavailableReplicas: Math.max(wantedBy(all) - available, 0),
    }),
    terminatingReplicas: sumOf(all, "terminatingReplicas"),
    conditions,
    ...(collisions === undefined ? {} : { collisionCount: collisions }),
  };
}

/** The counted status with the Progressing condition of the rollout. */
export function rolloutStatus(deployment: KubeObject, sets: Sets, nowMs: number): JsonObject {
  const status = countedStatus(deployment, sets, nowMs);
  let conditions = progressOf(deployment, sets, status, nowMs);
  const failure = failureOf(sets);
  conditions = without(conditions, "ReplicaFailure");
  if (failure)
    conditions = [...conditions, failedAs(failure, conditionOf(statusOf(deployment), "ReplicaFailure"))];
  return { ...status, conditions };
}

function progressOf(deployment: KubeObject, sets: Sets, status: JsonObject, nowMs: number): JsonObject[] {
  const conditions = objectsAt(status, "conditions");
  if (deadlineSecondsOf(deployment) === undefined) return without(conditions, PROGRESSING);
  const old = conditionOf(statusOf(deployment), PROGRESSING);
  const isDone =
    countAt(status, "replicas") === countAt(status, "updatedReplicas") && old?.["reason"] === DONE;
  if (isDone) return conditions;
  const who = sets.current ? `ReplicaSet "${nameOf(sets.current)}"` : `Deployment "${nameOf(deployment)}"`;
  if (isComplete(deployment, status)) {
    return withCondition(conditions, progressing("True", DONE, `${who} has successfully progressed.`), nowMs);
  }
  if (hasProgressed(statusOf(deployment), status)) {
    const said = progressing("True", "ReplicaSetUpdated", `${who} is progressing.`);
    // The deadline counts from the last progress, so the condition is renewed each time.
    return [...without(conditions, PROGRESSING), stamped(said, old, nowMs)];
  }
  if (!hasTimedOut(deployment, old, nowMs)) return conditions;
  return withCondition(
    conditions,
    progressing("False", TIMED_OUT, `${who} has timed out progressing.`),
    nowMs,
  );
}

/** All pods match the current template and are available. */
export function isComplete(deployment: KubeObject, status: JsonObject): boolean {
  const wanted = replicasOf(deployment);
  const counts = ["updatedReplicas", "replicas", "availableReplicas"];
  const isSeen = countAt(status, "observedGeneration") >= (deployment.metadata.generation ?? 0);
  return isSeen && counts.every((key) => countAt(status, key) === wanted);
}

function hasProgressed(before: JsonObject, now: JsonObject): boolean {
  const oldPods = (status: JsonObject): number =>
    countAt(status, "replicas") - countAt(status, "updatedReplicas");
  const grew = (key: string): boolean => countAt(now, key) > countAt(before, key);
  return (
    ["updatedReplicas", "readyReplicas", "availableReplicas"].some(grew) || oldPods(now) < oldPods(before)
  );
}

function hasTimedOut(deployment: KubeObject, condition: JsonObject | undefined, nowMs: number): boolean {
  if (!condition || condition["reason"] === DONE) return false;
  if (condition["reason"] === TIMED_OUT) return true;
  return deadlineMs(deployment, condition) < nowMs;
}

const deadlineMs = (deployment: KubeObject, condition: JsonObject): number =>
  Date.parse(textAt(condition, "lastUpdateTime")) + (deadlineSecondsOf(deployment) ?? 0) * 1000;

/** Milliseconds until the progress deadline is checked again. */
export function deadlineInMs(deployment: KubeObject, status: JsonObject, nowMs: number): number | undefined {
  const condition = conditionOf(status, PROGRESSING);
  if (deadlineSecondsOf(deployment) === undefined || !condition || isPaused(deployment)) return undefined;
  if (isComplete(deployment, status) || condition["reason"] === TIMED_OUT) return undefined;
  return Math.max(deadlineMs(deployment, condition) - nowMs, 0) + 1000;
}

/** The ReplicaFailure condition of a set; that of the current template takes precedence. */
function failureOf({ current, old }: Sets): JsonObject | undefined {
  const failures = [...(current ? [current] : []), ...old].map((set) =>
    conditionOf(statusOf(set), "ReplicaFailure"),
  );
  return failures.find((failure) => failure !== undefined);
}

function failedAs(failure: JsonObject, old: JsonObject | undefined): JsonObject {
  const { status, lastTransitionTime, reason, message } = failure;
  if (old && old["status"] === status && old["reason"] === reason) return old;
  return {
    type: "ReplicaFailure",
    status,
    lastUpdateTime: lastTransitionTime,
    lastTransitionTime,
    reason,
    message,
  };
}

export const isSameStatus = (deployment: KubeObject, status: JsonObject): boolean =>
  equalJson(status, statusOf(deployment));

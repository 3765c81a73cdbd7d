// The status of a Job: active pods, counts and conditions. Pure.

import { type JsonObject, objectsAt } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { conditionOf, isConditionTrue } from "../../apimachinery/meta/conditions.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { type Said, without } from "../workloads/conditions.ts";
import { countAt, statusOf } from "../workloads/resources.ts";
import { type JobCounts, limitPerIndex, type Uncounted } from "./counts.ts";
import type { Ending } from "./finish.ts";
import { formatIndexes } from "./index-text.ts";
import { isIndexed, isSuspended } from "./job-pods.ts";

export const isFinished = (job: KubeObject): boolean =>
  isConditionTrue(statusOf(job), "Complete") || isConditionTrue(statusOf(job), "Failed");

/** Sets the condition if its status changes. A new condition with status False is not added. */
function saying(conditions: readonly JsonObject[], said: Said, nowMs: number): JsonObject[] {
  const old = conditions.find(({ type }) => type === said.type);
  if (old ? old["status"] === said.status : said.status === "False") return [...conditions];
  const now = formatTime(nowMs);
  const { type, status, reason, message } = said;
  const fresh = { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
  return old ? conditions.map((item) => (item === old ? fresh : item)) : [...conditions, fresh];
}

/** The start time; undefined while the Job is suspended. A resume sets a new one. */
export function startedAt(job: KubeObject, nowMs: number): string | undefined {
  const { startTime } = statusOf(job);
  if (isSuspended(job)) return startTime === undefined ? undefined : String(startTime);
  const isResumed = isConditionTrue(statusOf(job), "Suspended");
  return startTime === undefined || isResumed ? formatTime(nowMs) : String(startTime);
}

export const suspension = (job: KubeObject): Said =>
  isSuspended(job)
    ? { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }
    : { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" };

export const isNewSuspension = (job: KubeObject): boolean => {
  const was = conditionOf(statusOf(job), "Suspended")?.["status"];
  return isSuspended(job) ? was !== "True" : was === "True";
};

export interface Running {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
}

export interface Progress {
  readonly running: Running;
  readonly counts: JobCounts;
  readonly uncounted: Uncounted;
  readonly ending: Ending | undefined;
  /** The reconcile managed the Job's pods, so the condition Suspended is updated. */
  readonly isManaged: boolean;
  readonly nowMs: number;
}

/** The status while the Job runs, and while ended pods are not counted yet. */
export function progressStatus(job: KubeObject, progress: Progress): JsonObject {
  const { running, counts, uncounted, ending, isManaged, nowMs } = progress;
  const before = statusOf(job);
  let conditions = objectsAt(before, "conditions");
  if (isManaged) conditions = saying(conditions, suspension(job), nowMs);
  if (ending) conditions = saying(conditions, { ...ending, status: "True" }, nowMs);
  const startTime = startedAt(job, nowMs);
  const { active: _active, conditions: _conditions, startTime: _startTime, ...rest } = before;
  return {
    ...rest,
    ...(running.active > 0 ? { active: running.active } : {}),
    ready: running.ready,
    terminating: running.terminating,
    ...(startTime === undefined ? {} : { startTime }),
    ...(conditions.length > 0 ? { conditions } : {}),
    ...(isIndexed(job) ? indexCounts(job, counts) : {}),
    uncountedTerminatedPods: written(uncounted),
  };
}

function indexCounts(job: KubeObject, { succeededIndexes, failedIndexes }: JobCounts): JsonObject {
  const succeeded = succeededIndexes.size;
  return {
    ...(succeeded > 0 ? { succeeded, completedIndexes: formatIndexes(succeededIndexes) } : {}),
    ...(limitPerIndex(job) === undefined ? {} : { failedIndexes: formatIndexes(failedIndexes) }),
  };
}

const written = ({ succeeded, failed }: Uncounted): JsonObject => ({
  ...(succeeded.length > 0 ? { succeeded } : {}),
  ...(failed.length > 0 ? { failed } : {}),
});

/** The status with the pods counted that have no finalizer any more. */
export function countedStatus(job: KubeObject, uncounted: Uncounted, now: Uncounted): JsonObject {
  const before = statusOf(job);
  const rest = (all: readonly string[], done: readonly string[]): string[] => {
    const crossed = new Set(done);
    return all.filter((uid) => !crossed.has(uid));
  };
  const add = (key: string, count: number): JsonObject =>
    count === 0 ? {} : { [key]: countAt(before, key) + count };
  return {
    ...before,
    ...add("succeeded", now.succeeded.length),
    ...add("failed", now.failed.length),
    uncountedTerminatedPods: written({
      succeeded: rest(uncounted.succeeded, now.succeeded),
      failed: rest(uncounted.failed, now.failed),
    }),
  };
}

/** The final status, once all pods have ended and are counted. */
export function finishedStatus(
  before: JsonObject,
  { type, reason, message }: Ending,
  nowMs: number,
): JsonObject {
  const end = type === "FailureTarget" ? "Failed" : "Complete";
  const conditions = saying(
    without(objectsAt(before, "conditions"), end),
    { type: end, status: "True", reason, message },
    nowMs,
  );
  return { ...before, conditions, ...(end === "Complete" ? { completionTime: formatTime(nowMs) } : {}) };
}

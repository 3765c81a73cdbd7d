// The state of a Job: its pods by category, and the succeeded and failed counts including those not yet in the status.
// Pure.
import { numberAt, objectAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { isActive, isPodReady, isTerminating } from "../workloads/pods.ts";
import { countAt, statusOf, uidOf } from "../workloads/resources.ts";
import { isIgnored, verdictOn } from "./failure-policy.ts";
import { readIndexes } from "./index-text.ts";
import {
  failuresBefore,
  finishedMs,
  indexOf,
  isFailed,
  isIndexed,
  isSucceeded,
  isTracked,
} from "./job-pods.ts";

export interface JobCounts {
  readonly active: readonly KubeObject[];
  readonly ready: number;
  readonly terminating: number;
  /** Ended pods with the finalizer that are not counted yet. */
  readonly newSucceeded: readonly KubeObject[];
  readonly newFailed: readonly KubeObject[];
  readonly succeeded: number;
  readonly failed: number;
  /** Only for indexed Jobs. */
  readonly succeededIndexes: ReadonlySet<number>;
  /** Only for Jobs with backoffLimitPerIndex. */
  readonly failedIndexes: ReadonlySet<number>;
  /** By index: the last failed pod of an index that awaits its replacement. The finalizer holds it until then. */
  readonly waiting: ReadonlyMap<number, KubeObject>;
}

export interface Uncounted {
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
}

export function uncountedOf(job: KubeObject): Uncounted {
  const uncounted = objectAt(statusOf(job), "uncountedTerminatedPods");
  return { succeeded: textsAt(uncounted, "succeeded"), failed: textsAt(uncounted, "failed") };
}

export const limitPerIndex = (job: KubeObject): number | undefined =>
  numberAt(specOf(job), "backoffLimitPerIndex");

export function countJob(job: KubeObject, pods: readonly KubeObject[]): JobCounts {
  const status = statusOf(job);
  const uncounted = uncountedOf(job);
  const [wereSucceeded, wereFailed] = [new Set(uncounted.succeeded), new Set(uncounted.failed)];
  const isValid = (pod: KubeObject): boolean =>
    isTracked(pod) && (!isIndexed(job) || indexOf(pod, job) !== undefined);
  const newSucceeded = pods.filter(
    (pod) => isSucceeded(pod) && isValid(pod) && !wereSucceeded.has(uidOf(pod)),
  );
  const newFailed = pods.filter((pod) => isFailed(pod, job) && isValid(pod) && !wereFailed.has(uidOf(pod)));
  const active = pods.filter(isActive);
  const succeededIndexes = readIndexes(isIndexed(job) ? textAt(status, "completedIndexes") : "");
  for (const pod of newSucceeded) succeededIndexes.add(indexOf(pod, job) ?? -1);
  succeededIndexes.delete(-1);
  const failedIndexes = failedOf(job, newFailed);
  const countedFailures = newFailed.filter((pod) => !isIgnored(pod, job)).length;
  return {
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter(isTerminating).length,
    newSucceeded,
    newFailed,
    succeeded: isIndexed(job)
      ? succeededIndexes.size
      : countAt(status, "succeeded") + newSucceeded.length + wereSucceeded.size,
    failed: countAt(status, "failed") + countedFailures + wereFailed.size,
    succeededIndexes,
    failedIndexes,
    waiting: waitingOf(job, { active, newFailed, succeededIndexes, failedIndexes }),
  };
}

/** Indexes that exceed their backoff limit, or whose failure the policy makes final. */
function failedOf(job: KubeObject, newFailed: readonly KubeObject[]): Set<number> {
  const limit = limitPerIndex(job);
  const failed = readIndexes(textAt(statusOf(job), "failedIndexes"));
  if (limit === undefined) return new Set();
  for (const pod of newFailed) {
    const index = indexOf(pod, job);
    const { action } = verdictOn(pod, job);
    const isOver = action === "FailIndex" || (action !== "Ignore" && failuresBefore(pod) >= limit);
    if (index !== undefined && isOver) failed.add(index);
  }
  return failed;
}

function waitingOf(
  job: KubeObject,
  {
    active,
    newFailed,
    succeededIndexes,
    failedIndexes,
  }: Pick<JobCounts, "active" | "newFailed" | "succeededIndexes" | "failedIndexes">,
): Map<number, KubeObject> {
  const waiting = new Map<number, KubeObject>();
  if (limitPerIndex(job) === undefined) return waiting;
  const done = new Set([...succeededIndexes, ...failedIndexes, ...active.map((pod) => indexOf(pod, job))]);
  for (const pod of newFailed) {
    const index = indexOf(pod, job);
    if (index === undefined || done.has(index)) continue;
    const last = waiting.get(index);
    if (!last || finishedMs(last) <= finishedMs(pod)) waiting.set(index, pod);
  }
  return waiting;
}

// Whether a Job ends, and why. Pure.

import { numberAt, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { conditionOf } from "../../apimachinery/meta/conditions.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { stateOf } from "../workloads/pods.ts";
import { countAt, statusOf } from "../workloads/resources.ts";
import { type JobCounts, limitPerIndex } from "./counts.ts";
import { verdictOn } from "./failure-policy.ts";
import { readIndexes } from "./index-text.ts";
import { completionsOf, isFailed, isIndexed, isSuspended, restartsOf } from "./job-pods.ts";

/** How a Job ends: the interim condition, which is set before its pods are gone. */
export interface Ending {
  readonly type: "FailureTarget" | "SuccessCriteriaMet";
  readonly reason: string;
  readonly message: string;
}

const failure = (reason: string, message: string): Ending => ({ type: "FailureTarget", reason, message });

/** The recorded ending, or else the first that applies now. */
export function endingOf(
  job: KubeObject,
  pods: readonly KubeObject[],
  counts: JobCounts,
  nowMs: number,
): Ending | undefined {
  return (
    saidBefore(job) ??
    failureByPolicy(job, pods) ??
    failureByLimit(job, pods, counts) ??
    failureByDeadline(job, nowMs) ??
    failureByIndexes(job, counts) ??
    successByPolicy(job, counts)
  );
}

function saidBefore(job: KubeObject): Ending | undefined {
  for (const type of ["FailureTarget", "SuccessCriteriaMet"] as const) {
    const said = conditionOf(statusOf(job), type);
    if (said?.["status"] !== "True") continue;
    return { type, reason: textAt(said, "reason"), message: textAt(said, "message") };
  }
  return undefined;
}

function failureByPolicy(job: KubeObject, pods: readonly KubeObject[]): Ending | undefined {
  if (objectAt(specOf(job), "podFailurePolicy") === undefined) return undefined;
  for (const pod of pods) {
    const { action, message } = isFailed(pod, job) ? verdictOn(pod, job) : { action: "Count", message: "" };
    if (action === "FailJob") return failure("PodFailurePolicy", message);
  }
  return undefined;
}

function failureByLimit(
  job: KubeObject,
  pods: readonly KubeObject[],
  { failed }: JobCounts,
): Ending | undefined {
  const limit = countAt(specOf(job), "backoffLimit");
  if (failed <= limit && !hasRestarted(job, pods, limit)) return undefined;
  return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
}

/** With restartPolicy OnFailure the container restarts count against the limit. */
function hasRestarted(job: KubeObject, pods: readonly KubeObject[], limit: number): boolean {
  const policy = textAt(objectAt(objectAt(specOf(job), "template"), "spec"), "restartPolicy");
  if (policy !== "OnFailure") return false;
  const restarts = pods
    .filter((pod) => ["Running", "Pending"].includes(stateOf(pod).phase))
    .reduce((sum, pod) => sum + restartsOf(pod), 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function failureByDeadline(job: KubeObject, nowMs: number): Ending | undefined {
  const left = deadlineInMs(job, nowMs);
  if (left === undefined || left > 0) return undefined;
  return failure("DeadlineExceeded", "Job was active longer than specified deadline");
}

/** How long the Job may still run; undefined: without limit. */
export function deadlineInMs(job: KubeObject, nowMs: number): number | undefined {
  const seconds = numberAt(specOf(job), "activeDeadlineSeconds");
  const started = Date.parse(textAt(statusOf(job), "startTime"));
  if (seconds === undefined || isSuspended(job) || Number.isNaN(started)) return undefined;
  return started + seconds * 1000 - nowMs;
}

function failureByIndexes(
  job: KubeObject,
  { failedIndexes, succeededIndexes }: JobCounts,
): Ending | undefined {
  if (!isIndexed(job) || limitPerIndex(job) === undefined) return undefined;
  const most = numberAt(specOf(job), "maxFailedIndexes");
  if (most !== undefined && failedIndexes.size > most) {
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return failure("MaxFailedIndexesExceeded", message);
  }
  const isDone = failedIndexes.size + succeededIndexes.size >= (completionsOf(job) ?? 0);
  return failedIndexes.size > 0 && isDone ? failure("FailedIndexes", "Job has failed indexes") : undefined;
}

function successByPolicy(job: KubeObject, { succeededIndexes }: JobCounts): Ending | undefined {
  const rules = objectsAt(objectAt(specOf(job), "successPolicy"), "rules");
  const met = rules.findIndex((rule) => {
    const wanted = rule["succeededIndexes"];
    const count = numberAt(rule, "succeededCount");
    if (typeof wanted !== "string") return count !== undefined && succeededIndexes.size >= count;
    const indexes = readIndexes(wanted);
    const done = [...indexes].filter((index) => succeededIndexes.has(index)).length;
    return done >= (count ?? indexes.size);
  });
  if (met < 0) return undefined;
  return { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message: `Matched rules at index ${met}` };
}

/** The ending when enough pods have succeeded and none is active. */
export function completionOf(job: KubeObject, succeeded: number, active: number): Ending | undefined {
  const completions = completionsOf(job);
  const isDone = active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
  if (!isDone) return undefined;
  const message = "Reached expected number of succeeded pods";
  return { type: "SuccessCriteriaMet", reason: "CompletionsReached", message };
}

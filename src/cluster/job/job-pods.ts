// The pods of a Job and the fields that the Job reads from them: index, failure and end time. A finalizer holds a pod
// until it is counted.
import { numberAt, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { greatest } from "../../apimachinery/meta/lists.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { hasFinalizer } from "../../controller/api.ts";
import { stateOf } from "../workloads/pods.ts";
import { countAt, nameOf, statusOf } from "../workloads/resources.ts";

const PREFIX = "batch.kubernetes.io/";
export const TRACKING = `${PREFIX}job-tracking`;
export const INDEX = `${PREFIX}job-completion-index`;
export const FAILURES = `${PREFIX}job-index-failure-count`;
export const IGNORED_FAILURES = `${PREFIX}job-index-ignored-failure-count`;

export const isTracked = (pod: KubeObject): boolean => hasFinalizer(pod, TRACKING);

export const isIndexed = (job: KubeObject): boolean => textAt(specOf(job), "completionMode") === "Indexed";

export const completionsOf = (job: KubeObject): number | undefined => numberAt(specOf(job), "completions");

export const isSuspended = (job: KubeObject): boolean => specOf(job)["suspend"] === true;

/** True: terminating pods are replaced only after they have ended. */
export const replacesFailedOnly = (job: KubeObject): boolean =>
  textAt(specOf(job), "podReplacementPolicy") === "Failed";

/** The completion index of the pod; undefined if it is not one of the Job. */
export function indexOf(pod: KubeObject, job: KubeObject): number | undefined {
  const text = pod.metadata.annotations?.[INDEX] ?? "";
  const index = Number(text);
  return /^\d+$/.test(text) && index < (completionsOf(job) ?? 0) ? index : undefined;
}

/** A terminating pod counts as failed at once, unless the Job waits for its end. */
export function isFailed(pod: KubeObject, job: KubeObject): boolean {
  const { phase, isGoing } = stateOf(pod);
  return phase === "Failed" || (!replacesFailedOnly(job) && isGoing && phase !== "Succeeded");
}

export const isSucceeded = (pod: KubeObject): boolean => stateOf(pod).phase === "Succeeded";

const counted = (pod: KubeObject, key: string): number => {
  const count = Number(pod.metadata.annotations?.[key] ?? "0");
  return Number.isInteger(count) && count > 0 ? count : 0;
};

/** How often its index had failed when the pod was created. */
export const failuresBefore = (pod: KubeObject): number => counted(pod, FAILURES);
export const ignoredFailuresBefore = (pod: KubeObject): number => counted(pod, IGNORED_FAILURES);

/** The end time of its last container, or the best known approximation. */
export function finishedMs(pod: KubeObject): number {
  const ended = objectsAt(statusOf(pod), "containerStatuses").map((status) =>
    Date.parse(textAt(objectAt(objectAt(status, "state"), "terminated"), "finishedAt")),
  );
  if (ended.length > 0 && !ended.some(Number.isNaN)) return greatest(ended, 0);
  const { isReady, readySinceMs } = stateOf(pod);
  if (!isReady && !Number.isNaN(readySinceMs)) return readySinceMs;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata;
  if (deletionTimestamp) return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return Date.parse(creationTimestamp ?? "");
}

/** The total restarts of the pod's containers. */
export const restartsOf = (pod: KubeObject): number =>
  ["initContainerStatuses", "containerStatuses"]
    .flatMap((key) => objectsAt(statusOf(pod), key))
    .reduce((sum, status) => sum + countAt(status, "restartCount"), 0);

export const placeOfPod = (pod: KubeObject): string => `${pod.metadata.namespace ?? ""}/${nameOf(pod)}`;

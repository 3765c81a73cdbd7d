// Counts each ended pod in the Job's status exactly once, even across interruptions. First the uids are recorded as
// uncounted. Then the finalizers are removed. Last the pods are counted and their uids dropped. Pure.
//
//   status.uncountedTerminatedPods.succeeded: [x]   pod x has the finalizer   first
//   status.uncountedTerminatedPods.succeeded: [x]   pod x is released         then
//   status.succeeded: 1                             pod x is released         last
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { isGoing } from "../../controller/api.ts";
import { uidOf } from "../workloads/resources.ts";
import { type JobCounts, type Uncounted, uncountedOf } from "./counts.ts";
import { isIgnored } from "./failure-policy.ts";
import { indexOf, isFailed, isIndexed, isSucceeded, isTracked } from "./job-pods.ts";

/** The limit of uncounted uids in the status. */
const UNCOUNTED_MAX = 500;

export interface Tracking {
  /** Pods whose finalizer is removed once the status records them. */
  readonly letGo: readonly KubeObject[];
  readonly uncounted: Uncounted;
  readonly isMore: boolean;
}

export function planTracking(job: KubeObject, pods: readonly KubeObject[], { waiting }: JobCounts): Tracking {
  const before = uncountedOf(job);
  const [succeeded, failed] = [new Set(before.succeeded), new Set(before.failed)];
  const isJobGoing = isGoing(job);
  const held = new Set([...waiting.values()].map(uidOf));
  const letGo: KubeObject[] = [];
  let isMore = false;
  for (const pod of pods.filter(isTracked)) {
    const hasFailed = isFailed(pod, job);
    if (!isJobGoing && !hasFailed && !isSucceeded(pod)) continue;
    if (!isJobGoing && held.has(uidOf(pod))) continue;
    if (succeeded.size + failed.size >= UNCOUNTED_MAX) {
      isMore = true;
      break;
    }
    letGo.push(pod);
    const hasIndex = !isIndexed(job) || indexOf(pod, job) !== undefined;
    if (isSucceeded(pod) && !failed.has(uidOf(pod))) {
      // For an indexed Job, completedIndexes already shows whether it was counted.
      if (!isIndexed(job)) succeeded.add(uidOf(pod));
    } else if (hasFailed && hasIndex && !isIgnored(pod, job)) failed.add(uidOf(pod));
  }
  return { letGo, uncounted: { succeeded: [...succeeded], failed: [...failed] }, isMore };
}

/** The uids of pods without a finalizer: these can be counted. */
export function countable(uncounted: Uncounted, pods: readonly KubeObject[]): Uncounted {
  const held = new Set(pods.filter(isTracked).map(uidOf));
  const free = (uids: readonly string[]): string[] => uids.filter((uid) => !held.has(uid));
  return { succeeded: free(uncounted.succeeded), failed: free(uncounted.failed) };
}

// How ended pods get into the counts of a Job's status, each once, whatever is interrupted: their uids are written down as
// uncounted, then their finalizers are taken off, and then they are counted and crossed out. Pure.
//
//   status.uncountedTerminatedPods.succeeded: [x]   pod x held        written first
//   status.uncountedTerminatedPods.succeeded: [x]   pod x let go      then
//   status.succeeded: 1                             pod x let go      last
import type { KubeObject } from "../../meta/object-meta.ts";
import { isGoing } from "../kit/api.ts";
import { uidOf } from "../workloads/resources.ts";
import { type JobCounts, type Uncounted, uncountedOf } from "./counts.ts";
import { isIgnored } from "./failure-policy.ts";
import { indexOf, isFailed, isIndexed, isSucceeded, isTracked } from "./job-pods.ts";

/** So many uids are written down at a time. */
const UNCOUNTED_MAX = 500;

export interface Tracking {
  /** Let go once the status says what became of them. */
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
      // Of an indexed Job the index tells whether it was counted.
      if (!isIndexed(job)) succeeded.add(uidOf(pod));
    } else if (hasFailed && hasIndex && !isIgnored(pod, job)) failed.add(uidOf(pod));
  }
  return { letGo, uncounted: { succeeded: [...succeeded], failed: [...failed] }, isMore };
}

/** The uids of pods that nobody holds any more: they can be counted. */
export function countable(uncounted: Uncounted, pods: readonly KubeObject[]): Uncounted {
  const held = new Set(pods.filter(isTracked).map(uidOf));
  const free = (uids: readonly string[]): string[] => uids.filter((uid) => !held.has(uid));
  return { succeeded: free(uncounted.succeeded), failed: free(uncounted.failed) };
}

// Plans which pods of a Job are created and deleted. It keeps `parallelism` pods running until enough have succeeded.
// Failures cause an exponential backoff. Pure.
import { cloneJson, type JsonObject, numberAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { greatest, smallest } from "../../apimachinery/meta/lists.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { podFrom } from "../workloads/pod-control.ts";
import { isTerminating } from "../workloads/pods.ts";
import { activePodsFirst } from "../workloads/ranking.ts";
import { nameOf, ownerReference, templateOf } from "../workloads/resources.ts";
import { type JobCounts, limitPerIndex } from "./counts.ts";
import { isIgnored } from "./failure-policy.ts";
import {
  completionsOf,
  FAILURES,
  failuresBefore,
  finishedMs,
  IGNORED_FAILURES,
  INDEX,
  ignoredFailuresBefore,
  indexOf,
  isFailed,
  isIndexed,
  isSucceeded,
  isSuspended,
  replacesFailedOnly,
  TRACKING,
} from "./job-pods.ts";

export const KIND = { apiVersion: "batch/v1", kind: "Job" };
/** The limit of creations or deletions in one reconcile. */
const BURST = 500;
const BACKOFF_MS = 10_000;
const BACKOFF_MS_MAX = 600_000;

export interface PodPlan {
  readonly create: readonly KubeObject[];
  readonly remove: readonly KubeObject[];
  /** The delay until more pods can be created. */
  readonly againInMs?: number;
}

export function planJobPods(
  job: KubeObject,
  pods: readonly KubeObject[],
  counts: JobCounts,
  nowMs: number,
): PodPlan {
  const { active } = counts;
  if (isSuspended(job)) return { create: [], remove: active.slice(0, BURST) };
  const wanted = wantedActive(job, counts);
  const remove = surplusOf(job, active, Math.max(active.length - wanted, 0)).slice(0, BURST);
  if (remove.length > 0) return { create: [], remove };
  const ending = replacesFailedOnly(job) ? counts.terminating : 0;
  const missing = wanted - ending - active.length;
  if (missing <= 0) return { create: [], remove };
  return isIndexed(job)
    ? planIndexes(job, pods, counts, Math.min(missing, BURST), nowMs)
    : planPlain(job, pods, missing, nowMs);
}

function wantedActive(job: KubeObject, { active, succeeded, failedIndexes }: JobCounts): number {
  const parallelism = numberAt(specOf(job), "parallelism") ?? 1;
  const completions = completionsOf(job);
  // A Job without completions is a work queue: after the first success no new pods are started.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(Math.min(completions - succeeded - failedIndexes.size, parallelism), 0);
}

/** Pods of a duplicate index are deleted first. */
function surplusOf(job: KubeObject, active: readonly KubeObject[], least: number): KubeObject[] {
  const doubled: KubeObject[] = [];
  const left: KubeObject[] = [];
  const taken = new Set<number>();
  for (const pod of isIndexed(job) ? activePodsFirst(active).toReversed() : active) {
    const index = isIndexed(job) ? indexOf(pod, job) : -2;
    if (index === undefined || taken.has(index)) doubled.push(pod);
    else {
      if (index >= 0) taken.add(index);
      left.push(pod);
    }
  }
  const more = Math.max(least - doubled.length, 0);
  return more === 0 ? doubled : [...doubled, ...activePodsFirst(left).slice(0, more)];
}

function planPlain(job: KubeObject, pods: readonly KubeObject[], missing: number, nowMs: number): PodPlan {
  const waitMs = backoffMs(job, pods, nowMs);
  if (waitMs > 0) return { create: [], remove: [], againInMs: waitMs };
  const pod = podFrom(templateOf(job), job, ownerReference(job, KIND));
  const metadata = { ...pod.metadata, finalizers: withTracking(pod) };
  const create = Array.from({ length: Math.min(missing, BURST) }, () => ({ ...pod, metadata }));
  return { create, remove: [], ...(missing > BURST ? { againInMs: 0 } : {}) };
}

const withTracking = (pod: KubeObject): string[] => [
  ...new Set([...(pod.metadata.finalizers ?? []), TRACKING]),
];

/** The remaining backoff after the failures since the last success. */
function backoffMs(job: KubeObject, pods: readonly KubeObject[], nowMs: number): number {
  const lastSuccess = greatest(pods.filter(isSucceeded).map(finishedMs), 0);
  const failures = pods
    .filter((pod) => isFailed(pod, job))
    .map(finishedMs)
    .filter((ms) => ms > lastSuccess);
  return waitAfter(failures.length, greatest(failures, 0), nowMs);
}

function waitAfter(failures: number, lastMs: number, nowMs: number): number {
  if (failures === 0) return 0;
  return Math.max(lastMs + Math.min(BACKOFF_MS * 2 ** (failures - 1), BACKOFF_MS_MAX) - nowMs, 0);
}

/** The lowest indexes without a pod. */
function planIndexes(
  job: KubeObject,
  pods: readonly KubeObject[],
  { active, succeededIndexes, failedIndexes, waiting }: JobCounts,
  most: number,
  nowMs: number,
): PodPlan {
  const isPerIndex = limitPerIndex(job) !== undefined;
  const waitMs = isPerIndex ? 0 : backoffMs(job, pods, nowMs);
  if (waitMs > 0) return { create: [], remove: [], againInMs: waitMs };
  const held = replacesFailedOnly(job) ? [...active, ...pods.filter(isTerminating)] : active;
  const taken = new Set([...held.map((pod) => indexOf(pod, job)), ...succeededIndexes, ...failedIndexes]);
  const create: KubeObject[] = [];
  const waits: number[] = [];
  for (let index = 0; index < (completionsOf(job) ?? 0) && create.length < most; index++) {
    if (taken.has(index)) continue;
    const last = isPerIndex ? waiting.get(index) : undefined;
    const failures = last ? failuresBefore(last) + ignoredFailuresBefore(last) + 1 : 0;
    const pauseMs = last ? waitAfter(failures, finishedMs(last), nowMs) : 0;
    if (pauseMs > 0) waits.push(pauseMs);
    else create.push(indexedPod(job, index, isPerIndex ? failureCounts(job, last) : {}));
  }
  if (waits.length === 0) return { create, remove: [] };
  return { create, remove: [], againInMs: smallest(waits, BACKOFF_MS_MAX) };
}

/** The failure count of the index, which its next pod carries as annotations. */
function failureCounts(job: KubeObject, last: KubeObject | undefined): Record<string, string> {
  const isIgnoredOne = last !== undefined && isIgnored(last, job);
  const failures = last ? failuresBefore(last) + (isIgnoredOne ? 0 : 1) : 0;
  const ignored = last ? ignoredFailuresBefore(last) + (isIgnoredOne ? 1 : 0) : 0;
  return { [FAILURES]: String(failures), ...(ignored > 0 ? { [IGNORED_FAILURES]: String(ignored) } : {}) };
}

function indexedPod(job: KubeObject, index: number, annotations: Record<string, string>): KubeObject {
  const pod = podFrom(templateOf(job), job, ownerReference(job, KIND));
  const spec = cloneJson(specOf(pod));
  for (const key of ["initContainers", "containers"])
    for (const item of objectsAt(spec, key)) addVariable(item);
  const metadata = {
    ...pod.metadata,
    generateName: `${nameOf(job)}-${index}-`,
    labels: { ...pod.metadata.labels, [INDEX]: String(index) },
    annotations: { ...pod.metadata.annotations, ...annotations, [INDEX]: String(index) },
    finalizers: withTracking(pod),
  };
  const hostname = textAt(spec, "hostname") || `${nameOf(job)}-${index}`;
  return { ...pod, metadata, spec: { ...spec, hostname } };
}

const VARIABLE = "JOB_COMPLETION_INDEX";

/** A variable that the template already defines is kept. */
function addVariable(container: JsonObject): void {
  const variables = objectsAt(container, "env");
  if (variables.some(({ name }) => name === VARIABLE)) return;
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } };
  container["env"] = [...variables, { name: VARIABLE, valueFrom }];
}

// The state of pods that workload controllers use: active, ready, and available.

import { type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { conditionOf } from "../../apimachinery/meta/conditions.ts";
import { greatest, smallest } from "../../apimachinery/meta/lists.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import { isReady, type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { isGoing } from "../../controller/api.ts";
import { countAt, statusOf } from "./resources.ts";

/** Memoized per pod object: each change yields a new one. */
export interface PodState {
  readonly phase: string;
  readonly isReady: boolean;
  /** The last transition of its condition Ready; NaN if unknown. */
  readonly readySinceMs: number;
  readonly nodeName: string;
  readonly isGoing: boolean;
}

export const stateOf = memoize((pod: KubeObject): PodState => {
  const status = statusOf(pod);
  const ready = conditionOf(status, "Ready");
  return {
    phase: textAt(status, "phase"),
    isReady: isReady(pod),
    readySinceMs: Date.parse(textAt(ready, "lastTransitionTime")),
    nodeName: textAt(specOf(pod), "nodeName"),
    isGoing: isGoing(pod),
  };
});

export const isTerminal = (pod: KubeObject): boolean => ["Succeeded", "Failed"].includes(stateOf(pod).phase);

/** Neither ended nor under deletion. */
export const isActive = (pod: KubeObject): boolean => !isTerminal(pod) && !stateOf(pod).isGoing;

/** Under deletion and not ended. */
export const isTerminating = (pod: KubeObject): boolean => !isTerminal(pod) && stateOf(pod).isGoing;

export const isPodReady = (pod: KubeObject): boolean => stateOf(pod).isReady;

/** Ready for at least minReadySeconds. */
export function isAvailable(pod: KubeObject, minReadySeconds: number, nowMs: number): boolean {
  const { isReady: ready, readySinceMs } = stateOf(pod);
  if (!ready) return false;
  return minReadySeconds === 0 || readySinceMs + minReadySeconds * 1000 <= nowMs;
}

/** Milliseconds until the next pod has been ready for minReadySeconds. */
export function nextAvailableInMs(
  pods: readonly KubeObject[],
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  if (minReadySeconds === 0) return undefined;
  const waits = pods
    .filter((pod) => isPodReady(pod) && !isAvailable(pod, minReadySeconds, nowMs))
    .map((pod) => stateOf(pod).readySinceMs + minReadySeconds * 1000 - nowMs)
    .filter((ms) => !Number.isNaN(ms));
  return waits.length === 0 ? undefined : smallest(waits, Number.POSITIVE_INFINITY);
}

/** The fields of a pod that can affect its controller. */
export const podFacts = (pod: KubeObject): unknown => {
  const { labels, ownerReferences, deletionTimestamp, finalizers } = pod.metadata;
  const { phase, isReady: ready, readySinceMs, nodeName } = stateOf(pod);
  const since = Number.isNaN(readySinceMs) ? "" : readySinceMs;
  return [labels, ownerReferences, deletionTimestamp, finalizers, phase, ready, since, nodeName];
};

/** The highest restart count of the pod's containers; that of sidecars is determined separately. */
export const restartsOf = memoize((pod: KubeObject) => {
  const most = (statuses: readonly JsonObject[]): number =>
    greatest(
      statuses.map((status) => countAt(status, "restartCount")),
      0,
    );
  const sidecars = new Set(
    objectsAt(specOf(pod), "initContainers")
      .filter(({ restartPolicy }) => restartPolicy === "Always")
      .map(({ name }) => name),
  );
  const status = statusOf(pod);
  const ofSidecars = objectsAt(status, "initContainerStatuses").filter(({ name }) => sidecars.has(name));
  return { regular: most(objectsAt(status, "containerStatuses")), sidecars: most(ofSidecars) };
});

export const minReadySecondsOf = (owner: KubeObject): number => countAt(specOf(owner), "minReadySeconds");

/** The node that the pod is bound to, or the target in its node affinity by name. */
export function targetNodeOf(pod: KubeObject): string {
  const { nodeName } = stateOf(pod);
  if (nodeName !== "") return nodeName;
  const affinity = objectAt(objectAt(specOf(pod), "affinity"), "nodeAffinity");
  const required = objectAt(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  for (const term of objectsAt(required, "nodeSelectorTerms")) {
    for (const { key, operator, values } of objectsAt(term, "matchFields")) {
      const isOne =
        key === "metadata.name" && operator === "In" && Array.isArray(values) && values.length === 1;
      if (isOne) return String(values[0]);
    }
  }
  return "";
}

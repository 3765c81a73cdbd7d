// Pods as workloads see them: which of them count, which are ready, and for long enough.
import { conditionOf } from "../../meta/conditions.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { greatest, smallest } from "../../meta/lists.ts";
import { isReady, type KubeObject, specOf } from "../../meta/object-meta.ts";
import { oncePer } from "../../meta/once-per.ts";
import { isGoing } from "../kit/api.ts";
import { countAt, statusOf } from "./resources.ts";

/** A pod is another object with every change, so this is read once for each. */
export interface PodState {
  readonly phase: string;
  readonly isReady: boolean;
  /** Since when its condition Ready is as it is; NaN where that is not said. */
  readonly readySinceMs: number;
  readonly nodeName: string;
  readonly isGoing: boolean;
}

export const stateOf = oncePer((pod: KubeObject): PodState => {
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

/** It has not ended, and nobody has asked it to. */
export const isActive = (pod: KubeObject): boolean => !isTerminal(pod) && !stateOf(pod).isGoing;

/** It was asked to end, and has not. */
export const isTerminating = (pod: KubeObject): boolean => !isTerminal(pod) && stateOf(pod).isGoing;

export const isPodReady = (pod: KubeObject): boolean => stateOf(pod).isReady;

/** It has been ready for so long. */
export function isAvailable(pod: KubeObject, minReadySeconds: number, nowMs: number): boolean {
  const { isReady: ready, readySinceMs } = stateOf(pod);
  if (!ready) return false;
  return minReadySeconds === 0 || readySinceMs + minReadySeconds * 1000 <= nowMs;
}

/** In how many milliseconds the next of the pods has been ready for long enough. */
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

/** What of a pod can matter to who has made it. */
export const podFacts = (pod: KubeObject): unknown => {
  const { labels, ownerReferences, deletionTimestamp, finalizers } = pod.metadata;
  const { phase, isReady: ready, readySinceMs, nodeName } = stateOf(pod);
  const since = Number.isNaN(readySinceMs) ? "" : readySinceMs;
  return [labels, ownerReferences, deletionTimestamp, finalizers, phase, ready, since, nodeName];
};

/** The pod's containers have started anew so often, at most; sidecars apart from others. */
export const restartsOf = oncePer((pod: KubeObject) => {
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

/** The node that it is on, or is to come to by the name in its affinity. */
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

// The deletion order of surplus pods: least useful first, then those that share a node with the most related pods. Ages
// are compared on a logarithmic scale.

import { memoize } from "../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { restartsOf, stateOf } from "./pods.ts";
import { uidOf } from "./resources.ts";

const PHASES = ["Pending", "Unknown", "Running"];
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
const NANOSECONDS = 1_000_000;

/** The pods in deletion order. Pods of related sets count for the number per node. */
export function rankForDeletion(
  pods: readonly KubeObject[],
  related: readonly KubeObject[],
  nowMs: number,
): KubeObject[] {
  const onNode = new Map<string, number>();
  for (const pod of related) {
    const { nodeName } = stateOf(pod);
    onNode.set(nodeName, (onNode.get(nodeName) ?? 0) + 1);
  }
  const rankOf = (pod: KubeObject): number => onNode.get(stateOf(pod).nodeName) ?? 0;
  return [...pods].sort(
    (a, b) => byUse(a, b) || costOf(a) - costOf(b) || rankOf(b) - rankOf(a) || byTimes(a, b, nowMs),
  );
}

/** The variant for Jobs, without deletion costs, nodes and the logarithmic age scale. */
export const activePodsFirst = (pods: readonly KubeObject[]): KubeObject[] =>
  [...pods].sort(
    (a, b) =>
      byUse(a, b) ||
      newerFirst(readyMs(a), readyMs(b)) ||
      byRestarts(a, b) ||
      newerFirst(createdMs(a), createdMs(b)),
  );

/** Unassigned pods first, then pending ones, then those that are not ready. */
function byUse(a: KubeObject, b: KubeObject): number {
  const [first, second] = [stateOf(a), stateOf(b)];
  const [here, there] = [first.nodeName === "", second.nodeName === ""];
  if (here !== there) return here ? -1 : 1;
  const phases = PHASES.indexOf(first.phase) - PHASES.indexOf(second.phase);
  return phases || Number(first.isReady) - Number(second.isReady);
}

const costOf = memoize(({ metadata }: KubeObject): number => {
  const text = metadata.annotations?.[DELETION_COST] ?? "";
  if (!/^(?:0|-?[1-9]\d*)$/.test(text)) return 0;
  const cost = Number(text);
  return Math.abs(cost) < 2 ** 31 ? cost : 0;
});

function byTimes(a: KubeObject, b: KubeObject, nowMs: number): number {
  const [readyA, readyB] = [readyMs(a), readyMs(b)];
  if (stateOf(a).isReady && readyA !== readyB) return byScale(a, b, [readyA, readyB], nowMs);
  const restarts = byRestarts(a, b);
  if (restarts !== 0) return restarts;
  const [madeA, madeB] = [createdMs(a), createdMs(b)];
  return madeA === madeB ? 0 : byScale(a, b, [madeA, madeB], nowMs);
}

/** Ages within the same power of 2 are equal; the uid then decides, which is random. */
function byScale(a: KubeObject, b: KubeObject, [first, second]: [number, number], nowMs: number): number {
  if (first === 0 || second === 0) return newerFirst(first, second);
  return scaleOf(nowMs - first) - scaleOf(nowMs - second) || (uidOf(a) < uidOf(b) ? -1 : 1);
}

const scaleOf = (ageMs: number): number => (ageMs > 0 ? Math.floor(Math.log2(ageMs * NANOSECONDS)) : -1);

/** Pods without a time come first, then the newer ones. */
function newerFirst(a: number, b: number): number {
  if (a === b) return 0;
  if (a === 0 || b === 0) return a === 0 ? -1 : 1;
  return b - a;
}

function byRestarts(a: KubeObject, b: KubeObject): number {
  const [first, second] = [restartsOf(a), restartsOf(b)];
  return second.regular - first.regular || second.sidecars - first.sidecars;
}

/** The time of readiness in milliseconds; 0 if the pod is not ready. */
function readyMs(pod: KubeObject): number {
  const { isReady, readySinceMs } = stateOf(pod);
  return isReady && !Number.isNaN(readySinceMs) ? readySinceMs : 0;
}

const createdMs = ({ metadata }: KubeObject): number => Date.parse(metadata.creationTimestamp ?? "") || 0;

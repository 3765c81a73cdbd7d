// Plans the replicas of each ReplicaSet of a Deployment. Each function returns only the changes, as [set, replicas].
// The caller writes the annotations and Events. Pure.
import { byAge, type KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { countAt, replicasOf, statusOf } from "../workloads/resources.ts";
import {
  allOf,
  byNewest,
  bySizeThenAge,
  desiredOf,
  isRolling,
  maxOf,
  maxSurgeOf,
  maxUnavailableOf,
  replicasOfCurrent,
  type Sets,
  wantedBy,
} from "./replica-sets.ts";

export type Resize = readonly [set: KubeObject, replicas: number];

const availableOf = (set: KubeObject): number => countAt(statusOf(set), "availableReplicas");
const active = (sets: readonly KubeObject[]): KubeObject[] => sets.filter((set) => replicasOf(set) > 0);

/** The replicas of the Deployment have changed since its sets were last sized. */
export const isScaled = (deployment: KubeObject, sets: readonly KubeObject[]): boolean =>
  active(sets).some((set) => {
    const desired = desiredOf(set);
    return desired !== undefined && desired !== replicasOf(deployment);
  });

/** Proportional scaling of all sets with pods, when the Deployment is resized or paused. */
export function planProportions(deployment: KubeObject, sets: Sets): Resize[] {
  const wanted = replicasOf(deployment);
  const only = activeOrLatest(sets);
  if (only) return replicasOf(only) === wanted ? [] : [[only, wanted]];
  if (isSaturated(deployment, sets.current)) return active(sets.old).map((set) => [set, 0]);
  return isRolling(deployment) ? planShares(deployment, active(allOf(sets))) : [];
}

/** The only set with pods. If none has pods, the newest set. */
function activeOrLatest({ current, old }: Sets): KubeObject | undefined {
  const running = active(allOf({ current, old }));
  if (running.length === 0) return current ?? [...old].sort(byNewest)[0];
  return running.length === 1 ? running[0] : undefined;
}

/** The rollout is complete. */
function isSaturated(deployment: KubeObject, current: KubeObject | undefined): boolean {
  const wanted = replicasOf(deployment);
  if (!current) return false;
  return [replicasOf(current), desiredOf(current), availableOf(current)].every((count) => count === wanted);
}

/**
 * Scales each set by its share of the total. The rounding remainder goes to the largest. All sets are returned, so that
 * their annotations are updated.
 */
function planShares(deployment: KubeObject, sets: readonly KubeObject[]): Resize[] {
  const wanted = replicasOf(deployment);
  const allowed = wanted > 0 ? wanted + maxSurgeOf(deployment) : 0;
  const toAdd = allowed - wantedBy(sets);
  let added = 0;
  const sorted = toAdd === 0 ? sets : [...sets].sort(bySizeThenAge(toAdd > 0));
  const sizes = sorted.map((set): [KubeObject, number] => {
    const share = toAdd === 0 ? 0 : shareOf(set, deployment, toAdd, added);
    added += share;
    return [set, replicasOf(set) + share];
  });
  const [largest] = sizes;
  if (largest && toAdd !== 0) largest[1] = Math.max(largest[1] + toAdd - added, 0);
  return sizes;
}

function shareOf(set: KubeObject, deployment: KubeObject, toAdd: number, added: number): number {
  if (replicasOf(set) === 0 || toAdd === added) return 0;
  const fraction = fractionOf(set, deployment);
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added);
}

function fractionOf(set: KubeObject, deployment: KubeObject): number {
  const wanted = replicasOf(deployment);
  const has = replicasOf(set);
  if (wanted === 0) return -has;
  const before = maxOf(set) || countAt(statusOf(deployment), "replicas");
  if (before === 0) return 0;
  return roundAway((has * (wanted + maxSurgeOf(deployment))) / before) - has;
}

/** Halves are rounded away from 0. */
const roundAway = (value: number): number => (value < 0 ? Math.ceil(value - 0.5) : Math.floor(value + 0.5));

/** One step of a rolling update: the new set grows first. If it cannot, the old sets shrink. */
export function planRollingStep(deployment: KubeObject, { current, old }: Sets): Resize[] {
  if (!current) return [];
  const all = allOf({ current, old });
  const [has, wanted] = [replicasOf(current), replicasOf(deployment)];
  const grown = has > wanted ? wanted : has === wanted ? has : replicasOfCurrent(deployment, all, has);
  if (grown !== has) return [[current, grown]];
  return planShrinking(deployment, current, old);
}

function planShrinking(deployment: KubeObject, current: KubeObject, old: readonly KubeObject[]): Resize[] {
  const running = active(old);
  const minAvailable = replicasOf(deployment) - maxUnavailableOf(deployment);
  const unavailable = replicasOf(current) - availableOf(current);
  const all = [...old, current];
  const most = wantedBy(all) - minAvailable - unavailable;
  if (wantedBy(running) === 0 || most <= 0) return [];
  const sizes = new Map(running.map((set) => [set, replicasOf(set)]));
  const take = (set: KubeObject, count: number): void => void sizes.set(set, (sizes.get(set) ?? 0) - count);
  let cleaned = 0;
  const oldestFirst = [...running].sort(byAge);
  // Unavailable pods are removed first: that loses no availability.
  for (const set of oldestFirst) {
    const count = Math.min(most - cleaned, Math.max(replicasOf(set) - availableOf(set), 0));
    take(set, count);
    cleaned += count;
  }
  let spare = all.reduce((sum, set) => sum + availableOf(set), 0) - minAvailable;
  for (const set of oldestFirst) {
    const count = Math.min(sizes.get(set) ?? 0, Math.max(spare, 0));
    take(set, count);
    spare -= count;
  }
  return [...sizes].filter(([set, size]) => size !== replicasOf(set));
}

/** Scales all old sets to 0 before the new set gets any pods. */
export const planRecreation = (old: readonly KubeObject[]): Resize[] => active(old).map((set) => [set, 0]);

/** The sum of a status field over the sets. */
export const sumOf = (sets: readonly KubeObject[], key: string): number =>
  sets.reduce((sum, set) => sum + countAt(statusOf(set), key), 0);

// The ReplicaSets of a Deployment: the one of the current template, their annotations, and the pod limits of the
// strategy. Pure.
import { type JsonObject, numberAt, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { greatest } from "../../apimachinery/meta/lists.ts";
import { byAge, type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { isGoing } from "../../controller/api.ts";
import {
  countAt,
  equalTemplates,
  labelsOf,
  nameOf,
  replicasOf,
  scaledValue,
  statusOf,
  templateOf,
} from "../workloads/resources.ts";

export const REVISION = "deployment.kubernetes.io/revision";
export const HISTORY = "deployment.kubernetes.io/revision-history";
export const DESIRED = "deployment.kubernetes.io/desired-replicas";
export const MAX = "deployment.kubernetes.io/max-replicas";
export const HASH_LABEL = "pod-template-hash";

/** Annotations of the Deployment that are not copied to its ReplicaSets. */
const NOT_COPIED = [
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  HISTORY,
  DESIRED,
  MAX,
  "deprecated.deployment.rollback.to",
];
const HISTORY_LENGTH_MAX = 2000;
const INT32_MAX = 2 ** 31 - 1;

/** The ReplicaSets of a Deployment by role. */
export interface Sets {
  /** The ReplicaSet of the current template. */
  readonly current: KubeObject | undefined;
  readonly old: readonly KubeObject[];
}

export const allOf = ({ current, old }: Sets): readonly KubeObject[] => (current ? [...old, current] : old);

/** Of several sets of the same template the oldest is the current one. */
export function sortOut(deployment: KubeObject, sets: readonly KubeObject[]): Sets {
  const current = [...sets].sort(byAge).find((set) => isOfTemplate(set, deployment));
  return { current, old: sets.filter((set) => set !== current) };
}

/** Compares the templates without the pod-template-hash label. */
export const isOfTemplate = (set: KubeObject, deployment: KubeObject): boolean =>
  equalTemplates(withoutHash(templateOf(set)), withoutHash(templateOf(deployment)));

function withoutHash(template: JsonObject): JsonObject {
  const { [HASH_LABEL]: _hash, ...labels } = labelsOf(template);
  return { ...template, metadata: { ...objectAt(template, "metadata"), labels } };
}

/** 0 if the object has no revision annotation. */
export const revisionOf = (object: KubeObject): number =>
  integer(object.metadata.annotations?.[REVISION]) ?? 0;

export const nextRevision = (old: readonly KubeObject[]): number => greatest(old.map(revisionOf), 0) + 1;

const integer = (text: string | undefined): number | undefined =>
  text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;

export const desiredOf = (set: KubeObject): number | undefined =>
  integer(set.metadata.annotations?.[DESIRED]);

export const maxOf = (set: KubeObject): number => integer(set.metadata.annotations?.[MAX]) ?? 0;

/** The desired and the maximum number of pods, as annotations of the ReplicaSets. */
export const scaleAnnotations = (deployment: KubeObject): Record<string, string> => ({
  [DESIRED]: String(replicasOf(deployment)),
  [MAX]: String(replicasOf(deployment) + maxSurgeOf(deployment)),
});

/** The annotations of the current ReplicaSet: those of the Deployment, and the revision, which only increases. */
export function setAnnotations(
  deployment: KubeObject,
  set: Pick<KubeObject, "metadata">,
  revision: number,
): Record<string, string> {
  const before = set.metadata.annotations ?? {};
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([key]) => !NOT_COPIED.includes(key),
  );
  const annotations = { ...before, ...Object.fromEntries(copied) };
  const had = before[REVISION];
  const old = had === undefined ? 0 : integer(had);
  if (old === undefined || old >= revision) return annotations;
  annotations[REVISION] = String(revision);
  if (had !== undefined) annotations[HISTORY] = longerHistory(before[HISTORY] ?? "", had);
  return annotations;
}

/** Appends the revision. The oldest ones are dropped beyond HISTORY_LENGTH_MAX characters. */
function longerHistory(history: string, revision: string): string {
  const revisions = [...(history === "" ? [] : history.split(",")), revision];
  while (revisions.length > 1 && revisions.join(",").length > HISTORY_LENGTH_MAX) revisions.shift();
  return revisions.join(",");
}

export const isRolling = (deployment: KubeObject): boolean =>
  textAt(objectAt(specOf(deployment), "strategy"), "type") === "RollingUpdate";

/** How many pods may exist beyond the desired number, and how many of those may be unavailable. */
function fenceposts(deployment: KubeObject): { readonly surge: number; readonly unavailable: number } {
  const rolling = objectAt(objectAt(specOf(deployment), "strategy"), "rollingUpdate") ?? {};
  const replicas = replicasOf(deployment);
  const surge = scaledValue(rolling["maxSurge"], replicas, Math.ceil);
  const unavailable = scaledValue(rolling["maxUnavailable"], replicas, Math.floor);
  // Both percentages of a small number can round to 0; the rollout could then never proceed.
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export const maxSurgeOf = (deployment: KubeObject): number =>
  isRolling(deployment) ? fenceposts(deployment).surge : 0;

export function maxUnavailableOf(deployment: KubeObject): number {
  const replicas = replicasOf(deployment);
  if (!isRolling(deployment) || replicas === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, replicas);
}

/** The sum of spec.replicas over the sets. */
export const wantedBy = (sets: readonly KubeObject[]): number =>
  sets.reduce((sum, set) => sum + replicasOf(set), 0);

/** The number of replicas that the current ReplicaSet should have now. `sets` includes it, or will. */
export function replicasOfCurrent(deployment: KubeObject, sets: readonly KubeObject[], has: number): number {
  const wanted = replicasOf(deployment);
  if (!isRolling(deployment)) return wanted;
  const room = wanted + maxSurgeOf(deployment) - wantedBy(sets);
  return room <= 0 ? has : has + Math.min(room, wanted - has);
}

/** undefined: no deadline. */
export function deadlineSecondsOf(deployment: KubeObject): number | undefined {
  const seconds = numberAt(specOf(deployment), "progressDeadlineSeconds");
  return seconds === INT32_MAX ? undefined : seconds;
}

export const isPaused = (deployment: KubeObject): boolean => specOf(deployment)["paused"] === true;

/** The old sets beyond revisionHistoryLimit, the oldest revisions first. */
export function setsToForget(deployment: KubeObject, old: readonly KubeObject[]): KubeObject[] {
  const limit = numberAt(specOf(deployment), "revisionHistoryLimit");
  if (limit === undefined || limit === INT32_MAX) return [];
  const there = old.filter((set) => !isGoing(set));
  const surplus = Math.max(there.length - limit, 0);
  const byRevision = [...there].sort((a, b) => revisionOf(a) - revisionOf(b) || byAge(a, b));
  return byRevision.slice(0, surplus).filter(isEmpty);
}

/** The set has no pods in spec and status, and its controller has observed the spec. */
function isEmpty(set: KubeObject): boolean {
  const status = statusOf(set);
  const isSeen = (set.metadata.generation ?? 0) <= countAt(status, "observedGeneration");
  return isSeen && replicasOf(set) === 0 && countAt(status, "replicas") === 0;
}

export const bySizeThenAge =
  (isNewerFirst: boolean) =>
  (a: KubeObject, b: KubeObject): number =>
    replicasOf(b) - replicasOf(a) || (isNewerFirst ? byNewest(a, b) : byAge(a, b));

/** Newest first. Sets of the same second are ordered by name. */
export function byNewest(a: KubeObject, b: KubeObject): number {
  const [first = "", second = ""] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (first !== second) return first < second ? 1 : -1;
  return nameOf(a) < nameOf(b) ? -1 : 1;
}

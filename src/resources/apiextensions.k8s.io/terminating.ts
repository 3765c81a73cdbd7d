// The end of a CRD: what a DELETE leaves, and what the condition Terminating says until the last object is gone.
import { formatTime } from "../../meta/clock.ts";
import { objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { conditionsOf, setCondition } from "./conditions.ts";

/** Holds a deleted definition until its objects are gone. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

const STEPS = {
  pending: [
    "True",
    "InstanceDeletionPending",
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  ],
  inProgress: ["True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"],
  completed: ["False", "InstanceDeletionCompleted", "removed all instances"],
  neverEstablished: ["False", "NeverEstablished", "resource was never established"],
} as const;

/** The condition as it is at a step of the way. Mutates. */
export function setTerminating(crd: KubeObject, step: keyof typeof STEPS, nowMs: number): void {
  const [status, reason, message] = STEPS[step];
  const conditions = conditionsOf(crd);
  setCondition(conditions, { type: "Terminating", status, reason, message }, formatTime(nowMs));
  crd["status"] = { ...objectAt(crd, "status"), conditions };
}

/** Marks a definition whose deletion begins. There is no grace period, and the deletion is no change of the spec. */
export function markTerminating(crd: KubeObject, nowMs: number): void {
  const { metadata } = crd;
  delete metadata.deletionGracePeriodSeconds;
  if (metadata.generation !== undefined) metadata.generation -= 1;
  setTerminating(crd, "pending", nowMs);
}

export function withoutCleanup(crd: KubeObject): void {
  const { metadata } = crd;
  const finalizers = (metadata.finalizers ?? []).filter((item) => item !== CLEANUP_FINALIZER);
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
}

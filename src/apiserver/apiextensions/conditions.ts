// Conditions in a CRD's status. Terminating reports the progress of a deletion until the last object is removed.

import { goQuote } from "../../apimachinery/go/strconv.ts";
import { parseUrl } from "../../apimachinery/go/url.ts";
import { isObject, objectAt, textOf } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { type FieldError, invalid, required } from "../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";

export interface Condition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason: string;
  message: string;
}

/** Copies, which may be changed. */
export function conditionsOf(crd: Readonly<KubeObject>): Condition[] {
  const list = objectAt(crd, "status")?.["conditions"];
  return Array.isArray(list)
    ? list.filter(isObject).map((item) => ({ ...item }) as unknown as Condition)
    : []; // ensured by the schema
}

export function isEstablished(crd: Readonly<KubeObject>): boolean {
  return conditionsOf(crd).some((item) => item.type === "Established" && item.status === "True");
}

/** Replaces the condition of this type; its transition time changes only with its status. */
export function setCondition(conditions: Condition[], next: Condition, now: string): void {
  const index = conditions.findIndex((item) => item.type === next.type);
  const old = conditions[index];
  const lastTransitionTime = old?.status === next.status ? (old.lastTransitionTime ?? now) : now;
  const condition = { ...old, ...next, lastTransitionTime };
  if (old === undefined) conditions.push(condition);
  else conditions[index] = condition;
}

/** Holds a deleted CRD until its objects are removed. */
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

/** Sets the condition of a deletion step. Mutates. */
export function setTerminating(crd: KubeObject, step: keyof typeof STEPS, nowMs: number): void {
  const [status, reason, message] = STEPS[step];
  const conditions = conditionsOf(crd);
  setCondition(conditions, { type: "Terminating", status, reason, message }, formatTime(nowMs));
  crd["status"] = { ...objectAt(crd, "status"), conditions };
}

/** Marks a CRD whose deletion begins. It has no grace period, and the deletion does not change the spec. */
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

// Groups below k8s.io and kubernetes.io belong to the Kubernetes project. A CRD in such a group must state where its API
// was approved, or that it was not (https://github.com/kubernetes/enhancements/pull/1111).

const ANNOTATION = "api-approved.kubernetes.io";
const FIELD = `metadata.annotations[${ANNOTATION}]`;
const RULE = `protected groups must have approval annotation ${goQuote(ANNOTATION)}`;
const SEE = ", see https://github.com/kubernetes/enhancements/pull/1111";

export interface Approval {
  readonly state: "Approved" | "Unapproved" | "Missing" | "Invalid";
  readonly reason: string;
}

/** Approval state of a CRD; undefined in groups that need none. */
export function approvalOf(crd: Readonly<KubeObject>): Approval | undefined {
  const group = textOf(objectAt(crd, "spec")?.["group"]);
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group) ? readApproval(crd) : undefined;
}

function readApproval({ metadata }: Readonly<KubeObject>): Approval {
  const text = metadata.annotations?.[ANNOTATION] ?? "";
  if (text === "") return { state: "Missing", reason: `${RULE}${SEE}` };
  if (text.startsWith("unapproved")) return { state: "Unapproved", reason: `not approved: ${goQuote(text)}` };
  const url = parseUrl(text);
  if (typeof url !== "string" && url.host !== "" && url.scheme !== "") {
    return { state: "Approved", reason: `approved in ${text}` };
  }
  return {
    state: "Invalid",
    reason: `${RULE} with either a URL or a reason starting with "unapproved"${SEE}`,
  };
}

/** An unchanged approval state is never rejected. */
export function validateApproval(
  crd: Readonly<KubeObject>,
  old: Readonly<KubeObject> | undefined,
): FieldError[] {
  const approval = approvalOf(crd);
  if (approval === undefined || (old && readApproval(old).state === approval.state)) return [];
  const { state, reason } = approval;
  if (state === "Missing") return [required(FIELD, reason)];
  return state === "Invalid" ? [invalid(FIELD, crd.metadata.annotations?.[ANNOTATION], reason)] : [];
}

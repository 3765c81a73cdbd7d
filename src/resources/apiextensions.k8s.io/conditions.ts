// The conditions in a CRD's status.
import { isObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

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
    : []; // as the schema says
}

export function isEstablished(crd: Readonly<KubeObject>): boolean {
  return conditionsOf(crd).some((item) => item.type === "Established" && item.status === "True");
}

/** Replaces the condition of the type; its time changes only when its status does. */
export function setCondition(conditions: Condition[], next: Condition, now: string): void {
  const index = conditions.findIndex((item) => item.type === next.type);
  const old = conditions[index];
  const lastTransitionTime = old?.status === next.status ? (old.lastTransitionTime ?? now) : now;
  const condition = { ...old, ...next, lastTransitionTime };
  if (old === undefined) conditions.push(condition);
  else conditions[index] = condition;
}

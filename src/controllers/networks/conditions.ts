// metav1.Condition: read from a status, compared, and put into the form in which a controller applies it.
import { formatTime } from "../../meta/clock.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
}

const MESSAGE_MAX = 32_768;

/** The condition of the type in the object's status. */
export function conditionOf({ status }: KubeObject, type: string): JsonObject | undefined {
  const conditions = isObject(status) && Array.isArray(status["conditions"]) ? status["conditions"] : [];
  return conditions.filter(isObject).find((condition) => condition["type"] === type);
}

export const isTrue = (object: KubeObject, type: string): boolean =>
  conditionOf(object, type)?.["status"] === "True";

/** A condition's message holds so much and no more. */
export const fitting = (message: string): string =>
  message.length < MESSAGE_MAX ? message : message.slice(0, MESSAGE_MAX - 1);

/** True if the object's status says so already; when it began to does not count. */
export function hasCondition(object: KubeObject, condition: Condition): boolean {
  const said = conditionOf(object, condition.type);
  return (
    said !== undefined &&
    said["status"] === condition.status &&
    said["reason"] === condition.reason &&
    said["message"] === condition.message &&
    said["observedGeneration"] === condition.observedGeneration
  );
}

/** The condition with the time of its last transition, which is kept as long as the status stays the same. */
export function withTransitionTime(object: KubeObject, condition: Condition, nowMs: number): JsonObject {
  const said = conditionOf(object, condition.type);
  const since = said?.["status"] === condition.status ? said["lastTransitionTime"] : undefined;
  return { ...condition, lastTransitionTime: typeof since === "string" ? since : formatTime(nowMs) };
}

/** An applied configuration: the members named, of this object. */
export function configurationOf(object: KubeObject, fields: JsonObject): JsonObject {
  const { name = "", namespace } = object.metadata;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { name, ...(namespace ? { namespace } : {}) },
    ...fields,
  };
}

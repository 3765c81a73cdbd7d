// Conditions of an object (API conventions): at most one per type.
import { type JsonObject, objectsAt, textAt } from "../json/json.ts";

/** The object with the `conditions` member, usually a status. */
type Holder = Readonly<JsonObject> | undefined;

/** Returns the condition of the type; undefined: there is none. */
export const conditionOf = (holder: Holder, type: string): JsonObject | undefined =>
  objectsAt(holder, "conditions").find((condition) => condition["type"] === type);

export const isConditionTrue = (holder: Holder, type: string): boolean =>
  objectsAt(holder, "conditions").some((item) => item["type"] === type && item["status"] === "True");

/**
 * lastTransitionTime of a condition with this status: an existing condition keeps its time while the status is
 * unchanged.
 */
export const transitionTime = (
  before: Readonly<JsonObject> | undefined,
  status: string,
  now: string,
): string => (before?.["status"] === status && textAt(before, "lastTransitionTime")) || now;

/** Replaces the condition of its type; lastTransitionTime is kept while the status is unchanged. */
export function setCondition(
  holder: JsonObject,
  condition: JsonObject & { type: string },
  now: string,
): void {
  const before = conditionOf(holder, condition.type);
  const isSame = before?.["status"] === condition["status"];
  const next = { ...condition, lastTransitionTime: isSame ? before?.["lastTransitionTime"] : now };
  const conditions = objectsAt(holder, "conditions");
  holder["conditions"] = before
    ? conditions.map((item) => (item === before ? next : item))
    : [...conditions, next];
}

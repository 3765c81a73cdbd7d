// The conditions of an object: what is said of it, each under its type.
import { type JsonObject, objectsAt, textAt } from "./json.ts";

/** What has the conditions: mostly a status. */
type Holder = Readonly<JsonObject> | undefined;

/** The condition of the type; undefined: nothing is said of it. */
export const conditionOf = (holder: Holder, type: string): JsonObject | undefined =>
  objectsAt(holder, "conditions").find((condition) => condition["type"] === type);

export const isConditionTrue = (holder: Holder, type: string): boolean =>
  objectsAt(holder, "conditions").some((item) => item["type"] === type && item["status"] === "True");

/** Since when it is of that status: what was said before keeps its time as long as the status stays. */
export const transitionTime = (
  before: Readonly<JsonObject> | undefined,
  status: string,
  now: string,
): string => (before?.["status"] === status && textAt(before, "lastTransitionTime")) || now;

/** Puts the condition in the place of the one of its type; the time of the transition stays as long as the status does. */
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

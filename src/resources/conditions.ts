// The conditions in the status of built-in kinds: what is said of a type, and how something else is said of it.
import { type JsonObject, objectsAt } from "../meta/json.ts";

/** What has the conditions. */
type Holder = Readonly<JsonObject> | undefined;

/** The condition of the type; undefined: nothing is said of it. */
export const conditionOf = (holder: Holder, type: string): JsonObject | undefined =>
  objectsAt(holder, "conditions").find((condition) => condition["type"] === type);

export const isConditionTrue = (holder: Holder, type: string): boolean =>
  objectsAt(holder, "conditions").some((item) => item["type"] === type && item["status"] === "True");

/** Puts the condition in the place of the one of its type; the time of the transition stays as long as the status does. */
export function setCondition(
  status: JsonObject,
  condition: JsonObject & { type: string },
  now: string,
): void {
  const before = conditionOf(status, condition.type);
  const isSame = before?.["status"] === condition["status"];
  const next = { ...condition, lastTransitionTime: isSame ? before?.["lastTransitionTime"] : now };
  const conditions = objectsAt(status, "conditions");
  status["conditions"] = before
    ? conditions.map((item) => (item === before ? next : item))
    : [...conditions, next];
}

// The conditions of workloads: what is said stays as it was said while status and reason are the same.
import { type JsonObject, objectsAt } from "../../meta/json.ts";

export interface Said {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export const conditionsOf = (status: JsonObject): JsonObject[] => objectsAt(status, "conditions");

export const conditionOf = (status: JsonObject, type: string): JsonObject | undefined =>
  conditionsOf(status).find((condition) => condition["type"] === type);

export const without = (conditions: readonly JsonObject[], type: string): JsonObject[] =>
  conditions.filter((condition) => condition["type"] !== type);

export const isConditionTrue = (status: JsonObject, type: string): boolean =>
  conditionOf(status, type)?.["status"] === "True";

// Conditions of workload controllers.
import type { JsonObject } from "../../apimachinery/json/json.ts";

export interface Said {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export const without = (conditions: readonly JsonObject[], type: string): JsonObject[] =>
  conditions.filter((condition) => condition["type"] !== type);

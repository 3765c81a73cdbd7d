// Members of objects that were let in by a schema, read without trust in their types.
import { isObject, type JsonObject } from "../../meta/json.ts";

export function textAt(value: JsonObject | undefined, key: string): string {
  const found = value?.[key];
  return typeof found === "string" ? found : "";
}

export function numberAt(value: JsonObject | undefined, key: string): number | undefined {
  const found = value?.[key];
  return typeof found === "number" ? found : undefined;
}

export function objectsAt(value: JsonObject | undefined, key: string): JsonObject[] {
  const found = value?.[key];
  return Array.isArray(found) ? found.filter(isObject) : [];
}

export function textsAt(value: JsonObject | undefined, key: string): string[] {
  const found = value?.[key];
  return Array.isArray(found) ? found.filter((item) => typeof item === "string") : [];
}

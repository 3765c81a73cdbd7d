// Documents are compared without descriptions, because Egret's descriptions are its own.
import { isObject } from "../../../../../src/apimachinery/json/json.ts";

const MAPS = new Set(["properties", "schemas", "definitions"]);

/** A copy without descriptions; a property or schema that is named description stays. */
export function withoutDescriptions(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutDescriptions(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => isMap || key !== "description" || typeof item !== "string")
      .map(([key, item]) => [key, withoutDescriptions(item, !isMap && MAPS.has(key))]),
  );
}

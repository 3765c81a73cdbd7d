// JSON types as a Go server sees them: a number without a fraction is an int64, every other one a float64. A format
// makes the check of the type more lenient in some places and stricter in others; that is so on a real server, too.
import { isInt64, isNearlyInteger } from "./check-number.ts";
import type { ValueSchema } from "./value-schema.ts";

export type ValueKind = "null" | "boolean" | "string" | "array" | "object" | "integer" | "number";

export function kindOf(value: unknown): ValueKind {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "string":
      return "string";
    case "number":
    case "bigint":
      return isInt64(value) ? "integer" : "number";
    default:
      return "object";
  }
}

/** What was asked for, and what is there, both as messages name them. */
export interface TypeMismatch {
  readonly expected: string;
  readonly found: string;
}

export const checksType = ({ types, format }: ValueSchema): boolean => types.length > 0 || format !== "";

export function typeMismatch(schema: ValueSchema, value: unknown, kind: ValueKind): TypeMismatch | undefined {
  const { types, format, nullable } = schema;
  if (kind === "null") {
    return types.length === 0 || nullable ? undefined : { expected: types.join(","), found: "null" };
  }
  const fits =
    types.includes(kind) ||
    (kind === "integer" && types.includes("number")) ||
    (kind === "number" && types.includes("integer") && isNearlyInteger(Number(value)));
  if (format !== "") {
    if (kind !== "string" && kind !== "array") {
      return fits ? undefined : { expected: format, found: GO_FORMATS[kind] ?? "" };
    }
    if (!types.includes("integer") && !types.includes("number")) return undefined;
  }
  return fits ? undefined : { expected: types.join(","), found: kind };
}

const GO_FORMATS: Partial<Record<ValueKind, string>> = { integer: "int64", number: "float64" };

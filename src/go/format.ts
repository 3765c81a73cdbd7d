// How Go shows decoded JSON: its fmt package, whose text some errors of a real server carry.
import { goQuote } from "./quote.ts";

/** The %v verb: maps as map[a:1 b:2] with sorted keys, lists as [1 2], text without quotes. */
export function formatGoValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(" ")}]`;
  if (typeof value !== "object") return typeof value === "number" ? formatGoNumber(value) : String(value);
  const members = Object.entries(value)
    .sort(byKey)
    .map(([key, item]) => `${key}:${formatGoValue(item)}`);
  return `map[${members.join(" ")}]`;
}

/** The %#v verb: the value as it would stand in source code. */
export function formatGoSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(formatGoSyntax).join(", ")}}`;
  if (typeof value !== "object") return formatGoValue(value);
  const members = Object.entries(value)
    .sort(byKey)
    .map(([key, item]) => `${goQuote(key)}:${formatGoSyntax(item)}`);
  return `map[string]interface {}{${members.join(", ")}}`;
}

/** The %T verb for decoded JSON. */
export function goTypeOf(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    default:
      return "map[string]interface {}";
  }
}

function formatGoNumber(value: number): string {
  const size = Math.abs(value);
  const text =
    !Number.isInteger(value) && (size < 1e-4 || size >= 1e21) ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

// Formats decoded JSON as Go's fmt package does; some errors of a real server contain such text.

import { GoFloat, goQuote, goShortest } from "./strconv.ts";

/** A value of a type that JSON does not have, as Go prints it. */
export class GoNative {
  /** The verb %T. */
  readonly type: string;
  /** The verb %v. */
  readonly plain: string;
  /** The verb %#v. */
  readonly syntax: string;

  constructor({ type, plain, syntax }: Readonly<Record<"type" | "plain" | "syntax", string>>) {
    this.type = type;
    this.plain = plain;
    this.syntax = syntax;
  }
}

/** The %v verb: maps as map[a:1 b:2] with sorted keys, lists as [1 2], text without quotes. */
export function formatGoValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (value instanceof GoNative) return value.plain;
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(" ")}]`;
  if (typeof value !== "object") return typeof value === "number" ? formatGoNumber(value) : String(value);
  const members = Object.entries(value)
    .sort(byKey)
    .map(([key, item]) => `${key}:${formatGoValue(item)}`);
  return `map[${members.join(" ")}]`;
}

const UINT64_FROM = 2n ** 63n;
/** Deeper levels of a value are omitted from the text. */
const SHOWN_LEVELS = 500;

/** The %#v verb: the value in Go syntax. Maps from YAML have another type than those from JSON. */
export function formatGoSyntax(
  value: unknown,
  mapType = "map[string]interface {}",
  levels = SHOWN_LEVELS,
): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return goQuote(value);
  if (value instanceof GoFloat) return goShortest(value.value);
  if (value instanceof GoNative) return value.syntax;
  if (typeof value === "bigint" && value >= UINT64_FROM) return `0x${value.toString(16)}`;
  if (typeof value !== "object") return formatGoValue(value);
  if (levels === 0) return "...";
  const show = (item: unknown): string => formatGoSyntax(item, mapType, levels - 1);
  if (Array.isArray(value)) return `[]interface {}{${value.map(show).join(", ")}}`;
  const members = Object.entries(value)
    .sort(byKey)
    .map(([key, item]) => `${goQuote(key)}:${show(item)}`);
  return `${mapType}{${members.join(", ")}}`;
}

/** The %T verb for decoded JSON, where an integer that is no int64 is a float. */
export function goTypeOf(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (value instanceof GoNative) return value.type;
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isSafeInteger(value) ? "int64" : "float64";
    default:
      return "map[string]interface {}";
  }
}

const formatGoNumber = (value: number): string =>
  Number.isSafeInteger(value) ? String(value) : goShortest(value);

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

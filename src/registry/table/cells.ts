// How a value becomes a cell of a custom column. The type of the column decides; what does not fit is null.
import { escapeHtml } from "../../meta/json/escape-html.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import { ageSince } from "./human-duration.ts";

/** The cell of a value that was found at the column's path. */
export function toCell(columnType: string, value: unknown, nowMs: number): unknown {
  switch (columnType) {
    case "string":
      return toText(value);
    case "integer":
      if (typeof value === "number") return Math.trunc(value);
      return typeof value === "bigint" ? value : null;
    case "number":
      if (typeof value === "bigint") return Number(value);
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? ageSince(value, nowMs) : null;
    default:
      return null;
  }
}

/** Objects and lists are shown as JSON, everything else as a Go program prints it. */
function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "<no value>";
  if (typeof value === "number") return numberText(value);
  return typeof value === "object" ? escapeHtml(encodeJson(value)) : String(value);
}

const EXPONENT_MIN = -4;
const EXPONENT_MAX = 6;

/** Whole numbers have all their digits; a fraction gets an exponent once it is large or tiny. */
function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  const [mantissa = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= EXPONENT_MIN && exponent < EXPONENT_MAX) return String(value);
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

// The clauses of format(): %s %d %f %e %b %o %x %X.

import { goExponent, goQuote } from "../../go/strconv.ts";
import { itemsOf } from "../values/collections.ts";
import { countWork, numeric, typeOfValue } from "../values/inspect.ts";
import {
  CelError,
  Duration,
  isList,
  isMap,
  type ListValue,
  type MapValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "../values/value.ts";
import { toStringValue } from "./conversions.ts";

const DEFAULT_PRECISION = 6;
const PRECISION_MAX = 100; // more digits than a double has
const CLAUSE = /^(?:\.(\d*))?([\s\S])?/u;

/** The text with every clause replaced by its argument. */
export function formatText(template: string, args: ListValue): string {
  let out = "";
  let taken = 0;
  for (let at = 0; at < template.length; at++) {
    if (template[at] !== "%") {
      out += template[at];
      continue;
    }
    if (template[at + 1] === "%") {
      out += "%";
      at++;
      continue;
    }
    if (taken >= args.size) throw new CelError(`index ${taken} out of range`);
    if (at + 1 >= template.length) throw new CelError("unexpected end of string");
    const [whole = "", precision, letter] = CLAUSE.exec(template.slice(at + 1)) ?? [];
    out += formatClause(args.at(taken), letter, precision);
    taken++;
    at += whole.length;
  }
  return out;
}

function formatClause(arg: Value, letter: string | undefined, precision: string | undefined): string {
  const problem = "could not parse formatting clause: ";
  if (letter === undefined) {
    throw new CelError(`${problem}error while parsing precision: could not find end of precision specifier`);
  }
  if (precision === "") {
    throw new CelError(
      `${problem}error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`,
    );
  }
  const digits = Math.min(precision === undefined ? DEFAULT_PRECISION : Number(precision), PRECISION_MAX);
  switch (letter) {
    case "s":
      return formatString(arg);
    case "d":
      return formatDecimal(arg);
    case "f":
      return formatFloat(arg, "fixed-point", (value) => value.toFixed(digits));
    case "e":
      return formatFloat(arg, "scientific", (value) => goExponent(value.toExponential(digits)));
    case "b":
      return formatBinary(arg);
    case "o":
      return formatOctal(arg);
    case "x":
    case "X":
      return formatHex(arg, letter === "X");
    default:
      throw new CelError(`${problem}unrecognized formatting clause "${letter}"`);
  }
}

const refuse = (text: string, arg: Value): CelError =>
  new CelError(`error during formatting: ${text}, was given ${typeOfValue(arg).name}`);

function formatString(arg: Value): string {
  countWork();
  if (isList(arg)) return formatList(arg);
  if (isMap(arg)) return formatMap(arg);
  if (arg === null) return "null";
  if (arg instanceof TypeValue) return arg.type.name;
  const known = typeof arg !== "object" || arg instanceof Uint || arg instanceof Uint8Array;
  if (known || arg instanceof Timestamp || arg instanceof Duration) return toStringValue(arg);
  throw refuse(
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
    arg,
  );
}

function formatDecimal(arg: Value): string {
  if (typeof arg === "bigint") return String(arg);
  if (arg instanceof Uint) return String(arg.value);
  throw refuse("decimal clause can only be used on integers", arg);
}

function formatFloat(arg: Value, clause: string, write: (value: number) => string): string {
  const word = typeof arg === "string" ? SPECIAL.get(arg) : undefined;
  const value = typeof arg === "number" ? arg : word;
  if (value === undefined) throw refuse(`${clause} clause can only be used on doubles`, arg);
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  return write(value);
}

const SPECIAL = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

function formatBinary(arg: Value): string {
  if (typeof arg === "boolean") return arg ? "1" : "0";
  const value = wholeNumber(arg);
  if (value === undefined) throw refuse("only integers and bools can be formatted as binary", arg);
  return value.toString(2);
}

function formatOctal(arg: Value): string {
  const value = wholeNumber(arg);
  if (value === undefined) throw refuse("octal clause can only be used on integers", arg);
  return value.toString(8);
}

function formatHex(arg: Value, upper: boolean): string {
  const bytes = typeof arg === "string" ? Buffer.from(arg) : arg instanceof Uint8Array ? arg : undefined;
  const text = bytes ? Buffer.from(bytes).toString("hex") : wholeNumber(arg)?.toString(16);
  if (text === undefined) {
    throw refuse("only integers, byte buffers, and strings can be formatted as hex", arg);
  }
  return upper ? text.toUpperCase() : text;
}

function wholeNumber(arg: Value): bigint | undefined {
  const value = numeric(arg);
  return typeof value === "bigint" ? value : undefined;
}

/** A value inside a list or map: as a literal of the language. */
function formatNested(value: Value): string {
  if (typeof value === "string") return goQuote(value);
  if (value instanceof Uint8Array) return `b${goQuote(toStringValue(value))}`;
  if (typeof value === "number") return formatNestedDouble(value);
  if (value instanceof Timestamp) return `timestamp(${goQuote(toStringValue(value))})`;
  if (value instanceof Duration) return `duration(${goQuote(toStringValue(value))})`;
  if (typeof value === "object" && value !== null && "tag" in value && value.tag === "opaque") {
    throw new CelError(`error during formatting: no formatting function for ${value.celType.name}`);
  }
  return formatString(value);
}

function formatNestedDouble(value: number): string {
  if (Number.isNaN(value)) return '"NaN"';
  if (!Number.isFinite(value)) return value > 0 ? '"+Inf"' : '"-Inf"';
  return value.toFixed(DEFAULT_PRECISION);
}

const formatList = (list: ListValue): string => `[${itemsOf(list).map(formatNested).join(", ")}]`;

function formatMap(map: MapValue): string {
  const entries = [...map.keys()].map((key): [string, string] => [
    formatNested(key),
    formatNested(map.find(key) ?? null),
  ]);
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}

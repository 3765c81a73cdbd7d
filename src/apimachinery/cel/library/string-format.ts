// The clauses of format(): %s %d %f %e %b %o %x %X.

import { goExponent, goQuote } from "../../go/strconv.ts";
import { itemsOf } from "../values/collections.ts";
import { countWork, numeric, typeOfValue } from "../values/inspect.ts";
import {
  CelError,
  Duration,
  isList,
  isMap,
  isOpaque,
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
  const write = CLAUSES.get(letter);
  if (!write) throw new CelError(`${problem}unrecognized formatting clause "${letter}"`);
  return write(arg, digits);
}

const CLAUSES = new Map<string, (arg: Value, digits: number) => string>([
  ["s", formatString],
  ["d", (arg) => formatWhole(arg, 10, "decimal clause can only be used on integers")],
  ["f", (arg, digits) => formatFloat(arg, "fixed-point", (value) => value.toFixed(digits))],
  ["e", (arg, digits) => formatFloat(arg, "scientific", (value) => goExponent(value.toExponential(digits)))],
  ["b", formatBinary],
  ["o", (arg) => formatWhole(arg, 8, "octal clause can only be used on integers")],
  ["x", formatHex],
  ["X", (arg) => formatHex(arg).toUpperCase()],
]);

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

function formatWhole(arg: Value, radix: number, rule: string): string {
  const value = numeric(arg);
  if (typeof value !== "bigint") throw refuse(rule, arg);
  return value.toString(radix);
}

function formatFloat(arg: Value, clause: string, write: (value: number) => string): string {
  const value = typeof arg === "string" ? SPECIAL.get(arg) : arg;
  if (typeof value !== "number") throw refuse(`${clause} clause can only be used on doubles`, arg);
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
  return formatWhole(arg, 2, "only integers and bools can be formatted as binary");
}

function formatHex(arg: Value): string {
  if (typeof arg === "string") return Buffer.from(arg).toString("hex");
  if (arg instanceof Uint8Array) return Buffer.from(arg).toString("hex");
  return formatWhole(arg, 16, "only integers, byte buffers, and strings can be formatted as hex");
}

/** A value inside a list or map: as a literal of the language. */
function formatNested(value: Value): string {
  if (typeof value === "string") return goQuote(value);
  if (value instanceof Uint8Array) return `b${goQuote(toStringValue(value))}`;
  if (typeof value === "number") {
    if (Number.isFinite(value)) return value.toFixed(DEFAULT_PRECISION);
    return `"${value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN"}"`;
  }
  if (value instanceof Timestamp) return `timestamp(${goQuote(toStringValue(value))})`;
  if (value instanceof Duration) return `duration(${goQuote(toStringValue(value))})`;
  if (isOpaque(value)) {
    throw new CelError(`error during formatting: no formatting function for ${value.celType.name}`);
  }
  return formatString(value);
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

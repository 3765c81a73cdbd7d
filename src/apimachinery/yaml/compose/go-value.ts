// Scalars with the types of Go, where JSON has fewer: an integer and a float with the same value are two keys of a map.

import { isBase64 } from "../../go/base64.ts";
import { formatGoSyntax } from "../../go/format.ts";
import { GoFloat, goShortest } from "../../go/strconv.ts";
import { type JsonObject, setOwn } from "../../json/json.ts";
import type { YamlEvent } from "../parse/parser.ts";

/** Errors of the values of a text; reported only if its syntax is valid. */
export class DecodeFailure extends Error {}

export type GoScalar = string | number | bigint | boolean | null | GoFloat;

const INT64_MAX = 2n ** 63n - 1n;
/** Floats below this have no exponent in JSON and are read as integers. */
const INTEGER_MAX = 2 ** 63;

/** The value after a conversion to JSON; not finite if JSON has no such number. */
export function jsonScalar(scalar: GoScalar): unknown {
  if (typeof scalar === "bigint") return scalar > INT64_MAX ? Number(scalar) : scalar;
  if (!(scalar instanceof GoFloat)) return scalar;
  const { value } = scalar;
  if (value === 0) return 0; // no negative zero
  if (!Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= INTEGER_MAX) return value;
  return BigInt(String(value)); // keeps all digits
}

/** The text of a key; undefined if JSON can have no such key. */
export function keyText(key: GoScalar): string | undefined {
  if (isNoJsonKey(key)) return undefined;
  if (!(key instanceof GoFloat)) return String(key);
  const text = goShortest(key.value, 32);
  return NO_NUMBERS.get(text) ?? text;
}

/** YAML's spellings, by Go's. */
const NO_NUMBERS: ReadonlyMap<string, string> = new Map([
  ["+Inf", ".inf"],
  ["-Inf", "-.inf"],
  ["NaN", ".nan"],
]);

/** Null, and integers that only fit an unsigned type, cannot be keys. */
export const isNoJsonKey = (key: GoScalar): boolean => key === null || isUint64(key);

const isUint64 = (key: GoScalar): boolean => typeof key === "bigint" && key > INT64_MAX;

const typeOf = (key: GoScalar): string => (key instanceof GoFloat ? "float64" : typeof key);

/** The error for a key that JSON does not allow. */
export function unsupportedKey(key: GoScalar, value: unknown): string {
  const [type, shown] = key === null ? ["%!s(<nil>)", "<nil>"] : ["uint64", goSyntax(key)];
  const shownValue = value === null ? "<nil>" : goSyntax(value);
  return `unsupported map key of type: ${type}, key: ${shown}, value: ${shownValue}`;
}

/** Formatted as Go's %#v. */
export const goSyntax = (value: unknown): string => formatGoSyntax(value, "map[interface {}]interface {}");

/** A mapping under construction: keys of any type, which become the keys of one object. */
export class GoMap {
  readonly members: JsonObject = {};
  /** Keys that are no text: all of them with their types, and those whose text no other key has. */
  #others: Set<string> | undefined;
  #otherTexts: Set<string> | undefined;

  has(key: GoScalar): boolean {
    if (typeof key !== "string") return this.#others?.has(typeOf(key) + keyText(key)) ?? false;
    return this.members[key] !== undefined && Object.hasOwn(this.members, key) && !this.#otherTexts?.has(key);
  }

  /** Of two keys with the same text the last one counts. */
  set(key: GoScalar, value: unknown): void {
    const text = keyText(key);
    if (typeof key !== "string") this.#noteOther(key, text);
    else this.#otherTexts?.delete(key);
    if (text !== undefined) setOwn(this.members, text, value);
  }

  #noteOther(key: GoScalar, text: string | undefined): void {
    this.#others ??= new Set();
    this.#others.add(typeOf(key) + text);
    if (text === undefined || Object.hasOwn(this.members, text)) return;
    this.#otherTexts ??= new Set();
    this.#otherTexts.add(text);
  }
}

// The value of a scalar, by its tag if it has one.

const PREFIX = "tag:yaml.org,2002:";
export const MERGE_TAG = `${PREFIX}merge`;
/** Tags that require a type. Any other tag makes the value a text. */
const MEANINGS: ReadonlySet<string> = new Set(
  ["bool", "int", "float", "null", "timestamp"].map((name) => PREFIX + name),
);

/** Throws DecodeFailure. */
export function scalarOf({ value, tag, isImplicit }: YamlEvent): GoScalar {
  if (tag === "") return isImplicit ? resolvePlain(value) : value;
  if (tag === `${PREFIX}binary`) return binaryText(value);
  return MEANINGS.has(tag) ? meant(tag, value) : value;
}

function binaryText(value: string): string {
  const digits = value.replace(/[\r\n]/g, "");
  if (!isBase64(digits)) throw new DecodeFailure("!!binary value contains invalid base64 data");
  return Buffer.from(digits, "base64").toString("utf8");
}

function meant(tag: string, text: string): GoScalar {
  if (tag === `${PREFIX}timestamp` && isTimestamp(text)) return text;
  const value = resolvePlain(text);
  const found = tagOf(value);
  if (found === tag) return value;
  const isInt64 = typeof value === "number" || (typeof value === "bigint" && value < 2n ** 63n);
  if (tag === `${PREFIX}float` && isInt64) return new GoFloat(Number(value));
  throw new DecodeFailure(`cannot decode ${short(found)} \`${text}\` as a ${short(tag)}`);
}

function tagOf(value: GoScalar): string {
  if (value === null) return `${PREFIX}null`;
  if (value instanceof GoFloat) return `${PREFIX}float`;
  const type = typeof value;
  return PREFIX + (type === "string" ? "str" : type === "boolean" ? "bool" : "int");
}

const short = (tag: string): string => `!!${tag.slice(PREFIX.length)}`;

const TIMESTAMP =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+](\d{2}):(\d{2}))| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;

/** A date, or a date and a time. */
function isTimestamp(text: string): boolean {
  const [, year, month, day, ...times] = TIMESTAMP.exec(text) ?? [];
  if (year === undefined) return false;
  const [hour, minute, second] = [times[0] ?? times[5], times[1] ?? times[6], times[2] ?? times[7]];
  const [zoneHour, zoneMinute] = [times[3], times[4]];
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const isDate = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  const isTime = below(hour, 24) && below(minute, 60) && below(second, 60);
  return isDate && isTime && below(zoneHour, 25) && below(zoneMinute, 61);
}

const below = (digits: string | undefined, limit: number): boolean => Number(digits ?? 0) < limit;

// The value of a plain scalar without a tag: the types of YAML 1.1 as go-yaml resolves them (yes is true, 012 is ten).
// Times, dates, sexagesimal numbers, and numbers beyond a float64 stay text.

const WORDS: ReadonlyMap<string, GoScalar> = new Map<string, GoScalar>([
  ...meaning(true, "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"),
  ...meaning(false, "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"),
  ...meaning(null, "", "~", "null", "Null", "NULL"),
  ...meaning(new GoFloat(Number.NaN), ".nan", ".NaN", ".NAN"),
  ...meaning(new GoFloat(Number.POSITIVE_INFINITY), ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"),
  ...meaning(new GoFloat(Number.NEGATIVE_INFINITY), "-.inf", "-.Inf", "-.INF"),
]);
const WORD_LENGTH_MAX = 5;

function meaning(value: GoScalar, ...words: readonly string[]): [string, GoScalar][] {
  return words.map((word) => [word, value]);
}

/** Decimal digits that a double holds. */
const SHORT_INTEGER = /^[1-9][0-9]{0,14}$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
/** Only behind a decimal point may digits be grouped as in Go. */
const GROUPED_FRACTION = /^\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+(_[0-9]+)*)?$/;
const INTEGERS = [
  { form: /^([-+]?)0[xX]([0-9a-fA-F]+)$/, prefix: "0x" },
  { form: /^([-+]?)0[bB]([01]+)$/, prefix: "0b" },
  { form: /^0b([-+])([01]+)$/, prefix: "0b" },
  { form: /^([-+]?)0[oO]?([0-7]+)$/, prefix: "0o" },
  { form: /^([-+]?)(0|[1-9][0-9]*)$/, prefix: "" },
];
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** Integers beyond a double's are bigint. */
export function resolvePlain(text: string): GoScalar {
  if (text.length <= WORD_LENGTH_MAX) {
    const word = WORDS.get(text);
    if (word !== undefined) return word;
  }
  const first = text.charCodeAt(0);
  if (first === 0x2e) return (GROUPED_FRACTION.test(text) ? floatOf(text) : undefined) ?? text;
  if (!(first >= 0x30 && first <= 0x39) && first !== 0x2b && first !== 0x2d) return text;
  if (SHORT_INTEGER.test(text)) return Number(text);
  const digits = text.includes("_") ? text.replaceAll("_", "") : text;
  return integerOf(digits) ?? (FLOAT.test(digits) ? floatOf(digits) : undefined) ?? text;
}

function integerOf(digits: string): number | bigint | undefined {
  for (const { form, prefix } of INTEGERS) {
    const [, sign = "", magnitude] = form.exec(digits) ?? [];
    if (magnitude === undefined) continue;
    const value = BigInt(prefix + magnitude) * (sign === "-" ? -1n : 1n);
    if (value < INT64_MIN || value > (sign === "" ? UINT64_MAX : INT64_MAX)) return undefined;
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  return undefined;
}

function floatOf(digits: string): GoFloat | undefined {
  const value = Number(digits.replaceAll("_", ""));
  return Number.isFinite(value) ? new GoFloat(value) : undefined;
}

// What a scalar means, by its tag if it has one.
import { GoFloat } from "../../go/strconv.ts";
import type { YamlEvent } from "../parse/parser.ts";
import { DecodeFailure, type GoScalar } from "./go-value.ts";

const PREFIX = "tag:yaml.org,2002:";
export const MERGE_TAG = `${PREFIX}merge`;
/** Tags that say what a text has to mean. Any other one makes it a text. */
const MEANINGS: ReadonlySet<string> = new Set(
  ["bool", "int", "float", "null", "timestamp"].map((name) => PREFIX + name),
);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Throws DecodeFailure. */
export function scalarOf({ value, tag, isImplicit }: YamlEvent): GoScalar {
  if (tag === "") return isImplicit ? resolvePlain(value) : value;
  if (tag === `${PREFIX}binary`) return binaryText(value);
  return MEANINGS.has(tag) ? meant(tag, value) : value;
}

function binaryText(value: string): string {
  const digits = value.replace(/[\r\n]/g, "");
  if (!BASE64.test(digits)) throw new DecodeFailure("!!binary value contains invalid base64 data");
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

// What a scalar without quotes and without a tag means: the types of YAML 1.1 as go-yaml takes them (yes is true, 012 is
// ten), except that times, dates and numbers to the base of 60 stay text, and so does what no float64 holds.

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
/** Behind a point alone, digits may be grouped as in a Go program. */
const GROUPED_FRACTION = /^\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+(_[0-9]+)*)?$/;
const INTEGERS = [
  { form: /^([-+]?)0[xX]([0-9a-fA-F]+)$/, prefix: "0x" },
  { form: /^([-+]?)0[bB]([01]+)$/, prefix: "0b" },
  { form: /^0b([-+])([01]+)$/, prefix: "0b" },
  { form: /^([-+]?)0[oO]?([0-7]+)$/, prefix: "0o" },
  { form: /^([-+]?)(0|[1-9][0-9]*)$/, prefix: "" },
];
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
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

// What a scalar without quotes and without a tag means: the types of YAML 1.1 as go-yaml takes them (yes is true, 012 is
// ten), except that times, dates and numbers to the base of 60 stay text, and so does what no float64 holds.
import { GoFloat } from "../../go/strconv.ts";
import type { GoScalar } from "./go-value.ts";

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

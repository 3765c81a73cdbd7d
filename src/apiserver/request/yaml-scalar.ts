// What a YAML scalar means: the types of YAML 1.1 as go-yaml takes them (yes is true, 012 is ten), except that times, dates
// and numbers to the base of 60 stay text, and so does what no float64 holds.

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(
    (word): [string, boolean] => [word, true],
  ),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(
    (word): [string, boolean] => [word, false],
  ),
  ...["", "~", "null", "Null", "NULL"].map((word): [string, null] => [word, null]),
]);

const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
/** What JSON has no number for. */
const NO_JSON_NUMBER: ReadonlyMap<string, string> = new Map([
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word): [string, string] => [word, "+Inf"]),
  ...["-.inf", "-.Inf", "-.INF"].map((word): [string, string] => [word, "-Inf"]),
  ...[".nan", ".NaN", ".NAN"].map((word): [string, string] => [word, "NaN"]),
]);
const INTEGERS = [
  { form: /^([-+]?)0[xX]([0-9a-fA-F]+)$/, prefix: "0x" },
  { form: /^([-+]?)0[bB]([01]+)$/, prefix: "0b" },
  { form: /^([-+]?)0[oO]?([0-7]+)$/, prefix: "0o" },
  { form: /^([-+]?)(0|[1-9][0-9]*)$/, prefix: "" },
];
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** A number that JSON cannot say, as Go shows it. */
export class NoJsonNumber extends Error {}

/** The value of a scalar that is neither quoted nor tagged. Integers beyond a double's are bigint. Throws NoJsonNumber. */
export function resolvePlain(text: string): unknown {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  const odd = NO_JSON_NUMBER.get(text);
  if (odd !== undefined) throw new NoJsonNumber(odd);
  if (!/^[-+.0-9]/.test(text)) return text;
  const digits = text.replaceAll("_", "");
  return integerOf(digits) ?? floatOf(digits) ?? text;
}

function integerOf(digits: string): number | bigint | undefined {
  for (const { form, prefix } of INTEGERS) {
    const [, sign = "", magnitude] = form.exec(digits) ?? [];
    if (magnitude === undefined) continue;
    const value = BigInt(prefix + magnitude) * (sign === "-" ? -1n : 1n);
    if (value < INT64_MIN || value > UINT64_MAX) return undefined;
    return BigInt(Number(value)) === value && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  return undefined;
}

function floatOf(digits: string): number | undefined {
  if (!FLOAT.test(digits)) return undefined;
  const value = Number(digits);
  return Number.isFinite(value) ? value : undefined;
}

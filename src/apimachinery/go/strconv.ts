// Numbers, booleans and quoted text as Go's strconv parses and formats them.

/** A float64 whose plain number would be taken for an integer. */
export class GoFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

const EXPONENT_FROM = 6;
/** So many digits identify any float32. */
const FLOAT32_DIGITS_MAX = 9;

/** strconv.FormatFloat(x, 'g', -1, bits): the shortest digits, with an exponent below 1e-4 and from 1e6. */
export function goShortest(value: number, bits: 32 | 64 = 64): string {
  if (Number.isNaN(value)) return "NaN";
  const rounded = bits === 32 ? shortestFloat32(value) : value;
  if (!Number.isFinite(rounded)) return rounded > 0 ? "+Inf" : "-Inf";
  if (rounded === 0) return Object.is(rounded, -0) ? "-0" : "0";
  const [digits = "", exponentText = "0"] = rounded.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= EXPONENT_FROM) return goExponent(`${digits}e${exponentText}`);
  return String(rounded);
}

/** The number with the fewest digits that is the same float32. */
function shortestFloat32(value: number): number {
  const float = Math.fround(value);
  if (float === 0) return float;
  for (let digits = 1; digits < FLOAT32_DIGITS_MAX && Number.isFinite(float); digits++) {
    const short = Number(float.toPrecision(digits));
    if (Math.fround(short) === float) return short;
  }
  return Number(float.toPrecision(FLOAT32_DIGITS_MAX));
}

/** An exponent with at least two digits, as Go writes it. */
export const goExponent = (text: string): string =>
  text.replace(/e([+-]?)(\d)$/, (_all, sign, digit) => `e${sign || "+"}0${digit}`);

/** strconv.ParseFloat; undefined if the text is no number. */
export function parseGoFloat(text: string): number | undefined {
  if (/^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  const word = text.toLowerCase().replace(/^[+-]/, "");
  if (word === "inf" || word === "infinity") return text.startsWith("-") ? -Infinity : Infinity;
  return text.toLowerCase() === "nan" ? Number.NaN : undefined;
}

/** strconv.ParseBool. */
export function parseGoBool(text: string): boolean | undefined {
  if (["1", "t", "T", "TRUE", "true", "True"].includes(text)) return true;
  return ["0", "f", "F", "FALSE", "false", "False"].includes(text) ? false : undefined;
}

/** Letters of escape sequences behind a backslash. */
export const ESCAPE_LETTERS: ReadonlyMap<string, string> = new Map([
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);
const SHORT: ReadonlyMap<string, string> = new Map([
  ...[...ESCAPE_LETTERS].map(([letter, meant]) => [meant, `\\${letter}`] as const),
  ["\\", "\\\\"],
  ['"', '\\"'],
]);
/**
 * Matches characters that strconv.IsPrint rejects (of white space it accepts only the plain blank), the quote and the
 * backslash. Created on demand, since Unicode classes take a millisecond to compile.
 */
const escaped = (): RegExp => /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/**
 * strconv.Quote and the %q verb, by which messages of a real server quote values. An unpaired surrogate, which Go
 * strings cannot hold, is shown as U+FFFD.
 */
export const goQuote = (text: string): string => `"${text.toWellFormed().replace(escaped(), escapeLetter)}"`;

function escapeLetter(letter: string): string {
  const short = SHORT.get(letter);
  if (short !== undefined) return short;
  const code = letter.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, "0")}`;
  return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

// Floats as Go writes them.

const EXPONENT_FROM = 6;
/** No float32 needs more digits than these to be told from all others. */
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
  return plainDigits(rounded);
}

/** The number of the fewest digits that is the same float32. */
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

/** Decimal digits without an exponent. */
function plainDigits(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = "", head = "", tail = "", exponent = "0"] = match;
  const digits = head + tail;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0")}`;
}

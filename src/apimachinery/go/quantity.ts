// resource.Quantity: "500m", "1Gi", "2e3". Parsed exactly, and formatted in the canonical form of Kubernetes
// (apimachinery, pkg/api/resource/quantity.go).

/**
 * A sign, zeros, digits, a fraction and a suffix, all optional. The pattern is unambiguous, so a long invalid text is
 * rejected in linear time.
 */
const PARTS = /^([+-]?)(0*)((?:[1-9]\d*)?)(?:\.(\d*))?((?:[eEinumkKMGTP]+[+-]?\d*|[+-]\d*)?)$/;

export const QUANTITY_FORMAT_ERROR =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NUMBER_ERROR = "unable to parse numeric part of quantity";
const SUFFIX_ERROR = "unable to parse quantity's suffix";

const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const DECIMAL_SUFFIX = new Map([...DECIMAL].map(([suffix, exponent]) => [exponent, suffix]));
const INT64_MAX = 2n ** 63n - 1n;
const NANO_DIGITS = 9;
export const NANOS = 10n ** BigInt(NANO_DIGITS);
const LARGEST = INT64_MAX * NANOS;
/** Number of digits that always fit an int64; fewer for whole numbers with a binary suffix. */
const SAFE_DIGITS = 18;
const SAFE_BINARY_DIGITS = 15;
/** Beyond these powers of ten every amount rounds to the smallest or largest one. */
const MAGNITUDE_MIN = -40;
const MAGNITUDE_MAX = 30;
/** More digits than any amount in this range has, down to a billionth. */
const DIGITS_MAX = 100;

type Style = "decimal" | "binary" | "exponent";

export interface Quantity {
  /** In billionths, the finest unit. */
  readonly nanos: bigint;
  readonly style: Style;
  /** The power of ten of the last digit if Go holds the amount as an int64; undefined if it needs more. */
  readonly scale: number | undefined;
}

/** The quantity, or ParseQuantity's error. */
export function parseQuantity(text: string): Quantity | string {
  const [, sign, zeros = "", whole = "", fraction = "", suffix = ""] =
    (text !== "" && PARTS.exec(text)) || [];
  if (sign === undefined) return QUANTITY_FORMAT_ERROR;
  const unit = unitOf(suffix);
  if (unit === undefined) return SUFFIX_ERROR;
  const scale = int64Scale(unit, Math.max(whole.length, 1), fraction.length);
  const digits = zeros + whole + fraction;
  if (digits === "" && scale === undefined) return NUMBER_ERROR;
  const nanos = sizeOf(digits, unit, fraction.length);
  return { nanos: sign === "-" ? -nanos : nanos, style: unit.style, scale };
}

interface Unit {
  /** Exponent of 1024. */
  readonly power: number;
  /** Exponent of 10. */
  readonly exponent: number;
  readonly style: Style;
}

function unitOf(suffix: string): Unit | undefined {
  const decimal = DECIMAL.get(suffix);
  if (decimal !== undefined) return { power: 0, exponent: decimal, style: "decimal" };
  const power = BINARY.indexOf(suffix);
  if (power > 0) return { power, exponent: 0, style: "binary" };
  const digits = /^[eE]([+-]?\d+)$/.exec(suffix)?.[1];
  if (digits === undefined || isBeyondInt64(digits)) return undefined;
  return { power: 0, exponent: Number(digits), style: "exponent" };
}

const isBeyondInt64 = (digits: string): boolean => {
  const size = digits.replace(/^\+?0*/, "");
  return !size.startsWith("-") && (size.length > 19 || BigInt(size) > INT64_MAX);
};

function int64Scale({ power, exponent, style }: Unit, digits: number, places: number): number | undefined {
  if (style === "binary") return places === 0 && digits + 3 * power < SAFE_BINARY_DIGITS ? 0 : undefined;
  const scale = exponent - places;
  return digits + places <= SAFE_DIGITS && scale >= -NANO_DIGITS ? scale : undefined;
}

/** In billionths, limited to the largest amount. The cost of a long text is bounded: its last digits count as one. */
function sizeOf(digits: string, { power, exponent }: Unit, places: number): bigint {
  const significant = digits.replace(/^0+/, "");
  if (significant === "") return 0n;
  const magnitude = significant.length - places + exponent;
  if (magnitude > MAGNITUDE_MAX) return LARGEST;
  if (magnitude < MAGNITUDE_MIN) return 1n;
  const cut = Math.max(significant.length - DIGITS_MAX, 0);
  const isExact = cut === 0 || /^0*$/.test(significant.slice(DIGITS_MAX));
  const kept = significant.slice(0, DIGITS_MAX) + (isExact ? "" : "1");
  const lost = isExact ? cut : cut - 1;
  const size = scaleUp(BigInt(kept) * 1024n ** BigInt(power), exponent - places + lost + NANO_DIGITS);
  return size > LARGEST ? LARGEST : size;
}

/** value × 10^scale; amounts below a billionth round away from zero. */
function scaleUp(value: bigint, scale: number): bigint {
  if (scale >= 0) return value * 10n ** BigInt(scale);
  const divisor = 10n ** BigInt(-scale);
  return (value + divisor - 1n) / divisor;
}

/** The error of an invalid quantity; undefined: it is valid. */
export function quantityError(text: string): string | undefined {
  const parsed = parseQuantity(text);
  return typeof parsed === "string" ? parsed : undefined;
}

/** In billionths, rounded up; 0 for an invalid quantity. */
export function quantityNanos(value: unknown): bigint {
  const parsed = parseQuantity(String(value));
  return typeof parsed === "string" ? 0n : parsed.nanos;
}

export const isWholeQuantity = (value: unknown): boolean => quantityNanos(value) % NANOS === 0n;

/** The text as Kubernetes prints it: "1000m" is "1", "1024Mi" is "1Gi". The text must be a quantity. */
export function canonicalQuantity(text: string): string {
  const parsed = parseQuantity(text);
  return typeof parsed === "string" ? text : showQuantity(parsed);
}

/** Matches a canonicalQuantity text that is finer than a thousandth. */
const FINE = /[nu]$|e-/;
export const MILLIS = NANOS / 1000n;

/** The same amount in whole thousandths, rounded away from zero. */
export function inThousandths(text: string): string {
  const parsed = FINE.test(text) ? parseQuantity(text) : text;
  if (typeof parsed === "string") return text;
  const { nanos } = parsed;
  const rest = nanos % MILLIS;
  const up = nanos < 0n ? -MILLIS : MILLIS;
  return showQuantity(rest === 0n ? parsed : { ...parsed, nanos: nanos - rest + up });
}

/** An amount, and the format of the text from which it was parsed. */
export type Amount = Pick<Quantity, "nanos" | "style">;

export const NOTHING: Amount = { nanos: 0n, style: "decimal" };

/** Zero for an invalid quantity. */
export function amountOf(value: unknown): Amount {
  const parsed = parseQuantity(String(value));
  return typeof parsed === "string" ? NOTHING : parsed;
}

/** The sum has the format of the first amount, unless that is zero. */
export const addAmounts = (a: Amount, b: Amount): Amount => ({
  nanos: a.nanos + b.nanos,
  style: a.nanos === 0n ? b.style : a.style,
});

export function showQuantity({ nanos, style }: Amount): string {
  if (nanos === 0n) return "0";
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  const binary = style === "binary" && size >= 1024n * NANOS && size % NANOS === 0n;
  if (binary) return sign + printBinary(size / NANOS);
  const [digits, exponent] = shorten(size);
  if (style === "exponent") return `${sign}${digits}${exponent === 0 ? "" : `e${exponent}`}`;
  return `${sign}${digits}${DECIMAL_SUFFIX.get(exponent) ?? ""}`;
}

function printBinary(size: bigint): string {
  let rest = size;
  let power = 0;
  while (rest % 1024n === 0n && power < BINARY.length - 1) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${BINARY[power]}`;
}

/** The fewest digits with an exponent that is a multiple of three. */
function shorten(nanos: bigint): [bigint, number] {
  let digits = nanos;
  let exponent = -NANO_DIGITS;
  while (digits % 1000n === 0n && exponent < 18) {
    digits /= 1000n;
    exponent += 3;
  }
  return [digits, exponent];
}

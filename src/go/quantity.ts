// resource.Quantity: "500m", "1Gi", "2e3". Read exactly, and written back in the one form that Kubernetes prints.

const SYNTAX = /^([+-]?)(\d*)(?:\.(\d*))?([A-Za-z]*(?:[+-]?\d+)?)$/;
const LOOSE = /^[+-]?[0-9.]+[eEinumkKMGTP]*[-+]?[0-9]*$/;
const EXPONENT = /^[eE]([+-]?\d+)$/;

export const QUANTITY_FORMAT_ERROR =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
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
const LARGEST = 2n ** 63n - 1n;
const NANO = 10n ** 9n;
const EXPONENT_MAX = 40;

type Style = "decimal" | "binary" | "exponent";

interface Quantity {
  /** In billionths: nothing finer exists. */
  readonly nanos: bigint;
  readonly style: Style;
}

/** What is wrong with the text, or undefined. */
export function quantityError(text: string): string | undefined {
  return typeof parse(text) === "string" ? parseComplaint(text) : undefined;
}

function parseComplaint(text: string): string {
  const parsed = parse(text);
  return typeof parsed === "string" ? parsed : "";
}

/** The text as Kubernetes prints it: "1000m" is "1", "1024Mi" is "1Gi". The text must be a quantity. */
export function canonicalQuantity(text: string): string {
  const parsed = parse(text);
  return typeof parsed === "string" ? text : print(parsed);
}

function parse(text: string): Quantity | string {
  const match = SYNTAX.exec(text);
  const digits = `${match?.[2] ?? ""}${match?.[3] ?? ""}`;
  if (match === null || digits === "") return QUANTITY_FORMAT_ERROR;
  const suffix = match[4] ?? "";
  const unit = unitOf(suffix);
  if (unit === undefined) return LOOSE.test(text) ? SUFFIX_ERROR : QUANTITY_FORMAT_ERROR;
  const fraction = match[3] ?? "";
  const scale = unit.exponent - fraction.length + 9;
  let nanos = scaleUp(BigInt(digits) * unit.factor, scale);
  if (nanos > LARGEST * NANO) nanos = LARGEST * NANO;
  return { nanos: match[1] === "-" ? -nanos : nanos, style: unit.style };
}

interface Unit {
  readonly factor: bigint;
  readonly exponent: number;
  readonly style: Style;
}

function unitOf(suffix: string): Unit | undefined {
  const decimal = DECIMAL.get(suffix);
  if (decimal !== undefined) return { factor: 1n, exponent: decimal, style: "decimal" };
  const power = BINARY.indexOf(suffix);
  if (power > 0) return { factor: 1024n ** BigInt(power), exponent: 0, style: "binary" };
  const exponent = EXPONENT.exec(suffix)?.[1];
  return exponent === undefined
    ? undefined
    : { factor: 1n, exponent: clamp(Number(exponent)), style: "exponent" };
}

/** Beyond these, everything is the largest value, or one billionth. */
const clamp = (exponent: number): number => Math.max(-EXPONENT_MAX, Math.min(EXPONENT_MAX, exponent));

/** value × 10^scale; what is lost below the billionths rounds away from zero. */
function scaleUp(value: bigint, scale: number): bigint {
  if (scale >= 0) return value * 10n ** BigInt(scale);
  const divisor = 10n ** BigInt(-scale);
  return value / divisor + (value % divisor === 0n ? 0n : 1n);
}

function print({ nanos, style }: Quantity): string {
  if (nanos === 0n) return "0";
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  const binary = style === "binary" && size >= 1024n * NANO && size % NANO === 0n;
  if (binary) return sign + printBinary(size / NANO);
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
  let exponent = -9;
  while (digits % 1000n === 0n && exponent < 18) {
    digits /= 1000n;
    exponent += 3;
  }
  return [digits, exponent];
}

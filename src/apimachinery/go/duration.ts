// Durations as Go's time.ParseDuration parses them: "5s", "1m30s", "1.5h", "0".

const UNIT_NANOS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n], // U+00B5, micro sign
  ["μs", 1_000n], // U+03BC, Greek mu
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);
// An unambiguous pattern, so that a long invalid text is rejected in linear time.
const AMOUNT = "(?:\\d+(?:\\.\\d*)?|\\.\\d+)";
const PART = `${AMOUNT}(?:ns|us|µs|μs|ms|s|m|h)`;
const SHAPE = new RegExp(`^[+-]?(?:0|(?:${PART})+)$`);
const FIRST_PARTS = new RegExp(`^(?:${PART})+(?=[\\d.])`);
const AMOUNT_AND_UNIT = new RegExp(`^${AMOUNT}([^\\d.]*)`);
const INT64_END = 2n ** 63n;
const INT64_DIGITS_MAX = 19;
/** Far more digits than a nanosecond needs. */
const FRACTION_DIGITS_MAX = 100;

/** Whether the text has the form of a duration; it may still exceed an int64 of nanoseconds. */
export const isDurationShaped = (text: string): boolean => SHAPE.test(text);

/** Nanoseconds; undefined for an invalid duration, or one beyond an int64 (about 292 years). */
export function parseGoDuration(text: string): bigint | undefined {
  if (!isDurationShaped(text)) return undefined;
  let nanos = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of text.matchAll(/(\d*)\.?(\d*)([nuµμm]?s|m|h)/g)) {
    const size = UNIT_NANOS.get(unit) ?? 0n;
    const amount = whole.replace(/^0+/, "");
    if (amount.length > INT64_DIGITS_MAX) return undefined;
    nanos += BigInt(amount) * size;
    const part = fraction.slice(0, FRACTION_DIGITS_MAX);
    if (part) nanos += (BigInt(part) * size) / 10n ** BigInt(part.length);
  }
  const signed = text.startsWith("-") ? -nanos : nanos;
  return signed >= INT64_END || signed < -INT64_END ? undefined : signed;
}

/** The duration in milliseconds, possibly with a fraction. */
export function durationMs(text: string): number | undefined {
  const nanos = parseGoDuration(text);
  return nanos === undefined ? undefined : Number(nanos) / 1e6;
}

/** time.ParseDuration's error for an invalid duration. */
export function durationComplaint(text: string): string {
  const quoted = JSON.stringify(text);
  const rest = text.replace(/^[+-]/, "").replace(FIRST_PARTS, "");
  const [, unit] = AMOUNT_AND_UNIT.exec(rest) ?? [];
  if (unit === undefined || UNIT_NANOS.has(unit)) return `time: invalid duration ${quoted}`;
  if (unit === "") return `time: missing unit in duration ${quoted}`;
  return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
}

/** In seconds with an s, as protobuf and CEL write a duration: "90s", "0.5s". */
export function formatSeconds(nanos: bigint): string {
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = String(size % 1_000_000_000n)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${sign}${size / 1_000_000_000n}${fraction ? `.${fraction}` : ""}s`;
}

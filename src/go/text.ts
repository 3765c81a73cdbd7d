// How Go writes and reads numbers, quotes and times: the texts that conversions give and take.

/** strconv.Quote for text: printable characters stay, the rest is escaped. */
export function goQuote(text: string): string {
  let out = '"';
  for (const point of text) out += quotePoint(point);
  return `${out}"`;
}

const ESCAPED = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);

function quotePoint(point: string): string {
  const escaped = ESCAPED.get(point);
  if (escaped !== undefined) return escaped;
  const code = point.codePointAt(0) ?? 0;
  if (code < 0x80) return code >= 0x20 && code < 0x7f ? point : `\\x${code.toString(16).padStart(2, "0")}`;
  if (/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(point)) return point;
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** strconv.ParseFloat for what a text may hold; undefined if it is no number. */
export function parseGoFloat(text: string): number | undefined {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
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

const UNIT_NANOS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);
const DURATION = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const DURATION_MAX = 2n ** 63n;

/** time.ParseDuration in nanoseconds; undefined if the text is no duration. */
export function parseGoDuration(text: string): bigint | undefined {
  if (!DURATION.test(text)) return undefined;
  let nanos = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of text.matchAll(
    /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g,
  )) {
    const size = UNIT_NANOS.get(unit) ?? 0n;
    nanos += BigInt(whole || "0") * size;
    if (fraction) nanos += (BigInt(fraction) * size) / 10n ** BigInt(fraction.length);
  }
  const signed = text.startsWith("-") ? -nanos : nanos;
  return signed >= DURATION_MAX || signed < -DURATION_MAX ? undefined : signed;
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/** A RFC 3339 time in nanoseconds since the epoch; undefined if the text is none. */
export function parseRfc3339(text: string): bigint | undefined {
  const match = RFC3339.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", zone = "Z"] = match;
  const seconds = epochSeconds([year, month, day, hour, minute, second].map(Number));
  if (seconds === undefined) return undefined;
  const nanos = BigInt(fraction.slice(0, 9).padEnd(9, "0"));
  const offset = zoneSeconds(zone);
  return offset === undefined ? undefined : BigInt(seconds - offset) * 1_000_000_000n + nanos;
}

function zoneSeconds(zone: string): number | undefined {
  if (zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** Seconds since the epoch of a calendar time in UTC; undefined if there is no such day or time. */
function epochSeconds(parts: readonly number[]): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return date.getTime() / 1000 + hour * 3600 + minute * 60 + second;
}

/** time.RFC3339Nano in UTC. */
export function formatRfc3339(nanos: bigint): string {
  const second = 1_000_000_000n;
  const fraction = ((nanos % second) + second) % second;
  const date = new Date(Number((nanos - fraction) / 1_000_000n));
  const digits = fraction === 0n ? "" : `.${String(fraction).padStart(9, "0").replace(/0+$/, "")}`;
  return date.toISOString().replace(/\.\d+Z$/, `${digits}Z`);
}

/** A duration in seconds with an s: "90s", "0.5s". */
export function formatSeconds(nanos: bigint): string {
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = String(size % 1_000_000_000n)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${sign}${size / 1_000_000_000n}${fraction ? `.${fraction}` : ""}s`;
}

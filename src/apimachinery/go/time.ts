// Times as Go parses and formats them (time.Time, metav1.Time, MicroTime): RFC 3339 with Go's leniencies (an hour of
// one digit, a fraction that the layout does not have), and Go's error messages.

export const TIME_LAYOUT = "2006-01-02T15:04:05Z07:00";
export const MICRO_TIME_LAYOUT = "2006-01-02T15:04:05.000000Z07:00";

export type ParsedTime =
  | { readonly ok: true; readonly seconds: number; readonly nanoseconds: number }
  | { readonly ok: false; readonly error: string };

const FRACTION = ".000000";
/** The elements of a layout in their order, and the pattern of each. */
const ELEMENTS = [
  ["2006", "\\d{4}"],
  ["-", "-"],
  ["01", "\\d\\d"],
  ["-", "-"],
  ["02", "\\d\\d"],
  ["T", "T"],
  ["15", "\\d\\d?"],
  [":", ":"],
  ["04", "\\d\\d"],
  [":", ":"],
  ["05", "\\d\\d"],
  [FRACTION, "[.,]\\d{6}"],
  ["Z07:00", "Z|[+-]\\d\\d:\\d\\d"],
] as const;

/** Matches as many leading elements as the text has. */
const elementsForm = (forms: readonly string[]): RegExp =>
  new RegExp(`^${forms.reduceRight((rest, form) => `(?:(${form})${rest})?`, "")}`);

const MICRO_FORM = elementsForm(ELEMENTS.map(([, form]) => form));
/** A fraction is accepted even if the layout has none. */
const PLAIN_FORM = elementsForm(
  ELEMENTS.map(([element, form]) => (element === FRACTION ? "(?:[.,]\\d+)?" : form)),
);
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** time.Parse with one of the two layouts. */
export function parseGoTime(text: string, layout: string): ParsedTime {
  const isMicro = layout === MICRO_TIME_LAYOUT;
  const found = (isMicro ? MICRO_FORM : PLAIN_FORM).exec(text) ?? [""];
  // Capture groups are numbered by element, from 1.
  const month = Number(found[3]);
  const hour = Number(found[7]);
  const minute = Number(found[9]);
  const second = Number(found[11]);
  // A missing element is NaN, which is in range.
  if (month < 1 || month > 12) return failed(text, ": month out of range");
  if (hour > 23) return failed(text, ": hour out of range");
  if (minute > 59) return failed(text, ": minute out of range");
  if (second > 59) return failed(text, ": second out of range");
  const fraction = found[12] ?? "";
  const zone = found[13];
  const rest = text.slice(found[0].length);
  if (zone === undefined) {
    const [missing] = ELEMENTS.find(
      ([element], place) => found[place + 1] === undefined && (isMicro || element !== FRACTION),
    ) ?? [""];
    return failed(
      text,
      ` as ${quoteElement(layout)}: cannot parse ${quoteElement(rest)} as ${quoteElement(missing)}`,
    );
  }
  const east = zone === "Z" ? { hours: 0, minutes: 0 } : hoursAndMinutes(zone);
  if (east.hours > 24) return failed(text, ": time zone offset hour out of range");
  if (east.minutes > 60) return failed(text, ": time zone offset minute out of range");
  if (rest !== "") return failed(text, `: extra text: ${quoteElement(rest)}`);
  const year = Number(found[1]);
  const day = Number(found[5]);
  if (day < 1 || day > daysIn(month, year)) return failed(text, ": day out of range");
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const offset = (zone.startsWith("-") ? -1 : 1) * (east.hours * 3600 + east.minutes * 60);
  const nanoseconds = fraction === "" ? 0 : Number(fraction.slice(1, 10).padEnd(9, "0"));
  return { ok: true, seconds: date.getTime() / 1000 - offset, nanoseconds };
}

const failed = (text: string, complaint: string): ParsedTime => ({
  ok: false,
  error: `parsing time ${quoteElement(text)}${complaint}`,
});

const hoursAndMinutes = (zone: string): { readonly hours: number; readonly minutes: number } => ({
  hours: Number(zone.slice(1, 3)),
  minutes: Number(zone.slice(4, 6)),
});

function daysIn(month: number, year: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
}

/** Go's time package has a quoting of its own: everything beyond printable ASCII as bytes. */
function quoteElement(text: string): string {
  let out = '"';
  for (const letter of text) {
    const code = letter.charCodeAt(0);
    if (letter === '"' || letter === "\\") out += `\\${letter}`;
    else if (code >= 0x20 && code < 0x80) out += letter;
    else
      for (const byte of new TextEncoder().encode(letter)) out += `\\x${byte.toString(16).padStart(2, "0")}`;
  }
  return `${out}"`;
}

/** Go's zero time, 0001-01-01T00:00:00Z, in seconds since the epoch. */
export const ZERO_SECONDS = -62_135_596_800;

/** Formats a MicroTime from milliseconds since the epoch. */
export const formatMicroTime = (epochMs: number): string =>
  formatMetaTime(Math.floor(epochMs / 1000), (Math.floor(epochMs) % 1000) * 1000);

/** Formats a metav1.Time, in UTC with whole seconds; with microseconds a MicroTime. */
export function formatMetaTime(seconds: number, microseconds?: number): string {
  const iso = new Date(seconds * 1000).toISOString();
  const whole = iso.slice(0, iso.lastIndexOf("."));
  return microseconds === undefined ? `${whole}Z` : `${whole}.${String(microseconds).padStart(6, "0")}Z`;
}

/** The canonical text of a metav1.Time or MicroTime; undefined for Go's zero time. */
export function canonicalTime(text: string, micro: boolean): string | undefined {
  const parsed = parseGoTime(text, micro ? MICRO_TIME_LAYOUT : TIME_LAYOUT);
  if (!parsed.ok || (parsed.seconds === ZERO_SECONDS && parsed.nanoseconds === 0)) return undefined;
  return formatMetaTime(parsed.seconds, micro ? Math.floor(parsed.nanoseconds / 1000) : undefined);
}

const SECOND_NANOS = 1_000_000_000n;

/** time.Parse(time.RFC3339) in nanoseconds since the epoch; undefined if the text is no such time. */
export function parseRfc3339(text: string): bigint | undefined {
  const parsed = parseGoTime(text, TIME_LAYOUT);
  return parsed.ok ? BigInt(parsed.seconds) * SECOND_NANOS + BigInt(parsed.nanoseconds) : undefined;
}

/** time.RFC3339Nano in UTC: as many digits of a fraction as needed. */
export function formatRfc3339(nanos: bigint): string {
  const fraction = ((nanos % SECOND_NANOS) + SECOND_NANOS) % SECOND_NANOS;
  const digits = fraction === 0n ? "" : `.${String(fraction).padStart(9, "0").replace(/0+$/, "")}`;
  return formatMetaTime(Number((nanos - fraction) / SECOND_NANOS)).replace("Z", `${digits}Z`);
}

/** Whether time.Parse("2006-01-02") accepts the text. */
export function isGoDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(month, year);
}

// Times as Go reads and writes them (time.Time, metav1.Time, MicroTime): RFC 3339 with Go's leniencies (an hour of one
// digit, a fraction where the layout has none) and Go's words for what cannot be read.

export const TIME_LAYOUT = "2006-01-02T15:04:05Z07:00";
export const MICRO_TIME_LAYOUT = "2006-01-02T15:04:05.000000Z07:00";

export type ParsedTime =
  | { readonly ok: true; readonly seconds: number; readonly nanoseconds: number }
  | { readonly ok: false; readonly error: string };

/** What is being read: the text, and how far. */
interface Cursor {
  readonly layout: string;
  readonly text: string;
  at: number;
}

class TimeError extends Error {}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** time.Parse with one of the two layouts. */
export function parseGoTime(text: string, layout: string): ParsedTime {
  const cursor: Cursor = { layout, text, at: 0 };
  try {
    return { ok: true, ...readTime(cursor) };
  } catch (error) {
    if (!(error instanceof TimeError)) throw error;
    return { ok: false, error: error.message };
  }
}

function readTime(cursor: Cursor): { seconds: number; nanoseconds: number } {
  const year = readYear(cursor);
  literal(cursor, "-");
  const month = readNumber(cursor, "01", { name: "month", min: 1, max: 12, fixed: true });
  literal(cursor, "-");
  const day = readNumber(cursor, "02", { name: "day", min: 0, max: 99, fixed: true });
  literal(cursor, "T");
  const hour = readNumber(cursor, "15", { name: "hour", min: 0, max: 23, fixed: false });
  literal(cursor, ":");
  const minute = readNumber(cursor, "04", { name: "minute", min: 0, max: 59, fixed: true });
  literal(cursor, ":");
  const second = readNumber(cursor, "05", { name: "second", min: 0, max: 59, fixed: true });
  const nanoseconds = cursor.layout === MICRO_TIME_LAYOUT ? readSixDigits(cursor) : readFraction(cursor);
  const offset = readOffset(cursor);
  if (cursor.at < cursor.text.length)
    fail(cursor, `: extra text: ${quoteElement(cursor.text.slice(cursor.at))}`);
  if (day < 1 || day > daysIn(month, year)) fail(cursor, ": day out of range");
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return { seconds: date.getTime() / 1000 - offset, nanoseconds };
}

function fail(cursor: Cursor, complaint: string): never {
  throw new TimeError(`parsing time ${quoteElement(cursor.text)}${complaint}`);
}

function failAt(cursor: Cursor, element: string): never {
  const shown = quoteElement(cursor.text.slice(cursor.at));
  fail(cursor, ` as ${quoteElement(cursor.layout)}: cannot parse ${shown} as ${quoteElement(element)}`);
}

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
};

function literal(cursor: Cursor, expected: string): void {
  if (cursor.text[cursor.at] !== expected) failAt(cursor, expected);
  cursor.at++;
}

function readYear(cursor: Cursor): number {
  if (!/^\d{4}/.test(cursor.text)) failAt(cursor, "2006");
  cursor.at = 4;
  return Number(cursor.text.slice(0, 4));
}

interface Element {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Two digits, always. */
  readonly fixed: boolean;
}

function readNumber(cursor: Cursor, element: string, { name, min, max, fixed }: Element): number {
  const { text, at } = cursor;
  const digits = isDigit(text, at) ? (isDigit(text, at + 1) ? 2 : 1) : 0;
  if (digits === 0 || (fixed && digits === 1)) failAt(cursor, element);
  const value = Number(text.slice(at, at + digits));
  cursor.at = at + digits;
  if (value < min || value > max) fail(cursor, `: ${name} out of range`);
  return value;
}

const isPoint = (letter: string | undefined): boolean => letter === "." || letter === ",";

/** A fraction that the layout does not ask for. */
function readFraction(cursor: Cursor): number {
  const { text, at } = cursor;
  if (!isPoint(text[at]) || !isDigit(text, at + 1)) return 0;
  let end = at + 2;
  while (isDigit(text, end)) end++;
  cursor.at = end;
  return Number(text.slice(at + 1, Math.min(end, at + 10)).padEnd(9, "0"));
}

function readSixDigits(cursor: Cursor): number {
  const { text, at } = cursor;
  const digits = text.slice(at + 1, at + 7);
  if (!isPoint(text[at]) || !/^\d{6}$/.test(digits)) failAt(cursor, ".000000");
  cursor.at = at + 7;
  return Number(digits) * 1000;
}

/** Seconds east of UTC. */
function readOffset(cursor: Cursor): number {
  const { text, at } = cursor;
  if (text[at] === "Z") {
    cursor.at = at + 1;
    return 0;
  }
  const zone = /^([+-])(\d\d):(\d\d)$/.exec(text.slice(at, at + 6));
  if (zone === null) failAt(cursor, "Z07:00");
  cursor.at = at + 6;
  const [hours, minutes] = [Number(zone[2]), Number(zone[3])];
  if (hours > 24) fail(cursor, ": time zone offset hour out of range");
  if (minutes > 60) fail(cursor, ": time zone offset minute out of range");
  return (zone[1] === "-" ? -1 : 1) * (hours * 3600 + minutes * 60);
}

function daysIn(month: number, year: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
}

/** Go's time package quotes on its own: everything beyond printable ASCII as bytes. */
function quoteElement(text: string): string {
  let out = '"';
  for (const letter of text) {
    const code = letter.charCodeAt(0);
    if (letter === '"' || letter === "\\") out += `\\${letter}`;
    else if (code >= 0x20 && code < 0x80) out += letter;
    else for (const byte of Buffer.from(letter)) out += `\\x${byte.toString(16).padStart(2, "0")}`;
  }
  return `${out}"`;
}

/** Go's zero time, 0001-01-01T00:00:00Z, in seconds since the epoch. */
export const ZERO_SECONDS = -62_135_596_800;

/** As metav1.Time is written, in UTC with whole seconds; with microseconds as MicroTime is. */
export function formatMetaTime(seconds: number, microseconds?: number): string {
  const iso = new Date(seconds * 1000).toISOString();
  const whole = iso.slice(0, iso.lastIndexOf("."));
  return microseconds === undefined ? `${whole}Z` : `${whole}.${String(microseconds).padStart(6, "0")}Z`;
}

/** The text of a metav1.Time or MicroTime as it is written back; undefined for Go's zero time. */
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

/** time.RFC3339Nano in UTC: as many digits of a fraction as there are. */
export function formatRfc3339(nanos: bigint): string {
  const fraction = ((nanos % SECOND_NANOS) + SECOND_NANOS) % SECOND_NANOS;
  const digits = fraction === 0n ? "" : `.${String(fraction).padStart(9, "0").replace(/0+$/, "")}`;
  return formatMetaTime(Number((nanos - fraction) / SECOND_NANOS)).replace("Z", `${digits}Z`);
}

/** time.Parse("2006-01-02"), yes or no. */
export function isGoDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(month, year);
}

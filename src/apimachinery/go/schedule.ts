// Schedules of a CronJob, parsed as by the cron library that Kubernetes uses: five cron fields, or a word like @daily.
import { durationComplaint, parseGoDuration } from "./duration.ts";
import { goQuote } from "./strconv.ts";

interface Field {
  readonly min: number;
  readonly max: number;
  /** Names of the numbers, from the smallest on. */
  readonly names: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const FIELDS: readonly Field[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];
const WORDS: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);
const EVERY = "@every ";
const ZONE = /^(?:CRON_)?TZ=/;
/** The limit of Go's int. */
const INT_MAX = 2n ** 63n - 1n;

/** The error of an invalid schedule, in the library's words. */
class ScheduleError extends Error {}

/** A list with the error of an invalid schedule; empty: it is valid. */
export function isSchedule(text: string): string[] {
  try {
    parseSchedule(text);
    return [];
  } catch (error) {
    if (error instanceof ScheduleError) return [error.message];
    throw error;
  }
}

/** The matching minutes, hours, days of the month, months and days of the week. */
export interface FieldSchedule {
  readonly numbers: readonly ReadonlySet<number>[];
  /**
   * Which fields are unrestricted. If the day of the month or of the week is, both must match; otherwise one of them.
   */
  readonly isOpen: readonly boolean[];
}

export interface Schedule {
  /** The time zone in the text. */
  readonly zone: string | undefined;
  /** A fixed interval, or calendar times. */
  readonly times: { readonly everyMs: number } | FieldSchedule;
}

/** The schedule; undefined for an invalid one. */
export function readSchedule(text: string): Schedule | undefined {
  try {
    return parseSchedule(text);
  } catch (error) {
    if (error instanceof ScheduleError) return undefined;
    throw error;
  }
}

function parseSchedule(text: string): Schedule {
  const isZoned = ZONE.test(text);
  const times = isZoned ? withoutZone(text) : text;
  const zone = isZoned ? text.slice(text.indexOf("=") + 1).split(" ")[0] : undefined;
  return { zone, times: times.startsWith("@") ? parseWord(times) : parseFields(times) };
}

function parseFields(times: string): FieldSchedule {
  const fields = times.split(/\s+/).filter(Boolean);
  if (fields.length !== FIELDS.length) {
    const found = `${fields.length}: [${fields.join(" ")}]`;
    throw new ScheduleError(`expected exactly ${FIELDS.length} fields, found ${found}`);
  }
  const read = FIELDS.map((field, index) => {
    const ranges = fields[index]?.split(",").filter(Boolean) ?? [];
    return ranges.map((range) => checkedRange(range, field));
  });
  return {
    numbers: read.map((ranges) => new Set(ranges.flatMap(numbersOf))),
    isOpen: read.map((ranges) => ranges.some(({ isAny, step }) => isAny && step === 1)),
  };
}

/** The zone is in front of the fields, separated by a blank. */
function withoutZone(text: string): string {
  const blank = text.indexOf(" ");
  const end = blank < 0 ? text.length : blank;
  const name = text.slice(text.indexOf("=") + 1, end);
  if (!isTimeZone(name)) {
    throw new ScheduleError(`provided bad location ${name}: ${unknownZone(name)}`);
  }
  return text.slice(end).trim();
}

function parseWord(text: string): Schedule["times"] {
  const meant = WORDS.get(text);
  if (meant !== undefined) return parseFields(meant);
  if (!text.startsWith(EVERY)) throw new ScheduleError(`unrecognized descriptor: ${text}`);
  const duration = text.slice(EVERY.length);
  const nanoseconds = parseGoDuration(duration);
  // Whole seconds, and one at least.
  if (nanoseconds !== undefined)
    return { everyMs: Math.max(Math.trunc(Number(nanoseconds) / 1e9), 1) * 1000 };
  throw new ScheduleError(`failed to parse duration ${text}: ${durationComplaint(duration)}`);
}

interface Range {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  /** It matches all numbers, or all in steps. */
  readonly isAny: boolean;
}

function numbersOf({ first, last, step }: Range): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}

function checkedRange(range: string, field: Field): Range {
  const read = readRange(range, field);
  const { first, last, step } = read;
  const wrong = (text: string): ScheduleError => new ScheduleError(`${text}: ${range}`);
  if (first < field.min) throw wrong(`beginning of range (${first}) below minimum (${field.min})`);
  if (last > field.max) throw wrong(`end of range (${last}) above maximum (${field.max})`);
  if (first > last) throw wrong(`beginning of range (${first}) beyond end of range (${last})`);
  if (step === 0) throw wrong("step of range should be a positive number");
  return read;
}

/** "*", "2", "2-5", each with an optional "/3"; a number with a step matches all from there on. */
function readRange(range: string, field: Field): Range {
  const [limits = "", step, ...more] = range.split("/");
  const [low = "", high, ...others] = limits.split("-");
  const isAny = low === "*" || low === "?";
  const first = isAny ? field.min : readNumber(low, field);
  if (!isAny && others.length > 0) throw new ScheduleError(`too many hyphens: ${range}`);
  const end = isAny ? field.max : high === undefined ? first : readNumber(high, field);
  if (step === undefined) return { first, last: end, step: 1, isAny };
  if (more.length > 0) throw new ScheduleError(`too many slashes: ${range}`);
  return { first, step: readInt(step), last: high === undefined ? field.max : end, isAny };
}

function readNumber(text: string, { names, min }: Field): number {
  const place = names.indexOf(text.toLowerCase());
  return place < 0 ? readInt(text) : place + min;
}

function readInt(text: string): number {
  const failed = (why: string): ScheduleError =>
    new ScheduleError(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw failed("invalid syntax");
  const number = BigInt(text.replace("+", ""));
  if (number > INT_MAX || number < -INT_MAX - 1n) throw failed("value out of range");
  if (number < 0) throw new ScheduleError(`negative number (${number}) not allowed: ${text}`);
  return Number(number);
}

export const unknownZone = (name: string): string => `unknown time zone ${name}`;

/** Whether the time zone exists. Go finds zones as files, so the names are case-sensitive. */
export function isTimeZone(name: string): boolean {
  if (name === "" || name === "Local") return true;
  if (!name.split("/").every((part) => /^[A-Z]/.test(part))) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

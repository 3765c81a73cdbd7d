// The successive times of a schedule, as robfig/cron computes them: month, day, hour and minute advance until all
// match. A time in the gap of a forward clock change is skipped. A time in the repeated hour of a backward change
// occurs twice only if the search reaches that hour in steps of one hour. This is an own implementation of 100 lines
// because libraries differ in just these cases.
import type { FieldSchedule, Schedule } from "../../apimachinery/go/schedule.ts";

/** Milliseconds since the epoch. undefined: no time within five years. */
export function nextTime({ times }: Schedule, zone: string, afterMs: number): number | undefined {
  const second = Math.floor(afterMs / 1000) * 1000;
  if ("everyMs" in times) return second + times.everyMs;
  return nextByFields(times, zoneNamed(zone), second + 1000);
}

const YEARS_MAX = 5;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function nextByFields(fields: FieldSchedule, zone: Zone, fromMs: number): number | undefined {
  const [minutes, hours] = fields.numbers;
  let time = fromMs;
  let local = zone.at(time);
  const lastYear = local.year + YEARS_MAX;
  const go = (ms: number): void => {
    time = ms;
    local = zone.at(ms);
  };
  // The first unit that advances resets all smaller units to their start, once.
  let isMoved = false;
  const begin = (ms: () => number): void => {
    if (!isMoved) go(ms());
    isMoved = true;
  };
  const midnight = (days: number): number => {
    go(zone.msOf(local.year, local.month, local.day + days, 0));
    // Midnight itself can be in a gap of a clock change.
    return local.hour === 0 ? time : time + (local.hour > 12 ? 24 - local.hour : -local.hour) * HOUR_MS;
  };
  while (local.year <= lastYear) {
    const { year, month, day, hour, minute } = local;
    if (!fields.numbers[3]?.has(month)) {
      isMoved = true;
      go(zone.msOf(year, month + 1, 1, 0));
    } else if (!dayFits(fields, local)) {
      begin(() => zone.msOf(year, month, day, 0));
      go(midnight(1));
    } else if (!hours?.has(hour)) {
      begin(() => zone.msOf(year, month, day, hour));
      go(time + HOUR_MS);
    } else if (!minutes?.has(minute)) {
      begin(() => Math.floor(time / MINUTE_MS) * MINUTE_MS);
      go(time + MINUTE_MS);
    } else if (local.second !== 0) {
      isMoved = true;
      go(time + (60 - local.second) * 1000);
    } else return time;
  }
  return undefined;
}

function dayFits({ numbers, isOpen }: FieldSchedule, { day, weekday }: Local): boolean {
  const [ofMonth, ofWeek] = [numbers[2]?.has(day) === true, numbers[4]?.has(weekday) === true];
  return isOpen[2] || isOpen[4] ? ofMonth && ofWeek : ofMonth || ofWeek;
}

interface Local {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

interface Zone {
  at(ms: number): Local;
  /** The time of a local date. A date in a gap gets the offset on one side of it. Days and months may overflow. */
  msOf(year: number, month: number, day: number, hour: number): number;
}

const localOf = (ms: number): Local => {
  const date = new Date(ms);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
};

/** kube-controller-manager runs in UTC, so an empty zone is UTC. */
const isUtc = (name: string): boolean => ["", "UTC", "Etc/UTC", "Local"].includes(name);

const zoneNamed = (name: string): Zone => {
  const offset = offsetsOf(name);
  return {
    at: (ms) => localOf(ms + offset(ms)),
    msOf(year, month, day, hour) {
      const asUtc = Date.UTC(year, month - 1, day, hour);
      const guess = offset(asUtc);
      const there = offset(asUtc - guess);
      return asUtc - there;
    },
  };
};

/** The offset of the zone from UTC at a time, in milliseconds. */
function offsetsOf(name: string): (ms: number) => number {
  if (isUtc(name)) return () => 0;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const [year = 0, month = 1, day, hour, minute, second] = [
      "year",
      "month",
      "day",
      "hour",
      "minute",
      "second",
    ].map((type) => parts.get(type as Intl.DateTimeFormatPartTypes));
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
  };
}

/** RFC 3339 in the zone: "2026-07-01T09:00:00+02:00". */
export function formatInZone(ms: number, zone: string): string {
  const offset = offsetsOf(zone)(ms);
  const local = new Date(ms + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${local}Z`;
  const minutes = Math.abs(offset) / MINUTE_MS;
  const two = (count: number): string => String(Math.floor(count)).padStart(2, "0");
  return `${local}${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}

// getFullYear() and its kin on timestamps, in UTC or in a zone given by name or offset; getHours() and its kin on
// durations count whole units.
import { type FunctionDecl, member } from "../language/overload.ts";
import { DURATION, INT, STRING, TIMESTAMP } from "../language/types.ts";
import { CelError } from "../values/cel-error.ts";
import { Duration, Timestamp, type Value } from "../values/value.ts";
import { instanceAt, textAt } from "./args.ts";

const MILLIS = 1_000_000n;
const DAY_MS = 86_400_000;

/** What a wall clock in the zone shows, as a Date whose UTC fields are that. */
function wallClock(time: Timestamp, zone: string): Date {
  const floor = (time.nanos - (((time.nanos % MILLIS) + MILLIS) % MILLIS)) / MILLIS;
  const epoch = Number(floor);
  const offset = /^([+-]?)(\d+):(\d+)$/.exec(zone);
  if (offset) {
    const [, sign, hours, minutes] = offset;
    const shift = Number(hours) * 60 + Number(minutes);
    return new Date(epoch + (sign === "-" ? -shift : shift) * 60_000);
  }
  if (zone === "" || zone === "UTC") return new Date(epoch);
  return new Date(epoch + zoneShift(epoch, zone));
}

function zoneShift(epoch: number, zone: string): number {
  try {
    const options = { timeZone: zone, hourCycle: "h23", era: "short" } as const;
    const style = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric" } as const;
    const format = new Intl.DateTimeFormat("en-US", {
      ...options,
      ...style,
      minute: "numeric",
      second: "numeric",
    });
    const part = Object.fromEntries(format.formatToParts(epoch).map(({ type, value }) => [type, value]));
    const year = Number(part["year"]);
    const shown = new Date(0);
    shown.setUTCFullYear(
      part["era"] === "BC" ? 1 - year : year,
      Number(part["month"]) - 1,
      Number(part["day"]),
    );
    shown.setUTCHours(Number(part["hour"]), Number(part["minute"]), Number(part["second"]));
    return shown.getTime() - Math.floor(epoch / 1000) * 1000;
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}

const dayOfYear = (date: Date): number =>
  Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS);

const TIMESTAMP_PARTS: readonly (readonly [string, string, (date: Date) => number])[] = [
  ["getFullYear", "year", (date) => date.getUTCFullYear()],
  ["getMonth", "month", (date) => date.getUTCMonth()],
  ["getDayOfYear", "day_of_year", dayOfYear],
  ["getDayOfMonth", "day_of_month", (date) => date.getUTCDate() - 1],
  ["getDate", "day_of_month_1_based", (date) => date.getUTCDate()],
  ["getDayOfWeek", "day_of_week", (date) => date.getUTCDay()],
  ["getHours", "hours", (date) => date.getUTCHours()],
  ["getMinutes", "minutes", (date) => date.getUTCMinutes()],
  ["getSeconds", "seconds", (date) => date.getUTCSeconds()],
  ["getMilliseconds", "milliseconds", (date) => date.getUTCMilliseconds()],
];

const DURATION_UNITS = new Map([
  ["getHours", 3_600_000_000_000n],
  ["getMinutes", 60_000_000_000n],
  ["getSeconds", 1_000_000_000n],
  ["getMilliseconds", MILLIS],
]);

export function timeFunctions(): FunctionDecl[] {
  return TIMESTAMP_PARTS.map(([name, part, take]) => {
    const at = (args: readonly Value[], zone: string): Value =>
      BigInt(take(wallClock(instanceAt(args, 0, Timestamp), zone)));
    const overloads = [
      member(`timestamp_to_${part}`, [TIMESTAMP], INT, (args) => at(args, "UTC")),
      member(`timestamp_to_${part}_with_tz`, [TIMESTAMP, STRING], INT, (args) => at(args, textAt(args, 1))),
    ];
    const unit = DURATION_UNITS.get(name);
    if (unit !== undefined) {
      const count = (args: readonly Value[]): Value => instanceAt(args, 0, Duration).nanos / unit;
      overloads.push(member(`duration_to_${part}`, [DURATION], INT, count));
    }
    return { name, overloads };
  });
}

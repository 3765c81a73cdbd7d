// getFullYear() and similar functions on timestamps, in UTC or in a zone given by name or offset; getHours() and
// similar ones on durations count whole units.
import { CelError, type Duration, type Timestamp } from "../values/value.ts";
import { declare, type FunctionDecl } from "./declare.ts";

const MILLIS = 1_000_000n;
const DAY_MS = 86_400_000;

/** The local time in the zone, as a Date whose UTC fields hold it. */
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

/** Parts of a local time; and the nanoseconds of the same unit for durations. */
const PARTS: readonly (readonly [name: string, take: (date: Date) => number, unit?: bigint])[] = [
  ["getFullYear", (date) => date.getUTCFullYear()],
  ["getMonth", (date) => date.getUTCMonth()],
  ["getDayOfYear", dayOfYear],
  ["getDayOfMonth", (date) => date.getUTCDate() - 1],
  ["getDate", (date) => date.getUTCDate()],
  ["getDayOfWeek", (date) => date.getUTCDay()],
  ["getHours", (date) => date.getUTCHours(), 3_600_000_000_000n],
  ["getMinutes", (date) => date.getUTCMinutes(), 60_000_000_000n],
  ["getSeconds", (date) => date.getUTCSeconds(), 1_000_000_000n],
  ["getMilliseconds", (date) => date.getUTCMilliseconds(), MILLIS],
];

export const timeFunctions = (): FunctionDecl[] =>
  PARTS.flatMap(([name, take, unit]) => {
    const ofTime = (time: Timestamp, zone = "UTC") => BigInt(take(wallClock(time, zone)));
    const at = declare(`timestamp.${name}(string?) -> int`, ofTime);
    if (unit === undefined) return [at];
    return [at, declare(`duration.${name}() -> int`, ({ nanos }: Duration) => nanos / unit)];
  });

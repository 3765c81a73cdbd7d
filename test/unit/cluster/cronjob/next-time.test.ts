import { describe, expect, test } from "vitest";
import { readSchedule } from "../../../../src/apimachinery/go/schedule.ts";
import { formatInZone, nextTime } from "../../../../src/cluster/cronjob/next-time.ts";

function next(text: string, after: string, zone = ""): string | undefined {
  const schedule = readSchedule(text);
  if (!schedule) throw new Error(`${text} is no schedule`);
  const ms = nextTime(schedule, zone, Date.parse(after));
  return ms === undefined ? undefined : new Date(ms).toISOString().replace(".000Z", "Z");
}

describe("the next time of a schedule", () => {
  // As the tests of robfig/cron have it, where these are about five fields.
  test.each([
    ["0/15 * * * *", "2012-07-09T14:45:00Z", "2012-07-09T15:00:00Z"],
    ["0/15 * * * *", "2012-07-09T14:59:59Z", "2012-07-09T15:00:00Z"],
    ["20-35/15 * * * *", "2012-07-09T15:45:00Z", "2012-07-09T16:20:00Z"],
    ["0 */2 * * *", "2012-07-09T23:35:51Z", "2012-07-10T00:00:00Z"],
    ["0 10-19/10 * * *", "2012-07-09T23:35:51Z", "2012-07-10T10:00:00Z"],
    ["0 0 9 Apr-Oct ?", "2012-07-09T23:35:00Z", "2012-08-09T00:00:00Z"],
    ["0 0 */5 4,8,10 Mon", "2012-07-09T23:35:00Z", "2012-08-01T00:00:00Z"],
    ["0 0 * Feb Mon", "2012-07-09T23:35:00Z", "2013-02-04T00:00:00Z"],
    ["0 0 29 2 *", "2012-07-09T23:35:00Z", "2016-02-29T00:00:00Z"],
    ["0 0 1,15 * Sun", "2012-07-15T00:00:00Z", "2012-07-22T00:00:00Z"],
    ["0 0 1,15 * *", "2012-07-15T00:00:00Z", "2012-08-01T00:00:00Z"],
    ["@hourly", "2012-07-09T15:45:30Z", "2012-07-09T16:00:00Z"],
    ["@weekly", "2012-07-09T00:00:00Z", "2012-07-15T00:00:00Z"],
    ["@yearly", "2012-07-09T00:00:00Z", "2013-01-01T00:00:00Z"],
    ["@every 1h30m", "2012-07-09T14:45:10Z", "2012-07-09T16:15:10Z"],
    ["@every 10ms", "2012-07-09T14:45:10Z", "2012-07-09T14:45:11Z"],
  ])("%s after %s is %s", (text, after, expected) => expect(next(text, after)).toBe(expected));

  test.each([
    // Clocks go forward from 2 to 3: that time does not come that day.
    ["30 2 * * *", "2026-03-29T00:00:00Z", "Europe/Berlin", "2026-03-30T00:30:00Z"],
    ["0 3 * * *", "2026-03-29T00:00:00Z", "Europe/Berlin", "2026-03-29T01:00:00Z"],
    ["0 9 * * *", "2026-07-01T00:00:00Z", "America/New_York", "2026-07-01T13:00:00Z"],
    // Clocks go back from 3 to 2: every hour is an hour.
    ["0 * * * *", "2026-10-25T00:00:00Z", "Europe/Berlin", "2026-10-25T01:00:00Z"],
    ["0 0 * * *", "2026-10-24T12:00:00Z", "Asia/Kolkata", "2026-10-24T18:30:00Z"],
    // Midnight is in the gap.
    ["0 12 6 9 *", "2026-09-05T00:00:00Z", "America/Santiago", "2026-09-06T15:00:00Z"],
  ])("%s after %s in %s%s", (text, after, zone, expected) => expect(next(text, after, zone)).toBe(expected));

  test("never comes for a day that no month has", () => {
    expect(next("0 0 31 2 *", "2012-07-09T23:35:00Z")).toBeUndefined();
  });

  test("is told in its zone", () => {
    const ms = Date.parse("2026-07-01T07:00:00Z");
    expect(formatInZone(ms, "Europe/Berlin")).toBe("2026-07-01T09:00:00+02:00");
    expect(formatInZone(ms, "America/St_Johns")).toBe("2026-07-01T04:30:00-02:30");
    expect(formatInZone(ms, "")).toBe("2026-07-01T07:00:00Z");
  });
});

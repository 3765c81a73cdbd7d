// Times and durations as texts, in the forms that Kubernetes has: RFC 3339, and Go's durations ("90s", "1h30m").
import { durationComplaint, durationMs } from "../../go/duration.ts";
import { parseGoTime, TIME_LAYOUT } from "../../go/time.ts";
import { badRequest } from "../../meta/status.ts";

/** Milliseconds since the epoch. Throws a 400. */
export function readTime(text: string): number {
  const parsed = parseGoTime(text, TIME_LAYOUT);
  if (!parsed.ok) throw badRequest(`${JSON.stringify(text)} is no time: write it as 2030-01-02T15:04:05Z`);
  return parsed.seconds * 1000 + Math.floor(parsed.nanoseconds / 1_000_000);
}

/** Milliseconds, not less than none. Throws a 400. */
export function readDuration(text: string): number {
  const ms = durationMs(text);
  if (ms === undefined) throw badRequest(durationComplaint(text));
  if (ms < 0) throw badRequest(`${JSON.stringify(text)} is less than nothing`);
  return ms;
}

/** RFC 3339 in UTC, with milliseconds where there are some. */
export const timeText = (epochMs: number): string => new Date(epochMs).toISOString().replace(".000Z", "Z");

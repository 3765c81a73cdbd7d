// The scheduled time for which a CronJob is due, and when it is requeued. Pure.

import type { Schedule } from "../../apimachinery/go/schedule.ts";
import { numberAt, textAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { statusOf } from "../workloads/resources.ts";
import { nextTime } from "./next-time.ts";

export interface Due {
  /** The latest scheduled time that has passed since the last start. */
  readonly atMs: number | undefined;
  /** More than MANY scheduled times have passed. */
  readonly isFarBehind: boolean;
}

export const NEVER = "time difference between two schedules is less than 1 second";
const MANY = 100;
/** Added to the requeue delay, so that the scheduled time has passed by then. */
const DELTA_MS = 100;

interface Timed {
  readonly schedule: Schedule;
  readonly zone: string;
}

/**
 * The time from which scheduled times count: the last start, or else the creation. With a deadline it is not before
 * that deadline.
 */
function earliestMs(cronJob: KubeObject, nowMs: number, withDeadline: boolean): number {
  const last = Date.parse(textAt(statusOf(cronJob), "lastScheduleTime"));
  const since = Number.isNaN(last) ? Date.parse(cronJob.metadata.creationTimestamp ?? "") : last;
  const deadline = numberAt(specOf(cronJob), "startingDeadlineSeconds");
  if (!withDeadline || deadline === undefined) return since;
  return Math.max(since, nowMs - deadline * 1000);
}

/** undefined: the schedule has no times. */
export function dueTime(cronJob: KubeObject, timed: Timed, nowMs: number): Due | undefined {
  return mostRecent(earliestMs(cronJob, nowMs, true), timed, nowMs);
}

function mostRecent(earliest: number, { schedule, zone }: Timed, nowMs: number): Due | undefined {
  const next = (ms: number): number => nextTime(schedule, zone, ms) ?? Number.NaN;
  const first = next(earliest);
  const second = next(first);
  if (nowMs < first) return { atMs: undefined, isFarBehind: false };
  if (nowMs < second) return { atMs: first, isFarBehind: false };
  const between = Math.round((second - first) / 1000);
  if (!(between >= 1)) return undefined;
  const missed = Math.floor((nowMs - first) / 1000 / between) + 1;
  let recent: number | undefined;
  // There may be very many missed times. All but the last few are skipped, assuming a regular schedule.
  for (let time = next(first + (missed - 2) * between * 1000); time <= nowMs; time = next(time))
    recent = time;
  return { atMs: recent, isFarBehind: missed > MANY };
}

/** Milliseconds until the next scheduled time. */
export function nextInMs(cronJob: KubeObject, timed: Timed, nowMs: number): number | undefined {
  const { schedule, zone } = timed;
  const earliest = earliestMs(cronJob, nowMs, false);
  const first = nextTime(schedule, zone, earliest);
  // Before the first scheduled time that first time is used: the times of @every count from the earliest time.
  const isAhead = first !== undefined && first > nowMs;
  const next = isAhead ? first : nextTime(schedule, zone, mostRecent(earliest, timed, nowMs)?.atMs ?? nowMs);
  return next === undefined ? undefined : next + DELTA_MS - nowMs;
}

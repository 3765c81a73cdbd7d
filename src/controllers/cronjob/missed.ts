// Which time of its schedule a CronJob is to be started for now, and when it is to be looked at again. Pure.

import type { Schedule } from "../../go/schedule.ts";
import { numberAt, textAt } from "../../meta/json.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { statusOf } from "../workloads/resources.ts";
import { nextTime } from "./next-time.ts";

export interface Due {
  /** The last time that has come, since the last start. */
  readonly atMs: number | undefined;
  /** More than a hundred times have passed. */
  readonly isFarBehind: boolean;
}

export const NEVER = "time difference between two schedules is less than 1 second";
const MANY = 100;
/** A little later than its time, so that it has surely come. */
const DELTA_MS = 100;

interface Timed {
  readonly schedule: Schedule;
  readonly zone: string;
}

/** Since when times count: since the last start, and with a deadline not before that. */
function earliestMs(cronJob: KubeObject, nowMs: number, withDeadline: boolean): number {
  const last = Date.parse(textAt(statusOf(cronJob), "lastScheduleTime"));
  const since = Number.isNaN(last) ? Date.parse(cronJob.metadata.creationTimestamp ?? "") : last;
  const deadline = numberAt(specOf(cronJob), "startingDeadlineSeconds");
  if (!withDeadline || deadline === undefined) return since;
  return Math.max(since, nowMs - deadline * 1000);
}

/** Undefined: the schedule has no times. */
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
  // There may be very many times: those before the last few are passed over, as far as they are regular.
  for (let time = next(first + (missed - 2) * between * 1000); time <= nowMs; time = next(time))
    recent = time;
  return { atMs: recent, isFarBehind: missed > MANY };
}

/** In how many milliseconds the next time comes. */
export function nextInMs(cronJob: KubeObject, timed: Timed, nowMs: number): number | undefined {
  const { schedule, zone } = timed;
  const earliest = earliestMs(cronJob, nowMs, false);
  const first = nextTime(schedule, zone, earliest);
  // While none has come the first one counts: the times of @every begin where they are counted from.
  const isAhead = first !== undefined && first > nowMs;
  const next = isAhead ? first : nextTime(schedule, zone, mostRecent(earliest, timed, nowMs)?.atMs ?? nowMs);
  return next === undefined ? undefined : next + DELTA_MS - nowMs;
}

// Plans one reconcile of a CronJob: which jobs have ended, whether one is started, and which are removed from the
// history. Pure.

import { isTimeZone, readSchedule, unknownZone } from "../../apimachinery/go/schedule.ts";
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { isConditionTrue } from "../../apimachinery/meta/conditions.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import type { Remark } from "../../apimachinery/meta/occurrence.ts";
import { isGoing } from "../../controller/api.ts";
import { nameOf, ownerReference, statusOf, uidOf } from "../workloads/resources.ts";
import { dueTime, NEVER, nextInMs } from "./missed.ts";
import { formatInZone } from "./next-time.ts";

export const KIND = { apiVersion: "batch/v1", kind: "CronJob" };
const SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp";

export interface CronPlan {
  readonly says: readonly Remark[];
  /** Active jobs that are deleted to be replaced. They are no longer listed as active then. */
  readonly replace: readonly KubeObject[];
  /** Ended jobs beyond the history limits. */
  readonly forget: readonly KubeObject[];
  readonly start: { readonly job: KubeObject; readonly atMs: number } | undefined;
  /** The status without the started and the replaced jobs. */
  readonly status: JsonObject;
  readonly againInMs: number | undefined;
}

const endOf = (job: KubeObject): "Complete" | "Failed" | undefined =>
  (["Complete", "Failed"] as const).find((type) => isConditionTrue(statusOf(job), type));

export function planCronJob(cronJob: KubeObject, jobs: readonly KubeObject[], nowMs: number): CronPlan {
  const noted = noteEnds(cronJob, jobs);
  const forget = planHistory(cronJob, jobs);
  const idle = { ...noted, forget, replace: [], start: undefined, againInMs: undefined };
  if (isGoing(cronJob)) return idle;
  const saying = (...says: readonly Remark[]): CronPlan => ({ ...idle, says: [...noted.says, ...says] });
  const spec = specOf(cronJob);
  const zone = textAt(spec, "timeZone");
  if (zone !== "" && !isTimeZone(zone)) {
    return saying(warning("UnknownTimeZone", `invalid timeZone: "${zone}": ${unknownZone(zone)}`));
  }
  if (spec["suspend"] === true) return idle;
  const text = textAt(spec, "schedule");
  const schedule = readSchedule(text);
  if (schedule === undefined)
    return saying(warning("UnparseableSchedule", `unparseable schedule: "${text}"`));
  const timed = { schedule, zone: schedule.zone ?? zone };
  const due = dueTime(cronJob, timed, nowMs);
  if (due === undefined) return saying(warning("InvalidSchedule", `invalid schedule: ${text} : ${NEVER}`));
  const says = [
    ...noted.says,
    ...(text.includes("TZ") ? [UNSUPPORTED(text)] : []),
    ...(due.isFarBehind ? [FAR_BEHIND] : []),
  ];
  const waiting = { ...idle, says, againInMs: nextInMs(cronJob, timed, nowMs) };
  return due.atMs === undefined
    ? waiting
    : planStart(cronJob, jobs, waiting, { atMs: due.atMs, nowMs, zone });
}

const warning = (reason: string, message: string): Remark => ({ type: "Warning", reason, message });

const FAR_BEHIND = warning(
  "TooManyMissedTimes",
  "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
);
const UNSUPPORTED = (schedule: string): Remark =>
  warning(
    "UnsupportedSchedule",
    `CRON_TZ or TZ used in schedule "${schedule}" is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`,
  );

/** Jobs that have ended, or are gone, are removed from the active list. */
function noteEnds(cronJob: KubeObject, jobs: readonly KubeObject[]): Pick<CronPlan, "says" | "status"> {
  const before = statusOf(cronJob);
  const says: Remark[] = [];
  const listed = new Set(objectsAt(before, "active").map(({ uid }) => uid));
  const [gone, ended] = [new Set(listed), new Set<unknown>()];
  let lastSuccess = textAt(before, "lastSuccessfulTime");
  for (const job of jobs) {
    const end = endOf(job);
    gone.delete(uidOf(job));
    if (!listed.has(uidOf(job)) && !end) {
      const message = `Saw a job that the controller did not create or forgot: ${nameOf(job)}`;
      says.push(warning("UnexpectedJob", message));
    } else if (listed.has(uidOf(job)) && end) {
      ended.add(uidOf(job));
      const message = `Saw completed job: ${nameOf(job)}, condition: ${end}`;
      says.push({ type: "Normal", reason: "SawCompletedJob", message });
    }
    const completed = textAt(statusOf(job), "completionTime");
    if (end === "Complete" && completed > lastSuccess) lastSuccess = completed;
  }
  const active = objectsAt(before, "active").filter(({ uid }) => !ended.has(uid));
  for (const { name } of active.filter(({ uid }) => gone.has(uid))) {
    says.push({ type: "Normal", reason: "MissingJob", message: `Active job went missing: ${name}` });
  }
  const left = active.filter(({ uid }) => !gone.has(uid));
  const { active: _active, ...rest } = before;
  const status = {
    ...rest,
    ...(left.length > 0 ? { active: left } : {}),
    ...(lastSuccess === "" ? {} : { lastSuccessfulTime: lastSuccess }),
  };
  return { says, status };
}

interface When {
  readonly atMs: number;
  readonly nowMs: number;
  readonly zone: string;
}

function planStart(
  cronJob: KubeObject,
  jobs: readonly KubeObject[],
  waiting: CronPlan,
  { atMs, nowMs, zone }: When,
): CronPlan {
  const spec = specOf(cronJob);
  const deadline = numberAt(spec, "startingDeadlineSeconds");
  const saying = (said: Remark): CronPlan => ({ ...waiting, says: [...waiting.says, said] });
  if (deadline !== undefined && atMs + deadline * 1000 < nowMs) {
    return saying(warning("MissSchedule", `Missed scheduled time to start a job: ${formatRfc1123(atMs)}`));
  }
  const active = objectsAt(waiting.status, "active");
  const name = `${nameOf(cronJob)}-${Math.floor(atMs / 60_000)}`;
  const isStarted = active.some((item) => item["name"] === name);
  if (isStarted || textAt(waiting.status, "lastScheduleTime") === formatTime(atMs)) return waiting;
  const policy = textAt(spec, "concurrencyPolicy");
  if (policy === "Forbid" && active.length > 0) {
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    return saying({ type: "Normal", reason: "JobAlreadyActive", message });
  }
  const uids = new Set(active.map(({ uid }) => uid));
  const replace = policy === "Replace" ? jobs.filter((job) => uids.has(uidOf(job))) : [];
  return { ...waiting, replace, start: { job: jobOf(cronJob, name, formatInZone(atMs, zone)), atMs } };
}

function jobOf(cronJob: KubeObject, name: string, scheduledAt: string): KubeObject {
  const template = objectAt(specOf(cronJob), "jobTemplate") ?? {};
  const { labels, annotations } = objectAt(template, "metadata") ?? {};
  return {
    ...{ apiVersion: "batch/v1", kind: "Job" },
    metadata: {
      name,
      namespace: cronJob.metadata.namespace ?? "",
      ...(labels ? { labels: { ...(labels as Record<string, string>) } } : {}),
      annotations: { ...(annotations as Record<string, string> | undefined), [SCHEDULED_AT]: scheduledAt },
      ownerReferences: [ownerReference(cronJob, KIND)],
    },
    spec: objectAt(template, "spec") ?? {},
  };
}

/** The oldest jobs beyond the limits, separately for successful and failed jobs. */
function planHistory(cronJob: KubeObject, jobs: readonly KubeObject[]): KubeObject[] {
  const spec = specOf(cronJob);
  const beyond = (key: string, end: "Complete" | "Failed"): KubeObject[] => {
    const limit = numberAt(spec, key);
    if (limit === undefined) return [];
    const ended = jobs.filter((job) => endOf(job) === end).sort(byStart);
    return ended.slice(0, Math.max(ended.length - limit, 0));
  };
  return [...beyond("successfulJobsHistoryLimit", "Complete"), ...beyond("failedJobsHistoryLimit", "Failed")];
}

/** Jobs without a start time come last. */
function byStart(a: KubeObject, b: KubeObject): number {
  const [first, second] = [a, b].map((job) => textAt(statusOf(job), "startTime") || "~");
  if (first === second) return nameOf(a) < nameOf(b) ? -1 : 1;
  return (first ?? "") < (second ?? "") ? -1 : 1;
}

/** "Thu, 01 Jan 2026 00:05:00 +0000" */
const formatRfc1123 = (ms: number): string => new Date(ms).toUTCString().replace("GMT", "+0000");

// The CronJob controller: creates a Job at each scheduled time, subject to the concurrency policy.

import { equalJson, objectsAt } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Remark } from "../../apimachinery/meta/occurrence.ts";
import { StatusError } from "../../apimachinery/meta/status.ts";
import { findObject, ignoring, isNamespaceEnding, placeOf, subjectOf } from "../../controller/api.ts";
import type { Requeue, World } from "../../controller/definition.ts";
import { errorText } from "../../controller/logging.ts";
import { Children, childrenOf } from "../workloads/children.ts";
import { defineWorkload, soonest } from "../workloads/define-workload.ts";
import { CRON_JOBS, isControlledBy, JOBS, nameOf, statusOf, uidOf } from "../workloads/resources.ts";
import { type CronPlan, KIND, planCronJob } from "./plan.ts";

interface Memory {
  readonly children: Children;
}
type CronWorld = World<"owners" | "jobs", Memory>;

export const cronJob = defineWorkload<"owners" | "jobs", Memory>({
  name: "cronjob",
  summary: "the Jobs of CronJobs, at the times of their schedules",
  events: "cronjob-controller",
  memory: ({ client }) => ({ children: new Children(client, JOBS, KIND) }),
  watches: {
    owners: { resource: CRON_JOBS },
    jobs: childrenOf(JOBS, KIND),
  },
  async reconcile(key, world) {
    const known = world.owners.get(key);
    // Reads the live CronJob, since the informer may lag behind the last status write. A job missing from a stale
    // status would look like one that another client created.
    const found = known && (await findObject(world.client, CRON_JOBS, placeOf(known)));
    return found && keep(found, world);
  },
});

async function keep(found: KubeObject, world: CronWorld): Promise<Requeue | undefined> {
  const { children } = world.memory;
  const plan = planCronJob(found, children.of(found), world.clock.now());
  const tell = (said: Remark): void => world.recordEvent({ subject: subjectOf(found), ...said });
  for (const said of plan.says) tell(said);
  for (const job of plan.replace) await remove(job, world, tell);
  const replaced = new Set(plan.replace.map(uidOf));
  const active = objectsAt(plan.status, "active").filter(({ uid }) => !replaced.has(String(uid)));
  const { active: _active, ...rest } = plan.status;
  const started = await start(found, plan, world, tell);
  const listed = started ? [...active, referenceTo(started)] : active;
  const status = {
    ...rest,
    ...(listed.length > 0 ? { active: listed } : {}),
    ...(started && plan.start ? { lastScheduleTime: formatTime(plan.start.atMs) } : {}),
  };
  for (const job of plan.forget) await remove(job, world, tell);
  if (!equalJson(status, statusOf(found))) {
    await ignoring([404], world.client.update(CRON_JOBS, { ...found, status }, "status"));
  }
  return soonest(plan.againInMs);
}

/**
 * Creates the Job of the scheduled time, or returns it if it was created before a restart. undefined: another owner's
 * Job has its name.
 */
async function start(
  found: KubeObject,
  { start: planned }: CronPlan,
  { client, memory }: CronWorld,
  tell: (said: Remark) => void,
): Promise<KubeObject | undefined> {
  if (!planned) return undefined;
  try {
    const made = await memory.children.create(planned.job);
    tell({ type: "Normal", reason: "SuccessfulCreate", message: `Created job ${nameOf(made)}` });
    return made;
  } catch (error) {
    if (isNamespaceEnding(error)) return undefined;
    if (error instanceof StatusError && error.reason === "AlreadyExists") {
      const live = await findObject(client, JOBS, placeOf(planned.job));
      return live && isControlledBy(live, found) ? live : undefined;
    }
    tell({ type: "Warning", reason: "FailedCreate", message: `Error creating job: ${errorText(error)}` });
    throw error;
  }
}

async function remove(job: KubeObject, { memory }: CronWorld, tell: (said: Remark) => void): Promise<void> {
  try {
    await memory.children.delete(job, { propagationPolicy: "Background" });
    tell({ type: "Normal", reason: "SuccessfulDelete", message: `Deleted job ${nameOf(job)}` });
  } catch (error) {
    tell({ type: "Warning", reason: "FailedDelete", message: `Deleted job: ${errorText(error)}` });
    throw error;
  }
}

function referenceTo(job: KubeObject) {
  const { name, namespace, uid, resourceVersion } = job.metadata;
  return { apiVersion: "batch/v1", kind: "Job", name, namespace, uid, resourceVersion };
}

// Deletes ended Jobs when their ttlSecondsAfterFinished has expired.

import { numberAt, textAt } from "../apimachinery/json/json.ts";
import { conditionOf } from "../apimachinery/meta/conditions.ts";
import { type KubeObject, specOf } from "../apimachinery/meta/object-meta.ts";
import { deleteObject, isGoing, placeOf, readObject } from "../controller/api.ts";
import { defineWorkload, soonest } from "./workloads/define-workload.ts";
import { JOBS, statusOf, uidOf } from "./workloads/resources.ts";

export const ttlAfterFinished = defineWorkload<"jobs">({
  name: "ttl-after-finished",
  summary: "deletes Jobs that have ended, as long after that as they recordEvent",
  watches: { jobs: { resource: JOBS, on: ["add", "update"] } },
  async reconcile(key, { jobs, client, clock }) {
    const known = jobs.get(key);
    const leftMs = known && keptMs(known, clock.now());
    if (!known || leftMs === undefined) return undefined;
    if (leftMs > 0) return soonest(leftMs);
    // Reads the live Job: its TTL may have been extended since.
    const live = await readObject(client, { resource: JOBS, ...placeOf(known), uid: uidOf(known) });
    const isOver = live !== undefined && (keptMs(live, clock.now()) ?? 1) <= 0;
    if (isOver) await deleteObject(client, JOBS, live, { propagationPolicy: "Foreground" });
    return undefined;
  },
});

/** The remaining TTL in milliseconds; undefined: the Job is not deleted. */
function keptMs(job: KubeObject, nowMs: number): number | undefined {
  const seconds = numberAt(specOf(job), "ttlSecondsAfterFinished");
  const ended = ["Complete", "Failed"]
    .map((type) => conditionOf(statusOf(job), type))
    .find((condition) => condition?.["status"] === "True");
  const since = Date.parse(textAt(ended, "lastTransitionTime"));
  if (seconds === undefined || isGoing(job) || Number.isNaN(since)) return undefined;
  return since + seconds * 1000 - nowMs;
}

// The Job controller: creates pods until enough have succeeded or too many have failed, and counts each pod once. A
// finalizer holds each pod until it is counted; it is removed from pods whose Job is gone.
import { equalJson, type JsonObject, textAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import {
  controllerOf,
  ignoring,
  isGoing,
  keyOfObject,
  keysIn,
  PODS,
  withoutFinalizer,
} from "../../controller/api.ts";
import type { Change, Keys, Requeue, World } from "../../controller/definition.ts";
import { Children, ownersOf } from "../workloads/children.ts";
import { claim } from "../workloads/claim.ts";
import { defineWorkload, gathering, soonest } from "../workloads/define-workload.ts";
import { inGrowingBatches, podControl, telling } from "../workloads/pod-control.ts";
import { isActive, isPodReady, podFacts } from "../workloads/pods.ts";
import { countAt, isOfKind, JOBS, selectorOf, statusOf, uidOf } from "../workloads/resources.ts";
import { countJob, type JobCounts, uncountedOf } from "./counts.ts";
import { completionOf, deadlineInMs, type Ending, endingOf } from "./finish.ts";
import { completionsOf, isSuspended, isTracked, TRACKING } from "./job-pods.ts";
import { KIND, type PodPlan, planJobPods } from "./manage.ts";
import {
  countedStatus,
  finishedStatus,
  isFinished,
  isNewSuspension,
  progressStatus,
  type Running,
  suspension,
} from "./status.ts";
import { countable, planTracking, type Tracking } from "./tracking.ts";

interface Memory {
  readonly children: Children;
}
type JobWorld = World<"owners" | "pods", Memory>;

/** Prefix of the key of a pod whose Job is gone. Names contain no space. */
const ORPHAN = "orphan ";
const OURS = "kubernetes.io/job-controller";

export const job = defineWorkload<"owners" | "pods", Memory>({
  name: "job",
  summary: "the pods of Jobs, until enough have succeeded",
  events: "job-controller",
  memory: ({ client }) => ({ children: new Children(client, PODS, KIND) }),
  watches: {
    owners: {
      resource: JOBS,
      // A deleted Job enqueues its pods, so that their finalizers are removed.
      toKeys: ({ type, object }, { memory }) => [
        keyOfObject(object),
        ...(type === "delete" ? memory.children.of(object).filter(isTracked).map(orphanKey) : []),
      ],
    },
    pods: {
      resource: PODS,
      facts: (pod) => [podFacts(pod), pod["status"]],
      take: (change, world) => {
        world.memory.children.observe(change);
      },
      toKeys: (change, world) => [...ownersOf(change, KIND, world.owners), ...orphaned(change, world)],
    },
  },
  prepare: ({ owners, pods }) => [
    ...keysIn(owners),
    ...[...pods.list()].flatMap((pod) => (isOrphan(pod, owners) ? [orphanKey(pod)] : [])),
  ],
  async reconcile(key, world) {
    if (key.startsWith(ORPHAN)) return letOrphanGo(key.slice(ORPHAN.length), world);
    await gathering(world.owners.get(key), world.memory.children);
    const found = world.owners.get(key);
    if (!found || selectorOf(found) === undefined || isFinished(found) || isOfAnother(found))
      return undefined;
    return keep(found, world);
  },
});

const isOfAnother = (found: KubeObject): boolean => {
  const manager = textAt(specOf(found), "managedBy");
  return manager !== "" && manager !== OURS;
};

const orphanKey = ({ metadata }: KubeObject): string => `${ORPHAN}${metadata.namespace}/${metadata.name}`;

/** The pod has the Job finalizer, but its Job is gone. */
function isOrphan(pod: KubeObject, owners: JobWorld["owners"]): boolean {
  const above = controllerOf(pod);
  if (!isTracked(pod)) return false;
  if (!above) return true;
  if (!isOfKind(above, KIND)) return false;
  const found = owners.get(`${pod.metadata.namespace}/${above.name}`);
  return !found || uidOf(found) !== above.uid || isFinished(found);
}

const orphaned = ({ type, object }: Change, { owners }: JobWorld): Keys =>
  type !== "delete" && isOrphan(object, owners) ? [orphanKey(object)] : [];

async function letOrphanGo(key: string, { pods, owners, memory }: JobWorld): Promise<undefined> {
  const pod = pods.get(key);
  if (pod && isOrphan(pod, owners)) await memory.children.update(withoutFinalizer(pod, TRACKING));
}

async function keep(found: KubeObject, world: JobWorld): Promise<Requeue | undefined> {
  const { client, clock, memory } = world;
  const { children } = memory;
  const claiming = { client, owner: found, kind: KIND, resource: JOBS, children, finalizer: TRACKING };
  const pods = await claim(claiming);
  const now = clock.now();
  const counts = countJob(found, pods);
  const ending = endingOf(found, pods, counts, now);
  const plan = planOf(found, pods, counts, ending, now);
  const failure = await carryOut(found, plan, ending !== undefined, world);
  const running = runningAfter(
    counts,
    plan,
    failure ? children.of(found).filter(isActive).length : undefined,
  );
  const isStaying = !isGoing(found);
  const reached = ending ?? (isStaying ? completionOf(found, counts.succeeded, running.active) : undefined);
  const isManaged = isStaying && reached === undefined;
  if (isManaged && isNewSuspension(found))
    telling(world, found)("Normal", isSuspended(found) ? "Suspended" : "Resumed", suspension(found).message);
  const tracking = planTracking(found, pods, counts);
  const { uncounted, isMore } = tracking;
  const status = progressStatus(found, {
    running,
    counts,
    uncounted,
    ending: reached,
    isManaged,
    nowMs: now,
  });
  const written = await track(found, status, { pods, tracking }, world);
  const isOver = running.active === 0 && running.terminating === 0 && !isMore;
  if (written && reached && isOver) await finish(written, reached, world);
  if (failure) throw failure.error;
  const deadlineMs = reached ? undefined : deadlineInMs(written ?? found, now);
  return soonest(isMore ? 0 : undefined, plan.againInMs, deadlineMs);
}

/** A finishing Job deletes its running pods. A Job under deletion neither creates nor deletes pods. */
function planOf(
  found: KubeObject,
  pods: readonly KubeObject[],
  counts: JobCounts,
  ending: Ending | undefined,
  nowMs: number,
): PodPlan {
  if (ending) return { create: [], remove: counts.active };
  return isGoing(found) ? { create: [], remove: [] } : planJobPods(found, pods, counts, nowMs);
}

function runningAfter(
  counts: JobCounts,
  { create, remove }: PodPlan,
  activeNow: number | undefined,
): Running {
  const removed = new Set(remove.map(uidOf));
  const left = counts.active.filter((pod) => !removed.has(uidOf(pod)));
  return {
    active: activeNow ?? left.length + create.length,
    ready: left.filter(isPodReady).length,
    terminating: counts.terminating + remove.length,
  };
}

/** Surplus pods lose their finalizer before the deletion, so that they do not count as failed. */
async function carryOut(
  found: KubeObject,
  { create, remove }: PodPlan,
  isEnding: boolean,
  world: JobWorld,
): Promise<{ readonly error: unknown } | undefined> {
  const { children } = world.memory;
  const control = podControl(world, children, found);
  try {
    await inGrowingBatches(remove, async (pod) => {
      if (!isEnding) await letGo(pod, children);
      await control.delete(pod);
    });
    await inGrowingBatches(create, (pod) => control.create(pod));
    return undefined;
  } catch (error) {
    return { error };
  }
}

async function letGo(pod: KubeObject, children: Children): Promise<void> {
  if (!isTracked(pod)) return;
  const metadata = { uid: uidOf(pod), "$deleteFromPrimitiveList/finalizers": [TRACKING] };
  await ignoring([409, 422], children.patch(pod, { type: "strategic", body: { metadata } }));
}

interface Tracked {
  readonly pods: readonly KubeObject[];
  readonly tracking: Tracking;
}

/**
 * Records ended pods as uncounted, removes their finalizers, and counts them. undefined: the Job is gone, or some of
 * its pods are not processed yet.
 */
async function track(
  found: KubeObject,
  status: JsonObject,
  { pods, tracking }: Tracked,
  world: JobWorld,
): Promise<KubeObject | undefined> {
  const { children } = world.memory;
  const noted = await writeStatus(found, status, world);
  if (!noted) return undefined;
  await inGrowingBatches(tracking.letGo, (pod) => letGo(pod, children));
  const free = new Set(tracking.letGo.map(uidOf));
  const held = pods.filter((pod) => !free.has(uidOf(pod)));
  const { uncounted } = tracking;
  return writeStatus(noted, countedStatus(noted, uncounted, countable(uncounted, held)), world);
}

async function finish(found: KubeObject, ending: Ending, world: JobWorld): Promise<void> {
  const { succeeded, failed } = uncountedOf(found);
  if (succeeded.length + failed.length > 0) return;
  const written = await writeStatus(found, finishedStatus(statusOf(found), ending, world.clock.now()), world);
  if (!written) return;
  const tell = telling(world, found);
  if (ending.type === "FailureTarget") return tell("Warning", ending.reason, ending.message);
  if (countAt(statusOf(found), "succeeded") > (completionsOf(found) ?? Number.POSITIVE_INFINITY)) {
    const message = "Too many succeeded pods running after completion count reached";
    tell("Warning", "TooManySucceededPods", message);
  }
  tell("Normal", "Completed", "Job completed");
}

async function writeStatus(
  found: KubeObject,
  status: JsonObject,
  { client }: JobWorld,
): Promise<KubeObject | undefined> {
  if (equalJson(status, statusOf(found))) return found;
  return ignoring([404], client.update(JOBS, { ...found, status }, "status"));
}

// The Deployment controller: one ReplicaSet for each template revision. The strategy limits the number of pods of each
// during a rollout.

import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { controllerOf, isGoing, PODS } from "../../controller/api.ts";
import type { Change, Keys, Requeue } from "../../controller/definition.ts";
import type { Informer } from "../../controller/informer.ts";
import { Children, childrenOf } from "../workloads/children.ts";
import { claim } from "../workloads/claim.ts";
import { defineWorkload, soonest } from "../workloads/define-workload.ts";
import { isTerminal } from "../workloads/pods.ts";
import { DEPLOYMENTS, REPLICA_SETS, replicasOf, selectorOf, statusOf } from "../workloads/resources.ts";
import { allOf, isPaused, isRolling, setsToForget } from "./replica-sets.ts";
import { KIND, LookEnded, type Memory, Rollout, type RolloutWorld } from "./rollout.ts";
import { isScaled, planProportions, planRecreation, planRollingStep } from "./scaling.ts";
import { countedStatus, deadlineInMs, isComplete, rolloutStatus } from "./status.ts";

export const deployment = defineWorkload<"owners" | "sets" | "pods", Memory>({
  name: "deployment",
  summary: "the ReplicaSets of Deployments, and their replacement step by step",
  events: "deployment-controller",
  memory: ({ client }) => ({
    children: new Children(client, REPLICA_SETS, KIND),
    pods: new Children(client, PODS, { apiVersion: "apps/v1", kind: "ReplicaSet" }),
  }),
  watches: {
    owners: { resource: DEPLOYMENTS },
    sets: childrenOf(REPLICA_SETS, KIND),
    pods: {
      resource: PODS,
      lazy: true,
      take: (change, { memory, sets }) => (memory.pods.observe(change) ? ownerOfGone(change, sets) : []),
    },
  },
  async reconcile(key, world) {
    const found = world.owners.get(key);
    if (!found) return undefined;
    try {
      return await look(found, world);
    } catch (error) {
      if (error instanceof LookEnded) return undefined;
      throw error;
    }
  },
});

/** With the strategy Recreate a Deployment waits until the last old pod is gone. */
function ownerOfGone({ type, object }: Change, sets: Informer): Keys {
  if (type !== "delete" && !isTerminal(object)) return [];
  const { namespace = "" } = object.metadata;
  const set = sets.get(`${namespace}/${controllerOf(object)?.name ?? ""}`);
  const above = set && controllerOf(set);
  return above?.kind === KIND.kind ? [`${namespace}/${above.name}`] : [];
}

async function look(found: KubeObject, world: RolloutWorld): Promise<Requeue | undefined> {
  const { client, clock, memory } = world;
  if (selectorOf(found)?.isEmpty) return refuse(found, world);
  const { children } = memory;
  const sets = await claim({ client, owner: found, kind: KIND, resource: DEPLOYMENTS, children });
  const rollout = new Rollout(world, found, sets);
  const isMoved = await step(rollout, world);
  const { deployment } = rollout;
  const deadlineMs = deadlineInMs(deployment, statusOf(deployment), clock.now());
  // No watch event reports the own resize, which the cache already holds. The next step therefore follows at once.
  return soonest(isMoved ? 0 : undefined, deadlineMs);
}

/** Returns true if sets were resized and a further step may follow. */
async function step(rollout: Rollout, world: RolloutWorld): Promise<boolean> {
  const { deployment, sets } = rollout;
  if (isGoing(deployment)) {
    await rollout.writeStatus(countedStatus(deployment, sets, world.clock.now()));
    return false;
  }
  await rollout.notePause();
  if (isPaused(deployment) || isScaled(deployment, allOf(sets))) return scale(rollout, world);
  return isRolling(deployment) ? roll(rollout, world) : recreate(rollout, world);
}

async function refuse(found: KubeObject, world: RolloutWorld): Promise<undefined> {
  const rollout = new Rollout(world, found, []);
  const what = "This deployment is selecting all pods. A non-empty selector is required.";
  rollout.recordEvent("Warning", "SelectingAll", what);
  const observedGeneration = found.metadata.generation ?? 0;
  await rollout.writeStatus({ ...statusOf(found), observedGeneration });
}

async function scale(rollout: Rollout, { clock }: RolloutWorld): Promise<boolean> {
  await rollout.syncRevision(false);
  const { deployment } = rollout;
  const isMoved = await rollout.resize(planProportions(deployment, rollout.sets));
  if (isPaused(deployment)) await rollout.forget(setsToForget(deployment, rollout.sets.old));
  await rollout.writeStatus(countedStatus(rollout.deployment, rollout.sets, clock.now()));
  return isMoved;
}

async function roll(rollout: Rollout, { clock }: RolloutWorld): Promise<boolean> {
  await rollout.syncRevision(true);
  const isMoved = await rollout.resize(planRollingStep(rollout.deployment, rollout.sets));
  if (!isMoved) await forgetIfDone(rollout);
  await rollout.writeStatus(rolloutStatus(rollout.deployment, rollout.sets, clock.now()));
  return isMoved;
}

async function recreate(rollout: Rollout, world: RolloutWorld): Promise<boolean> {
  await rollout.syncRevision(false);
  const isMoved = await rollout.resize(planRecreation(rollout.sets.old));
  if (!isMoved && !(await hasOldPods(rollout, world))) {
    await rollout.syncRevision(true);
    const { current } = rollout.sets;
    if (current) await rollout.resize([[current, replicasOf(rollout.deployment)]]);
    await forgetIfDone(rollout);
  }
  await rollout.writeStatus(rolloutStatus(rollout.deployment, rollout.sets, world.clock.now()));
  return isMoved;
}

/** Ended pods do not count as old pods. */
async function hasOldPods(rollout: Rollout, world: RolloutWorld): Promise<boolean> {
  if (rollout.sets.old.length === 0) return false;
  await world.follow("pods");
  const { pods } = world.memory;
  return rollout.sets.old.some((set) => pods.of(set).some((pod) => !isTerminal(pod)));
}

async function forgetIfDone(rollout: Rollout): Promise<void> {
  const { deployment } = rollout;
  if (isComplete(deployment, statusOf(deployment))) {
    await rollout.forget(setsToForget(deployment, rollout.sets.old));
  }
}

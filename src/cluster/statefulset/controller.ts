// The StatefulSet controller: pods with stable names and volumes, and the ControllerRevisions of the templates.

import { cloneJson, equalJson } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { ignoring, isGoing, isNamespaceEnding, keyOfObject, PODS } from "../../controller/api.ts";
import type { Keys, Requeue, World } from "../../controller/definition.ts";
import type { Informer } from "../../controller/informer.ts";
import { errorText } from "../../controller/logging.ts";
import { Children, childrenOf } from "../workloads/children.ts";
import { claim } from "../workloads/claim.ts";
import { defineWorkload, gathering, soonest } from "../workloads/define-workload.ts";
import { telling } from "../workloads/pod-control.ts";
import { minReadySecondsOf, nextAvailableInMs, podFacts, stateOf } from "../workloads/pods.ts";
import {
  CLAIMS,
  CONTROLLER_REVISIONS,
  nameOf,
  STATEFUL_SETS,
  selectorOf,
  statusOf,
  uidOf,
} from "../workloads/resources.ts";
import {
  forgetRevisions,
  type History,
  revisionsWatch,
  syncRevisions,
  withTemplateOf,
} from "../workloads/revisions.ts";
import { claimOwners, claimsOf, KIND, ordinalOf, revisionLabelOf, withIdentity } from "./identity.ts";
import { type Action, planPods, planStatus, type Situation } from "./plan.ts";

interface Memory {
  readonly children: Children;
  readonly revisions: Children;
}
type Names = "owners" | "revisions" | "claims" | "pods";
type SetWorld = World<Names, Memory>;

export const statefulSet = defineWorkload<Names, Memory>({
  name: "statefulset",
  summary: "the pods of StatefulSets, their claims and revisions",
  events: "statefulset-controller",
  memory: ({ client }) => ({
    children: new Children(client, PODS, KIND),
    revisions: new Children(client, CONTROLLER_REVISIONS, KIND),
  }),
  watches: {
    owners: { resource: STATEFUL_SETS },
    revisions: revisionsWatch,
    claims: {
      resource: CLAIMS,
      on: ["delete"],
      toKeys: ({ object }, { owners }) => claimants(object, owners),
    },
    pods: childrenOf(PODS, KIND, podFacts),
  },
  async reconcile(key, world) {
    await gathering(world.owners.get(key), world.memory.children);
    const set = world.owners.get(key);
    if (!set || selectorOf(set) === undefined) return undefined;
    return keep(set, world);
  },
});

/**
 * The StatefulSets that select a deleted claim: it is recreated, or a pod that waited for its deletion can be created.
 */
function claimants({ metadata }: KubeObject, owners: Informer): Keys {
  const isOf = (set: KubeObject): boolean =>
    set.metadata.namespace === metadata.namespace && selectorOf(set)?.matches(metadata.labels ?? {}) === true;
  return [...owners.list()].filter(isOf).map(keyOfObject);
}

async function keep(set: KubeObject, world: SetWorld): Promise<Requeue | undefined> {
  const { client, clock, memory } = world;
  const common = { client, owner: set, kind: KIND, resource: STATEFUL_SETS };
  const isMine = (pod: KubeObject): boolean => ordinalOf(pod, set) >= 0;
  const found = await claim({ ...common, children: memory.children, isMine });
  const revisions = await claim({ ...common, children: memory.revisions });
  const history = await syncRevisions(set, revisions, memory.revisions, statusOf(set)["currentRevision"]);
  const now = clock.now();
  const situation = situationOf(set, history, found, now);
  let failure: unknown;
  try {
    for (const action of planPods(situation)) await act(action, set, world);
    await keepClaims(set, found, world);
  } catch (error) {
    failure = error;
  }
  // The pods are listed again, so that the counts include those just created and deleted.
  const pods = memory.children.of(set).filter(isMine);
  const status = planStatus({ ...situation, pods }, history.collisions);
  if (status) await ignoring([404], client.update(STATEFUL_SETS, { ...set, status }, "status"));
  if (failure !== undefined) throw failure;
  if (!isGoing(set)) await forgetOld(set, history, pods, memory.revisions);
  return soonest(nextAvailableInMs(pods, minReadySecondsOf(set), now));
}

function situationOf(
  set: KubeObject,
  history: History,
  pods: readonly KubeObject[],
  nowMs: number,
): Situation {
  const revised = (revision: KubeObject) => ({ name: nameOf(revision), set: withTemplateOf(set, revision) });
  return { set, current: revised(history.current), update: revised(history.update), pods, nowMs };
}

function forgetOld(
  set: KubeObject,
  { current, update, all }: History,
  pods: readonly KubeObject[],
  revisions: Children,
) {
  const live = new Set([nameOf(current), nameOf(update), ...pods.map(revisionLabelOf)]);
  const old = all.filter((revision) => !live.has(nameOf(revision)));
  return forgetRevisions(set, old, revisions);
}

async function act(action: Action, set: KubeObject, world: SetWorld): Promise<void> {
  const { children } = world.memory;
  switch (action.type) {
    case "create":
      return create(set, action.pod, world);
    case "delete": {
      const { pod, why } = action;
      if (why !== undefined) sayRecreated(set, pod, why, world);
      await told(world, set, ["delete", "Delete"], nameOf(pod), () => children.delete(pod));
      return;
    }
    case "mend": {
      const { pod, ordinal } = action;
      const mended = withIdentity(pod, set, ordinal, revisionLabelOf(pod));
      await told(world, set, ["update", "Update"], nameOf(pod), () => children.update(mended));
    }
  }
}

function sayRecreated(set: KubeObject, pod: KubeObject, why: "Failed" | "Succeeded", world: SetWorld): void {
  const [type, word] =
    why === "Failed" ? (["Warning", "failed"] as const) : (["Normal", "terminated"] as const);
  const reason = why === "Failed" ? "RecreatingFailedPod" : "RecreatingTerminatedPod";
  const { namespace } = set.metadata;
  const message = `StatefulSet ${namespace}/${nameOf(set)} is recreating ${word} Pod ${nameOf(pod)}`;
  telling(world, set)(type, reason, message);
}

/** Creates the pod and its PersistentVolumeClaims. It waits while a claim still belongs to the previous pod. */
async function create(set: KubeObject, pod: KubeObject, world: SetWorld): Promise<void> {
  const { children } = world.memory;
  if (hasStaleClaim(set, pod, world)) return;
  await told(world, set, ["create", "Create"], nameOf(pod), async () => {
    await makeClaims(set, pod, world);
    await children.create(pod);
  });
}

const claimOf = (wanted: KubeObject, { claims }: SetWorld): KubeObject | undefined =>
  claims.get(`${wanted.metadata.namespace}/${nameOf(wanted)}`);

const hasStaleClaim = (set: KubeObject, pod: KubeObject, world: SetWorld): boolean =>
  claimsOf(set, ordinalOf(pod, set)).some((wanted) =>
    claimOf(wanted, world)?.metadata.ownerReferences?.some(
      ({ kind, name, uid }) => kind === "Pod" && name === nameOf(pod) && uid !== uidOf(pod),
    ),
  );

async function makeClaims(set: KubeObject, pod: KubeObject, world: SetWorld): Promise<void> {
  const tell = telling(world, set);
  for (const wanted of claimsOf(set, ordinalOf(pod, set))) {
    const found = claimOf(wanted, world);
    if (found && isGoing(found)) throw new Error(`pvc ${nameOf(found)} is being deleted`);
    if (found) continue;
    const what = `create Claim ${nameOf(wanted)} Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)}`;
    try {
      const made = await ignoring([409], world.client.create(CLAIMS, wanted));
      if (made) tell("Normal", "SuccessfulCreate", `${what} success`);
    } catch (error) {
      const failed = `create Claim ${nameOf(wanted)} for Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)} failed`;
      if (!isNamespaceEnding(error)) tell("Warning", "FailedCreate", `${failed} error: ${errorText(error)}`);
      throw error;
    }
  }
}

/** Recreates missing claims of pending pods, and sets the owners of all claims according to the retention policy. */
async function keepClaims(set: KubeObject, pods: readonly KubeObject[], world: SetWorld): Promise<void> {
  if (isGoing(set)) return;
  for (const pod of pods) {
    if (stateOf(pod).phase === "Pending" && !isGoing(pod)) await makeClaims(set, pod, world);
    for (const wanted of claimsOf(set, ordinalOf(pod, set))) {
      const found = claimOf(wanted, world);
      const owners = found && claimOwners(found, set, pod);
      if (!owners || equalJson(owners, found.metadata.ownerReferences ?? [])) continue;
      const metadata = { ...found.metadata, ownerReferences: cloneJson(owners) };
      await ignoring([404], world.client.update(CLAIMS, { ...found, metadata }));
    }
  }
}

/** Runs `work` and records its outcome as an Event. A failed create in a terminating namespace is ignored. */
async function told(
  world: SetWorld,
  set: KubeObject,
  [verb, word]: readonly [string, string],
  pod: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const tell = telling(world, set);
  const what = `${verb} Pod ${pod} in StatefulSet ${nameOf(set)}`;
  try {
    await work();
    tell("Normal", `Successful${word}`, `${what} successful`);
  } catch (error) {
    if (isNamespaceEnding(error)) return;
    tell("Warning", `Failed${word}`, `${what} failed error: ${errorText(error)}`);
    throw error;
  }
}

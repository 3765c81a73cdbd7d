// The DaemonSet controller: one pod on each eligible node, and the ControllerRevisions of the templates.
import { numberAt } from "../../apimachinery/json/json.ts";
import { byAge, type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { byName, ignoring, isGoing, keysIn, NODES, PODS, subjectOf } from "../../controller/api.ts";
import type { Requeue, World } from "../../controller/definition.ts";
import { taintsOf } from "../../controller/taints.ts";
import { Children, childrenOf } from "../workloads/children.ts";
import { claim } from "../workloads/claim.ts";
import { defineWorkload, gathering, soonest } from "../workloads/define-workload.ts";
import { templateHash } from "../workloads/hash.ts";
import { inGrowingBatches, podControl, telling } from "../workloads/pod-control.ts";
import { minReadySecondsOf, nextAvailableInMs, podFacts } from "../workloads/pods.ts";
import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  equalTemplates,
  nameOf,
  selectorOf,
  selects,
  statusOf,
  templateOf,
} from "../workloads/resources.ts";
import {
  dataOf,
  forgetRevisions,
  makeRevision,
  nextNumber,
  revisionNumber,
  revisionsWatch,
} from "../workloads/revisions.ts";
import { daemonPod, HASH_LABEL, KIND, suitability } from "./daemon-pod.ts";
import { planDaemons, planStatus, type Situation } from "./plan.ts";

interface Memory {
  readonly children: Children;
  readonly revisions: Children;
}
type Names = "owners" | "revisions" | "nodes" | "pods";
type DaemonWorld = World<Names, Memory>;

export const daemonSet = defineWorkload<Names, Memory>({
  name: "daemonset",
  summary: "the pods of DaemonSets, one on each node that fits",
  events: "daemonset-controller",
  memory: ({ client }) => ({
    children: new Children(client, PODS, KIND),
    revisions: new Children(client, CONTROLLER_REVISIONS, KIND),
  }),
  watches: {
    owners: { resource: DAEMON_SETS },
    revisions: revisionsWatch,
    nodes: {
      resource: NODES,
      facts: (node) => [node.metadata.labels, taintsOf(specOf(node))],
      toKeys: (_change, { owners }) => keysIn(owners),
    },
    pods: childrenOf(PODS, KIND, podFacts),
  },
  async reconcile(key, world) {
    await gathering(world.owners.get(key), world.memory.children);
    const set = world.owners.get(key);
    const selector = set && selectorOf(set);
    if (!set || !selector || isGoing(set)) return undefined;
    if (!selector.isEmpty) return keep(set, world);
    const message = "This daemon set is selecting all pods. A non-empty selector is required.";
    telling(world, set)("Warning", "SelectingAll", message);
    return undefined;
  },
});

async function keep(set: KubeObject, world: DaemonWorld): Promise<Requeue | undefined> {
  const { client, clock, memory } = world;
  const { children } = memory;
  const common = { client, owner: set, kind: KIND, resource: DAEMON_SETS };
  const pods = await claim({ ...common, children });
  const revisions = await claim({ ...common, children: memory.revisions });
  const { hash, collisions, old } = await syncRevision(set, revisions, memory.revisions);
  const isFitting = suitability(set);
  const sorted = [...world.nodes.list()].sort(byName);
  const nodes = new Map(sorted.map((node) => [nameOf(node), isFitting(node)]));
  const nowMs = clock.now();
  const situation: Situation = { set, hash, nodes, pods, nowMs };
  const plan = planDaemons(situation);
  for (const said of plan.says) world.recordEvent({ subject: subjectOf(set), ...said });
  const control = podControl(world, children, set);
  let failure: { readonly error: unknown } | undefined;
  try {
    await inGrowingBatches(plan.create, (node) => control.create(daemonPod(set, node, hash)));
    await inGrowingBatches(plan.remove, (pod) => control.delete(pod));
  } catch (error) {
    failure = { error };
  }
  // The pods are listed again, so that the counts include those just created and deleted.
  const now = children.of(set).filter((pod) => selects(set, pod));
  const status = planStatus({ ...situation, pods: now }, collisions);
  if (status) await ignoring([404], client.update(DAEMON_SETS, { ...set, status }, "status"));
  if (failure) throw failure.error;
  await forgetOld(set, old, now, memory.revisions);
  return soonest(plan.isMore ? 0 : undefined, nextAvailableInMs(now, minReadySecondsOf(set), nowMs));
}

interface Revision {
  readonly hash: string;
  readonly collisions: number | undefined;
  readonly old: readonly KubeObject[];
}

/**
 * Ensures that the revision of the current template has the highest number. Of several revisions with equal content the
 * one with the highest number is used.
 */
async function syncRevision(
  set: KubeObject,
  revisions: readonly KubeObject[],
  children: Children,
): Promise<Revision> {
  const data = dataOf(set);
  const same = revisions.filter((revision) => equalTemplates(revision["data"], data)).sort(byAge);
  const old = revisions.filter((revision) => !same.includes(revision));
  const before = numberAt(statusOf(set), "collisionCount");
  const number = nextNumber(old);
  const known = same.reduce<KubeObject | undefined>(
    (newest, revision) => (newest && revisionNumber(newest) >= revisionNumber(revision) ? newest : revision),
    undefined,
  );
  const hashOf = (count: number | undefined): string => templateHash(templateOf(set), count);
  const { revision, collisions } = known
    ? { revision: known, collisions: before }
    : await makeRevision(set, number, children, { collisions: before, hashOf, label: HASH_LABEL });
  if (revisionNumber(revision) < number) await children.update({ ...revision, revision: number });
  return { hash: revision.metadata.labels?.[HASH_LABEL] ?? nameOf(revision), collisions, old };
}

function forgetOld(
  set: KubeObject,
  old: readonly KubeObject[],
  pods: readonly KubeObject[],
  children: Children,
) {
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[HASH_LABEL]));
  const unused = old.filter(({ metadata }) => !live.has(metadata.labels?.[HASH_LABEL]));
  const kept = old.length - unused.length;
  return forgetRevisions(set, unused, children, kept);
}

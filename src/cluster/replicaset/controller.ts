// The controllers of ReplicaSets and ReplicationControllers: create missing pods from the template and delete surplus
// ones by rank. Both kinds share one implementation, as in kube-controller-manager.

import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { controllerOf, ignoring, isGoing, PODS } from "../../controller/api.ts";
import type { ResourceName } from "../../controller/client.ts";
import type { DefinedController, Requeue, World } from "../../controller/definition.ts";
import { errorText } from "../../controller/logging.ts";
import { Children, childrenOf } from "../workloads/children.ts";
import { claim } from "../workloads/claim.ts";
import { defineWorkload, gathering, soonest } from "../workloads/define-workload.ts";
import { inGrowingBatches, podControl, podFrom } from "../workloads/pod-control.ts";
import {
  isActive,
  isTerminating,
  minReadySecondsOf,
  nextAvailableInMs,
  podFacts,
} from "../workloads/pods.ts";
import {
  type OwnerKind,
  ownerReference,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  selectorOf,
  selects,
  templateOf,
} from "../workloads/resources.ts";
import { type Failure, planScaling, planStatus } from "./plan.ts";

interface Memory {
  readonly children: Children;
}
type ReplicaWorld = World<"owners" | "pods", Memory>;

interface ReplicaKind {
  readonly name: string;
  readonly summary: string;
  readonly events: string;
  readonly kind: OwnerKind;
  readonly resource: ResourceName;
  /** The status reports the number of terminating pods. */
  readonly countsTerminating: boolean;
}

function replicaController(of: ReplicaKind): DefinedController<Memory> {
  const { name, summary, events, kind, resource } = of;
  return defineWorkload<"owners" | "pods", Memory>({
    name,
    summary,
    events,
    memory: ({ client }) => ({ children: new Children(client, PODS, kind) }),
    watches: { owners: { resource }, pods: childrenOf(PODS, kind, podFacts) },
    async reconcile(key, world) {
      await gathering(world.owners.get(key), world.memory.children);
      const owner = world.owners.get(key);
      return owner && (await keep(of, owner, world));
    },
  });
}

async function keep(of: ReplicaKind, owner: KubeObject, world: ReplicaWorld): Promise<Requeue | undefined> {
  const { kind, resource } = of;
  const { client, clock } = world;
  const { children } = world.memory;
  if (selectorOf(owner) === undefined) return undefined; // until the selector is corrected
  const found = await claim({ client, owner, kind, resource, children });
  const { failure, isMore, isChanged } = isGoing(owner)
    ? { failure: undefined, isMore: false, isChanged: false }
    : await scale(of, owner, found.filter(isActive), world);
  // Includes the pods just created and deleted.
  const mine = isChanged ? mineOf(owner, children) : found;
  const active = mine.filter(isActive);
  const terminating = of.countsTerminating ? { terminating: mine.filter(isTerminating).length } : {};
  const now = clock.now();
  const status = planStatus(owner, { active, ...terminating, failure: failure?.said }, now);
  if (status) await ignoring([404], client.update(resource, { ...owner, status }, "status"));
  if (failure) throw failure.error;
  const nextMs = nextAvailableInMs(active, minReadySecondsOf(owner), now);
  return soonest(isMore ? 0 : undefined, nextMs);
}

const mineOf = (owner: KubeObject, children: Children): KubeObject[] =>
  children.of(owner).filter((pod) => selects(owner, pod));

interface Scaled {
  readonly failure?: { readonly error: unknown; readonly said: Failure };
  readonly isMore: boolean;
  /** Pods were created or deleted. */
  readonly isChanged: boolean;
}

async function scale(
  { kind }: ReplicaKind,
  owner: KubeObject,
  active: readonly KubeObject[],
  world: ReplicaWorld,
): Promise<Scaled> {
  const { children } = world.memory;
  const plan = planScaling(owner, active, () => relatedPods(owner, world), world.clock.now());
  const control = podControl(world, children, owner);
  try {
    if (plan.create > 0) {
      const pod = podFrom(templateOf(owner), owner, ownerReference(owner, kind));
      await inGrowingBatches(
        Array.from({ length: plan.create }, () => pod),
        (one) => control.create(one),
      );
    }
    await inGrowingBatches(plan.remove, (pod) => control.delete(pod));
    return { isMore: plan.isMore, isChanged: plan.create + plan.remove.length > 0 };
  } catch (error) {
    const reason = plan.create > 0 ? "FailedCreate" : "FailedDelete";
    return {
      failure: { error, said: { reason, message: errorText(error) } },
      isMore: false,
      isChanged: true,
    };
  }
}

/** Active pods of all sets with the same controller: they are spread over the nodes together. */
function relatedPods(owner: KubeObject, { owners, memory }: ReplicaWorld): KubeObject[] {
  const above = controllerOf(owner)?.uid;
  const { namespace } = owner.metadata;
  const isRelated = (other: KubeObject): boolean =>
    other.metadata.namespace === namespace && controllerOf(other)?.uid === above;
  const sets = above === undefined ? [owner] : [...owners.list()].filter(isRelated);
  return sets.flatMap((set) => mineOf(set, memory.children)).filter(isActive);
}

export const replicaSet = replicaController({
  name: "replicaset",
  summary: "the pods of ReplicaSets",
  events: "replicaset-controller",
  kind: { apiVersion: "apps/v1", kind: "ReplicaSet" },
  resource: REPLICA_SETS,
  countsTerminating: true,
});

export const replicationController = replicaController({
  name: "replicationcontroller",
  summary: "the pods of ReplicationControllers",
  events: "replication-controller",
  kind: { apiVersion: "v1", kind: "ReplicationController" },
  resource: REPLICATION_CONTROLLERS,
  countsTerminating: false,
});

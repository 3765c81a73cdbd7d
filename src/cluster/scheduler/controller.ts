// The scheduler: binds pods to nodes. It decides one pod at a time by priority, while earlier bindings are still in
// flight. An unschedulable pod gets an Event and a condition. It is retried with backoff after a change that may help,
// and at the latest after five minutes. Preemption evicts pods of lower priority. Volumes are not evaluated.

import { isObject, numberAt, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { conditionOf, transitionTime } from "../../apimachinery/meta/conditions.ts";
import { InvalidSelectorError } from "../../apimachinery/meta/label-requirement.ts";
import { readLabelSelector } from "../../apimachinery/meta/label-selector.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import {
  deleteObject,
  isGoing,
  isOvertaken,
  keyOfObject,
  mergeStatus,
  NAMESPACES,
  NODES,
  PODS,
  placeOf,
  resourceIn,
  subjectOf,
} from "../../controller/api.ts";
import { defineController } from "../../controller/define-controller.ts";
import type { Keys, Kit, World } from "../../controller/definition.ts";
import { errorText } from "../../controller/logging.ts";
import { markDisrupted } from "../node-lifecycle/disruption-target.ts";
import { ClusterState, type Effect, SCHEDULER } from "./cluster-state.ts";
import { type Decision, Placing } from "./place.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Budget, Circumstances } from "./preemption.ts";
import { Waiting } from "./waiting.ts";

type Names = "pods" | "nodes" | "namespaces" | "budgets";

interface Memory {
  readonly state: ClusterState;
  readonly placing: Placing;
  readonly waiting: Waiting;
}

type SchedulerWorld = World<Names, Memory>;

const BUDGETS = resourceIn("policy", "v1", "poddisruptionbudgets");

/** The key for all unschedulable pods; no pod has an empty key. */
const ALL = "";
/** The longest time until an unschedulable pod is retried. */
const RETRY_MS = 300_000;

/** The keys that a change of the cluster enqueues. */
function concerned(effect: Effect, { memory: { waiting } }: SchedulerWorld): Keys {
  return effect !== "none" && waiting.wants(effect) ? [ALL] : [];
}

export const scheduler = defineController<Names, Memory>({
  name: "scheduler",
  summary: "gives pods to nodes",
  fieldManager: "kube-scheduler",
  events: SCHEDULER,
  ofCluster: true,
  memory: ({ clock }: Kit) => {
    const state = new ClusterState();
    return { state, placing: new Placing(state), waiting: new Waiting(clock) };
  },
  watches: {
    namespaces: {
      resource: NAMESPACES,
      take: ({ type, object }, world) =>
        concerned(world.memory.state.setNamespace(object, type === "delete"), world),
    },
    nodes: {
      resource: NODES,
      take: ({ type, object }, world) =>
        concerned(world.memory.state.setNode(object, type === "delete"), world),
    },
    budgets: { resource: BUDGETS, toKeys: () => [] },
    pods: {
      resource: PODS,
      take({ type, object }, world) {
        const { state, waiting } = world.memory;
        const { effect, isWanting } = state.setPod(object, type === "delete");
        const key = keyOfObject(object);
        const wanting = state.pending.get(key);
        if (!wanting) waiting.done(key);
        if (!wanting || !isWanting) return concerned(effect, world);
        waiting.fresh(key, wanting.priority);
        return [key, ...concerned(effect, world)];
      },
    },
  },
  prepare: ({ memory: { state } }) => [...state.pending.keys()].sort((a, b) => inLine(state, a, b)),
  async reconcile(key, world) {
    const { state, waiting } = world.memory;
    if (key === ALL) {
      for (const [other, pauseMs] of waiting.wake()) world.queue.addAfter(other, pauseMs);
      return undefined;
    }
    for (const arrived of [key, ...waiting.wokenWith(key)]) {
      const wanting = state.pending.get(arrived);
      if (wanting) waiting.arrive(arrived, wanting.priority);
    }
    const next = waiting.next((other) => state.pending.has(other));
    const pod = next === undefined ? undefined : state.pending.get(next);
    if (pod) await scheduleOne(pod, world);
    return undefined;
  },
});

/** Higher priority first, then older first. */
function inLine({ pending }: ClusterState, a: string, b: string): number {
  const [first, second] = [pending.get(a), pending.get(b)];
  const byPriority = (second?.priority ?? 0) - (first?.priority ?? 0);
  if (byPriority !== 0) return byPriority;
  return `${first?.created} ${a}` < `${second?.created} ${b}` ? -1 : 1;
}

async function scheduleOne(pod: PodInfo, world: SchedulerWorld): Promise<void> {
  const { state, placing, waiting } = world.memory;
  const decision = placing.decide(pod, circumstancesOf(world));
  if ("message" in decision) {
    waiting.failed(pod.key, pod.affinity.length > 0 || pod.hardSpread.length > 0);
    world.queue.addAfter(pod.key, RETRY_MS);
    await makeRoom(pod, decision, world);
    return;
  }
  state.assume(pod, decision.node);
  try {
    await bind(pod, decision.node, world);
    waiting.done(pod.key);
  } catch (error) {
    state.forget(pod);
    if (isOvertaken(error)) return; // a watch event reports the current state
    world.log.warn("pod not bound", { controller: world.name, pod: pod.key, error: errorText(error) });
    waiting.failed(pod.key, false);
    world.queue.addAfter(pod.key, waiting.pauseOf(pod.key));
  }
}

async function bind(pod: PodInfo, node: string, world: SchedulerWorld): Promise<void> {
  const object = world.pods.get(pod.key);
  if (object === undefined) return;
  const { namespace, name } = placeOf(object);
  await world.client.post(PODS, { namespace, name }, "binding", {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { namespace, name, uid: pod.uid },
    target: { kind: "Node", name: node },
  });
  const message = `Successfully assigned ${namespace}/${name} to ${node}`;
  world.recordEvent({ subject: subjectOf(object), type: "Normal", reason: "Scheduled", message });
}

/** The pods and PodDisruptionBudgets that a decision needs. */
function circumstancesOf({ pods, budgets, clock }: SchedulerWorld): Circumstances {
  return {
    budgets: [...budgets.list()].map(budgetOf),
    startOf: ({ key }) => Date.parse(textAt(objectAt(pods.get(key), "status"), "startTime")) || clock.now(),
    isGoing: ({ key }) => {
      const pod = pods.get(key);
      return pod !== undefined && isGoing(pod);
    },
  };
}

const budgetOf = memoize((budget: KubeObject): Budget => {
  const [selector, status] = [specOf(budget)["selector"], objectAt(budget, "status")];
  const read = isObject(selector) ? readLabelSelector(selector) : undefined;
  return {
    namespace: budget.metadata.namespace ?? "",
    selector: read instanceof InvalidSelectorError || read?.isEmpty ? undefined : read,
    allowed: numberAt(status, "disruptionsAllowed") ?? 0,
    gone: new Set(Object.keys(objectAt(status, "disruptedPods") ?? {})),
  };
});

/** Evicts the preemption victims and nominates the pod for the node, which is reported in its status. */
async function makeRoom(
  pod: PodInfo,
  { message, preemption, keepsNomination }: Exclude<Decision, { readonly node: string }>,
  world: SchedulerWorld,
): Promise<void> {
  const { state } = world.memory;
  if (preemption) {
    await Promise.all(preemption.victims.map((victim) => evict(victim, pod, preemption.node, world)));
    const later = [...state.nominated].filter(
      ([key, node]) => node === preemption.node && (state.pending.get(key)?.priority ?? 0) < pod.priority,
    );
    await Promise.all(later.map(([key]) => denominate(key, world)));
  }
  const node = keepsNomination ? state.nominated.get(pod.key) : preemption?.node;
  await tellFailure(pod, message, node ?? "", world);
}

const DISRUPTED = {
  reason: "PreemptionByScheduler",
  message: `${SCHEDULER}: preempting to accommodate a higher priority pod`,
};

async function evict(victim: PodInfo, pod: PodInfo, node: string, world: SchedulerWorld): Promise<void> {
  const object = world.pods.get(victim.key);
  if (object === undefined || isGoing(object)) return;
  await markDisrupted(world, object, DISRUPTED);
  await deleteObject(world.client, PODS, object);
  const message = `Preempted by pod ${pod.uid} on node ${node}`;
  world.recordEvent({ subject: subjectOf(object), type: "Normal", reason: "Preempted", message });
}

/** Clears the nomination of a pod, since a pod of higher priority preempts on that node. */
async function denominate(key: string, { memory, pods, client }: SchedulerWorld): Promise<void> {
  memory.state.nominated.delete(key);
  const object = pods.get(key);
  if (object) await mergeStatus(client, PODS, object, { status: { nominatedNodeName: null } });
}

/**
 * Records an Event for each attempt. The condition and nominatedNodeName ("": none) are written only if they change.
 */
async function tellFailure(
  pod: PodInfo,
  message: string,
  node: string,
  world: SchedulerWorld,
): Promise<void> {
  const object = world.pods.get(pod.key);
  if (object === undefined) return;
  world.recordEvent(
    { subject: subjectOf(object), type: "Warning", reason: "FailedScheduling", message },
    pod.key,
  );
  const before = objectAt(object, "status");
  const said = conditionOf(before, "PodScheduled");
  const isSaid = said?.["status"] === "False" && said["message"] === message;
  if (isSaid && textAt(before, "nominatedNodeName") === node) return;
  const condition = {
    type: "PodScheduled",
    observedGeneration: object.metadata.generation,
    status: "False",
    reason: "Unschedulable",
    message,
    lastProbeTime: null,
    lastTransitionTime: transitionTime(said, "False", formatTime(world.clock.now())),
  };
  const { nominated } = world.memory.state;
  if (node === "") nominated.delete(pod.key);
  else nominated.set(pod.key, node);
  const status = { conditions: [condition], nominatedNodeName: node || null };
  await mergeStatus(world.client, PODS, object, { status });
}

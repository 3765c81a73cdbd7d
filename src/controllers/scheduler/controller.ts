// Gives pods to nodes. It decides one pod after the other, those of the highest priority first, and binds while it goes on
// deciding. A pod that found no node is told why, and tried again when something has changed that may help, after a pause
// that grows; or after five minutes. Volumes are not looked at, and no pod is evicted for another.
import { formatTime } from "../../meta/clock.ts";
import { conditionOf, transitionTime } from "../../meta/conditions.ts";
import { objectAt } from "../../meta/json.ts";
import {
  isOvertaken,
  keyOfObject,
  mergeStatus,
  NAMESPACES,
  NODES,
  PODS,
  placeOf,
  subjectOf,
} from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { Keys, Kit, World } from "../kit/definition.ts";
import { errorText } from "../kit/logging.ts";
import { ClusterState, type Effect, SCHEDULER } from "./cluster-state.ts";
import { Placing } from "./place.ts";
import type { PodInfo } from "./pod-info.ts";
import { Waiting } from "./waiting.ts";

type Names = "pods" | "nodes" | "namespaces";

interface Memory {
  readonly state: ClusterState;
  readonly placing: Placing;
  readonly waiting: Waiting;
}

type SchedulerWorld = World<Names, Memory>;

/** Stands for all pods that wait: no pod has such a key. */
const ALL = "";
/** However little changes, a pod is tried again after so long. */
const RETRY_MS = 300_000;

/** Who is to be looked at because of a change. */
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

/** The higher priority first, then the older. */
function inLine({ pending }: ClusterState, a: string, b: string): number {
  const [first, second] = [pending.get(a), pending.get(b)];
  const byPriority = (second?.priority ?? 0) - (first?.priority ?? 0);
  if (byPriority !== 0) return byPriority;
  return `${first?.created} ${a}` < `${second?.created} ${b}` ? -1 : 1;
}

async function scheduleOne(pod: PodInfo, world: SchedulerWorld): Promise<void> {
  const { state, placing, waiting } = world.memory;
  const decision = placing.decide(pod);
  if ("message" in decision) {
    waiting.failed(pod.key, pod.affinity.length > 0 || pod.hardSpread.length > 0);
    world.queue.addAfter(pod.key, RETRY_MS);
    await tellFailure(pod, decision.message, world);
    return;
  }
  state.assume(pod, decision.node);
  try {
    await bind(pod, decision.node, world);
    waiting.done(pod.key);
  } catch (error) {
    state.forget(pod);
    if (isOvertaken(error)) return; // what has become of it is on its way
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
  world.say({ subject: subjectOf(object), type: "Normal", reason: "Scheduled", message });
}

/** An event for each try, and the condition, where it says something else by now. */
async function tellFailure(pod: PodInfo, message: string, world: SchedulerWorld): Promise<void> {
  const object = world.pods.get(pod.key);
  if (object === undefined) return;
  world.say({ subject: subjectOf(object), type: "Warning", reason: "FailedScheduling", message }, pod.key);
  const said = conditionOf(objectAt(object, "status"), "PodScheduled");
  if (said?.["status"] === "False" && said["message"] === message) return;
  const condition = {
    type: "PodScheduled",
    observedGeneration: object.metadata.generation,
    status: "False",
    reason: "Unschedulable",
    message,
    lastProbeTime: null,
    lastTransitionTime: transitionTime(said, "False", formatTime(world.clock.now())),
  };
  await mergeStatus(world.client, PODS, object, { status: { conditions: [condition] } });
}

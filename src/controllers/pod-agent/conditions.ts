// The conditions that a kubelet writes of a pod, in its order and its words.
import { conditionOf, transitionTime } from "../../meta/conditions.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { isEndPhase } from "../kit/pods.ts";

/** What they are decided by. */
export interface PodFacts {
  readonly phase: string;
  /** The pod has its network. */
  readonly hasSandbox: boolean;
  readonly initStatuses: readonly JsonObject[];
  readonly statuses: readonly JsonObject[];
}

interface Verdict {
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

const TRUE: Verdict = { status: "True" };
const no = (reason: string, message?: string): Verdict => ({
  status: "False",
  reason,
  ...(message === undefined ? {} : { message }),
});

/** The types in the order in which the status lists them; the last one is the scheduler's. */
const ORDER = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];

/** For a patch, with the times of their last changes, and the order of all. */
export function podConditions(pod: KubeObject, facts: PodFacts, nowText: string): JsonObject {
  const before = objectAt(pod, "status");
  const containersReady = containersVerdict(facts);
  const verdicts: readonly (readonly [string, Verdict])[] = [
    ["PodReadyToStartContainers", facts.hasSandbox ? TRUE : { status: "False" }],
    ["Initialized", initializedVerdict(pod, facts)],
    ["Ready", readyVerdict(pod, containersReady)],
    ["ContainersReady", containersReady],
  ];
  const others = objectsAt(before, "conditions")
    .map((condition) => textAt(condition, "type"))
    .filter((type) => !ORDER.includes(type));
  return {
    "$setElementOrder/conditions": [...others, ...ORDER].map((type) => ({ type })),
    conditions: verdicts.map(([type, verdict]) => {
      const known = conditionOf(before, type);
      const { reason = null, message = null } = verdict;
      return {
        type,
        observedGeneration: pod.metadata.generation,
        status: verdict.status,
        // What was said before and is not said any more goes.
        ...(reason === null && known?.["reason"] === undefined ? {} : { reason }),
        ...(message === null && known?.["message"] === undefined ? {} : { message }),
        ...(known === undefined ? { lastProbeTime: null } : {}),
        lastTransitionTime: transitionTime(known, verdict.status, nowText),
      };
    }),
  };
}

function initializedVerdict(pod: KubeObject, { phase, initStatuses }: PodFacts): Verdict {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" };
  const staying = objectsAt(specOf(pod), "initContainers").filter(
    (item) => item["restartPolicy"] === "Always",
  );
  const stays = (status: JsonObject): boolean => staying.some((item) => item["name"] === status["name"]);
  const unfinished = initStatuses
    .filter((status) => !isPassed(status, stays(status)))
    .map((status) => textAt(status, "name"));
  if (unfinished.length === 0) return TRUE;
  return no("ContainersNotInitialized", `containers with incomplete status: [${unfinished.join(" ")}]`);
}

/** A container of the start that has done its work, or one that stays and has started. */
export function isPassed(status: JsonObject, stays: boolean): boolean {
  if (stays) return textAt(status, "containerID") !== "";
  return objectAt(objectAt(status, "state"), "terminated")?.["exitCode"] === 0;
}

function containersVerdict({ phase, statuses }: PodFacts): Verdict {
  if (isEndPhase(phase)) return no(phase === "Succeeded" ? "PodCompleted" : "PodFailed");
  const unready = statuses.filter(({ ready }) => ready !== true).map((status) => textAt(status, "name"));
  if (unready.length === 0) return TRUE;
  return no("ContainersNotReady", `containers with unready status: [${unready.join(" ")}]`);
}

/** Also what the pod's readiness gates say. */
function readyVerdict(pod: KubeObject, containersReady: Verdict): Verdict {
  if (containersReady.status === "False") return containersReady;
  const status = objectAt(pod, "status");
  const complaints = objectsAt(specOf(pod), "readinessGates").flatMap((gate) => {
    const type = textAt(gate, "conditionType");
    const found = conditionOf(status, type);
    if (found === undefined)
      return [`corresponding condition of pod readiness gate ${JSON.stringify(type)} does not exist.`];
    if (found["status"] === "True") return [];
    return [
      `the status of pod readiness gate ${JSON.stringify(type)} is not "True", but ${textAt(found, "status")}`,
    ];
  });
  return complaints.length === 0 ? TRUE : no("ReadinessGatesNotReady", complaints.join(", "));
}

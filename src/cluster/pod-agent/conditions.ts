// The pod conditions that a kubelet writes, with its order and texts.

import { type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { conditionOf, transitionTime } from "../../apimachinery/meta/conditions.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { isEndPhase } from "../../controller/pods.ts";

/** The input of the conditions. */
export interface PodFacts {
  readonly phase: string;
  /** The pod's network is set up. */
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

/** The types in the order of the status list. The scheduler writes the last one. */
const ORDER = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];

/** The conditions for a patch, with transition times and the order directive of the list. */
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
        // A reason or message that no longer applies is removed by null.
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

/** Reports whether an init container has completed, or a restartable one (`stays`) has started. */
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

/** Includes the pod's readiness gates. */
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

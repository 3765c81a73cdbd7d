// One step of a kubelet for one pod: computes the next status and the time of the next step. Pure: the status is the
// only state.
//
//   bound → Pending, ContainerCreating → (network) → init containers, one after the other → containers → Running
//         → they end, and are started again or not → Succeeded, Failed

import {
  equalJson,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { conditionOf } from "../../apimachinery/meta/conditions.ts";
import { append, smallest } from "../../apimachinery/meta/lists.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { hasEnded, isEndPhase } from "../../controller/pods.ts";
import { qosClassOf } from "../../kube/quota/pod-resources.ts";
import { isPassed, podConditions } from "./conditions.ts";
import {
  type ContainerStep,
  type Course,
  fullName,
  type Said,
  stepContainer,
  terminatedState,
  waitingStatus,
} from "./containers.ts";
import { type Script, scriptOf } from "./script.ts";

/** The addresses that the node provides to the pod. */
export interface PodNetwork {
  readonly hostIps: readonly string[];
  /** undefined: not allocated yet. */
  readonly podIps: readonly string[] | undefined;
}

/** An Event about a pod or one of its containers. */
export interface Told extends Said {
  /** "spec.containers{web}" */
  readonly fieldPath?: string;
}

export interface PodStep {
  /** The patch of the status; undefined: the status is up to date. */
  readonly patch: JsonObject | undefined;
  readonly events: readonly Told[];
  /** When the next step is due, in milliseconds since the epoch. */
  readonly wakeMs: number | undefined;
}

interface Progress {
  readonly phase: string;
  readonly initStatuses: readonly JsonObject[];
  readonly statuses: readonly JsonObject[];
  readonly events: readonly Told[];
  readonly wakeMs: number;
  readonly extra?: JsonObject;
  /** The network is set up, although no container runs. */
  readonly hasSandbox?: boolean;
}

const NEVER = Number.POSITIVE_INFINITY;

/** For a pod that is not under deletion. */
export function stepPod(pod: KubeObject, network: PodNetwork, nowMs: number): PodStep {
  if (hasEnded(pod)) return { patch: undefined, events: [], wakeMs: undefined };
  const progress = progressOf(pod, network, nowMs, scriptOf(pod));
  const wakeMs = Number.isFinite(progress.wakeMs) ? progress.wakeMs : undefined;
  return { patch: patchFor(pod, network, progress, nowMs), events: progress.events, wakeMs };
}

function progressOf(pod: KubeObject, network: PodNetwork, nowMs: number, script: Script): Progress {
  const status = objectAt(pod, "status");
  const startedMs = Date.parse(textAt(status, "startTime")) || boundMs(status) || nowMs;
  const deadlineMs = startedMs + (numberAt(specOf(pod), "activeDeadlineSeconds") ?? NEVER) * 1000;
  if (nowMs >= deadlineMs) return overdue(pod, nowMs);
  const progress = advanced(pod, network, nowMs, script, startedMs);
  return { ...progress, wakeMs: Math.min(progress.wakeMs, deadlineMs) };
}

/** When the pod was bound; a late step catches up from there. NaN: unknown. */
function boundMs(status: JsonObject | undefined): number {
  const scheduled = conditionOf(status, "PodScheduled");
  return scheduled?.["status"] === "True" ? Date.parse(textAt(scheduled, "lastTransitionTime")) : Number.NaN;
}

function advanced(
  pod: KubeObject,
  network: PodNetwork,
  nowMs: number,
  script: Script,
  startedMs: number,
): Progress {
  const creating = whyCreating(pod, script);
  if (creating) return notStarted(pod, creating.reason, NEVER, creating);
  if (network.podIps === undefined) return notStarted(pod, "ContainerCreating", NEVER);
  const hasStarted = objectsAt(objectAt(pod, "status"), "containerStatuses").some(
    (status) => textAt(status, "containerID") !== "",
  );
  const startMs = startedMs + script.startMs;
  const isInit = objectsAt(objectAt(pod, "status"), "initContainerStatuses").some(
    ({ started }) => started === true,
  );
  if (nowMs < startMs && !hasStarted && !isInit) return notStarted(pod, "ContainerCreating", startMs);
  return running(pod, nowMs, script);
}

/** The waiting reason of a pod whose script prevents its start. */
function whyCreating(
  pod: KubeObject,
  { outcome }: Script,
): { readonly reason: string; readonly message?: string; readonly events?: readonly Told[] } | undefined {
  if (outcome === "never-start") return { reason: "ContainerCreating" };
  if (outcome !== "image-error") return undefined;
  const image = textAt(objectsAt(specOf(pod), "containers")[0], "image");
  const why = `failed to pull and unpack image ${JSON.stringify(fullName(image))}: not found`;
  const known = objectsAt(objectAt(pod, "status"), "containerStatuses").length > 0;
  const events: Told[] = [
    { reason: "Pulling", message: `Pulling image ${JSON.stringify(image)}` },
    { type: "Warning", reason: "Failed", message: `Failed to pull image ${JSON.stringify(image)}: ${why}` },
    { type: "Warning", reason: "Failed", message: "Error: ErrImagePull" },
  ];
  const message = `Back-off pulling image ${JSON.stringify(image)}: ErrImagePull: ${why}`;
  return { reason: "ImagePullBackOff", message, events: known ? [] : events };
}

function notStarted(
  pod: KubeObject,
  reason: string,
  wakeMs: number,
  { message, events = [] }: { readonly message?: string; readonly events?: readonly Told[] } = {},
): Progress {
  const spec = specOf(pod);
  const init = objectsAt(spec, "initContainers");
  const waiting =
    init.length > 0 ? { reason: "PodInitializing" } : { reason, ...(message ? { message } : {}) };
  const waits = (container: JsonObject): JsonObject => ({
    ...waitingStatus(container, waiting.reason),
    state: { waiting },
  });
  return {
    phase: "Pending",
    initStatuses: init.map(waits),
    statuses: objectsAt(spec, "containers").map(waits),
    events,
    wakeMs,
    hasSandbox: reason === "ImagePullBackOff",
  };
}

/** Container name → status. */
const byName = (pod: KubeObject, list: string): Map<string, JsonObject> =>
  new Map(objectsAt(objectAt(pod, "status"), list).map((status) => [textAt(status, "name"), status]));

function running(pod: KubeObject, nowMs: number, script: Script): Progress {
  const spec = specOf(pod);
  const policy = textAt(spec, "restartPolicy") || "Always";
  const init = runInit(pod, nowMs, script, policy);
  if (init.failed) return { ...ended("Failed", init, waitingAll(pod)), wakeMs: NEVER };
  if (!init.passed) return { phase: "Pending", ...init, statuses: waitingAll(pod) };
  const before = byName(pod, "containerStatuses");
  const steps = objectsAt(spec, "containers").map((container) => {
    const name = textAt(container, "name");
    const course = courseOf(script, nowMs, policy, name);
    return { name, step: stepContainer(pod, container, before.get(name), course) };
  });
  const statuses = steps.map(({ step }) => step.status);
  const events = [
    ...init.events,
    ...steps.flatMap(({ name, step }) => toldOf(step, `spec.containers{${name}}`)),
  ];
  const wakeMs = smallest(
    steps.map(({ step }) => step.wakeMs ?? NEVER),
    init.wakeMs,
  );
  const codes = statuses.map((status) =>
    numberAt(objectAt(objectAt(status, "state"), "terminated"), "exitCode"),
  );
  const isOver = codes.every((code) => code !== undefined && !restarts(policy, code));
  if (!isOver) return { phase: "Running", initStatuses: init.initStatuses, statuses, events, wakeMs };
  const phase = codes.every((code) => code === 0) ? "Succeeded" : "Failed";
  return { ...ended(phase, { ...init, events }, statuses), wakeMs: NEVER };
}

const restarts = (policy: string, exitCode: number): boolean =>
  policy === "Always" || (policy === "OnFailure" && exitCode !== 0);

const toldOf = ({ events }: ContainerStep, fieldPath: string): Told[] =>
  events.map((said) => ({ ...said, fieldPath }));

function courseOf(script: Script, nowMs: number, policy: string, name: string): Course {
  const readyMs = script.outcome === "never-ready" ? NEVER : script.readyMs(name);
  return {
    nowMs,
    runMs: script.runMs,
    exitCode: script.exitCode,
    restarts: (code) => restarts(policy, code),
    isReady: (ranMs) => ranMs >= readyMs,
    readyMs,
  };
}

const waitingAll = (pod: KubeObject): JsonObject[] =>
  objectsAt(specOf(pod), "containers").map((container) => waitingStatus(container, "PodInitializing"));

interface Init {
  readonly initStatuses: readonly JsonObject[];
  readonly events: readonly Told[];
  readonly wakeMs: number;
  readonly passed: boolean;
  readonly failed: boolean;
}

/**
 * Runs the init containers in sequence. A restartable one (restartPolicy Always) delays the next only until it has
 * started.
 */
function runInit(pod: KubeObject, nowMs: number, script: Script, podPolicy: string): Init {
  const before = byName(pod, "initContainerStatuses");
  const [initStatuses, events]: [JsonObject[], Told[]] = [[], []];
  let [wakeMs, passed, failed] = [NEVER, true, false];
  for (const container of objectsAt(specOf(pod), "initContainers")) {
    const name = textAt(container, "name");
    const stays = container["restartPolicy"] === "Always";
    if (!passed) {
      initStatuses.push(before.get(name) ?? waitingStatus(container, "PodInitializing"));
      continue;
    }
    const exitCode = script.outcome === "init-crash" ? script.exitCode : 0;
    const policy = podPolicy === "Always" ? "OnFailure" : podPolicy;
    const known = before.get(name);
    const wasStarted = textAt(known, "containerID") !== "";
    const course: Course = {
      ...courseOf(script, nowMs, stays ? "Always" : policy, name),
      ...(stays
        ? { runMs: undefined }
        : { runMs: script.initMs, exitCode, isReady: () => false, readyMs: NEVER }),
    };
    const step = stepContainer(pod, container, wasStarted ? known : undefined, course);
    const ended = objectAt(objectAt(step.status, "state"), "terminated");
    const status = ended ? { ...step.status, ready: ended["exitCode"] === 0 } : step.status;
    initStatuses.push(status);
    append(events, toldOf(step, `spec.initContainers{${name}}`));
    wakeMs = Math.min(wakeMs, step.wakeMs ?? NEVER);
    passed = isPassed(status, stays);
    failed ||= ended !== undefined && ended["exitCode"] !== 0 && policy === "Never";
  }
  return { initStatuses, events, wakeMs, passed, failed };
}

/** The step when all containers have ended; restartable init containers are stopped too. */
function ended(
  phase: string,
  init: Pick<Init, "initStatuses" | "events">,
  statuses: readonly JsonObject[],
): Omit<Progress, "wakeMs"> {
  return { phase, initStatuses: init.initStatuses, statuses, events: init.events };
}

function overdue(pod: KubeObject, nowMs: number): Progress {
  const stop = stopped(pod, nowMs, 137);
  const message = "Pod was active on the node longer than the specified deadline";
  return {
    ...stop,
    phase: "Failed",
    events: [{ reason: "DeadlineExceeded", message }],
    wakeMs: NEVER,
    extra: { reason: "DeadlineExceeded", message },
  };
}

/** The statuses after all running containers have been stopped. */
function stopped(pod: KubeObject, nowMs: number, exitCode: number) {
  const stop = (list: string): JsonObject[] =>
    objectsAt(objectAt(pod, "status"), list).map((status) => {
      const runs = objectAt(objectAt(status, "state"), "running");
      if (!runs) return { ...status, ready: false };
      const startMs = Date.parse(textAt(runs, "startedAt"));
      const terminated = terminatedState(status, exitCode, startMs, nowMs);
      return { ...status, state: { terminated }, ready: false, started: false };
    });
  return { initStatuses: stop("initContainerStatuses"), statuses: stop("containerStatuses") };
}

export interface Stop {
  /** When all its containers have stopped. */
  readonly dueMs: number;
  /** The status patch for that time. */
  patch(nowMs: number): JsonObject | undefined;
}

/** For a deleted pod: its containers stop by themselves, at the latest when the grace period is over. */
export function stopPod(pod: KubeObject, network: PodNetwork): Stop {
  const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const toldMs = Date.parse(pod.metadata.deletionTimestamp ?? "") - graceMs;
  const { stopMs } = scriptOf(pod);
  const hasStarted = objectsAt(objectAt(pod, "status"), "containerStatuses").some(
    (status) => objectAt(objectAt(status, "state"), "running") !== undefined,
  );
  return {
    dueMs: hasStarted ? toldMs + Math.min(stopMs, graceMs) : toldMs,
    patch: (nowMs) => {
      if (hasEnded(pod) || !hasStarted) return undefined;
      // A container that does not stop within the grace period is killed.
      const isKilled = stopMs >= graceMs;
      const stop = stopped(pod, nowMs, isKilled ? 137 : 0);
      const phase = isKilled ? "Failed" : "Succeeded";
      return patchFor(pod, network, { ...stop, phase, events: [], wakeMs: NEVER }, nowMs);
    },
  };
}

/** The changed part of the status. */
function patchFor(
  pod: KubeObject,
  { hostIps, podIps }: PodNetwork,
  { phase, initStatuses, statuses, extra = {}, ...progress }: Progress,
  nowMs: number,
): JsonObject | undefined {
  const status = objectAt(pod, "status") ?? {};
  const isUpNow = progress.hasSandbox === true || [...initStatuses, ...statuses].some(isUp);
  const ips = isUpNow ? podIps : undefined;
  const nowText = formatTime(nowMs);
  const hasSandbox = ips !== undefined && !isEndPhase(phase);
  const facts = { phase, hasSandbox, initStatuses, statuses };
  const wanted: JsonObject = {
    observedGeneration: pod.metadata.generation,
    phase,
    ...(hostIps.length === 0 ? {} : { hostIP: hostIps[0], hostIPs: hostIps.map((ip) => ({ ip })) }),
    ...(ips === undefined || ips.length === 0 ? {} : { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
    startTime: textAt(status, "startTime") || nowText,
    ...(initStatuses.length === 0 ? {} : { initContainerStatuses: initStatuses }),
    containerStatuses: statuses,
    qosClass: textAt(status, "qosClass") || qosClassOf(specOf(pod)),
    ...extra,
  };
  const changed = Object.entries(wanted).filter(([key, value]) => !equalJson(status[key], value));
  const conditions = podConditions(pod, facts, nowText);
  if (areSaid(status, objectsAt(conditions, "conditions")) && changed.length === 0) return undefined;
  return { ...Object.fromEntries(changed), ...conditions };
}

/** The container was started; it may have ended since. */
const isUp = (status: JsonObject): boolean => textAt(status, "containerID") !== "";

function areSaid(status: JsonObject, wanted: readonly JsonObject[]): boolean {
  return wanted.every((condition) => {
    const known = conditionOf(status, textAt(condition, "type"));
    return (
      known !== undefined &&
      ["status", "reason", "message"].every((key) => (known[key] ?? null) === (condition[key] ?? null))
    );
  });
}

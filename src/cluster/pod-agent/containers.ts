// One step of a container: computes the next status from the last written one. There is no other state, so a restart or
// a jump of the clock has no effect.
//
//   waiting → running → terminated → waiting (CrashLoopBackOff) → running …
import { createHash } from "node:crypto";
import { type JsonObject, numberAt, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";

const BACKING_OFF = "CrashLoopBackOff";
const BACKOFF_FIRST_MS = 10_000;
const BACKOFF_MAX_MS = 300_000;
/** A container that ran at least this long is restarted without backoff. */
const STEADY_MS = 2 * BACKOFF_MAX_MS;

/** An Event of the kubelet about a container. */
export interface Said {
  readonly type?: "Warning";
  readonly reason: string;
  readonly message: string;
  /** A routine Event, which is dropped above the rate limit. */
  readonly isRoutine?: true;
}

/** The simulated behavior of the containers of one kind in a pod. */
export interface Course {
  readonly nowMs: number;
  /** Milliseconds that it runs; undefined: until it is stopped. */
  readonly runMs: number | undefined;
  readonly exitCode: number;
  restarts(exitCode: number): boolean;
  /** `ranMs` counts from the start of the container. */
  isReady(ranMs: number): boolean;
  /** Milliseconds from the start until the readiness changes. */
  readonly readyMs: number;
}

export interface ContainerStep {
  readonly status: JsonObject;
  /** When the next step is due. */
  readonly wakeMs?: number;
  readonly events: readonly Said[];
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The status of a container that has not started yet. */
export function waitingStatus(container: JsonObject, reason: string, before?: JsonObject): JsonObject {
  const image = textAt(container, "image");
  return {
    name: textAt(container, "name"),
    state: { waiting: { reason } },
    lastState: objectAt(before, "lastState") ?? {},
    ready: false,
    restartCount: numberAt(before, "restartCount") ?? 0,
    image,
    imageID: textAt(before, "imageID"),
    started: false,
  };
}

const timeOf = (state: JsonObject | undefined, key: string): number => Date.parse(textAt(state, key));

/** The next status of a container that may run now. */
export function stepContainer(
  pod: KubeObject,
  container: JsonObject,
  before: JsonObject | undefined,
  course: Course,
): ContainerStep {
  const state = objectAt(before, "state");
  const running = objectAt(state, "running");
  if (before && running) return stepRunning(pod, container, before, running, course);
  const ended = objectAt(state, "terminated");
  if (before && ended) return stepEnded(pod, container, before, ended, course);
  const last = before && objectAt(objectAt(before, "lastState"), "terminated");
  if (before && last && textAt(objectAt(state, "waiting"), "reason") === BACKING_OFF)
    return stepBackOff(pod, container, before, last, course);
  return started(pod, container, before, course);
}

function started(
  pod: KubeObject,
  container: JsonObject,
  before: JsonObject | undefined,
  course: Course,
): ContainerStep {
  const last = objectAt(before, "lastState") ?? {};
  const restartCount = (numberAt(before, "restartCount") ?? 0) + (last["terminated"] === undefined ? 0 : 1);
  const [name, image] = [textAt(container, "name"), textAt(container, "image")];
  const { startedAt, at } = {
    startedAt: formatTime(course.nowMs),
    at: Math.floor(course.nowMs / 1000) * 1000,
  };
  const status = {
    ...{ name, state: { running: { startedAt } }, lastState: last },
    ready: course.isReady(0),
    restartCount,
    image: fullName(image),
    imageID: `${repositoryOf(fullName(image))}@sha256:${digest(image)}`,
    containerID: `containerd://${digest(`${pod.metadata.uid}/${name}/${restartCount}`)}`,
    started: true,
  };
  const events: Said[] = [
    {
      isRoutine: true,
      reason: "Pulled",
      message: `Container image ${JSON.stringify(image)} already present on machine and can be accessed by the pod`,
    },
    { isRoutine: true, reason: "Created", message: "Container created" },
    { isRoutine: true, reason: "Started", message: "Container started" },
  ];
  return { status, events, ...wakeAfter(course, at, course.nowMs) };
}

/** When the next step of a running container with that start time is due. */
function wakeAfter(
  { readyMs, runMs = Number.POSITIVE_INFINITY, isReady }: Course,
  startMs: number,
  nowMs: number,
) {
  const ready = isReady(nowMs - startMs) ? Number.POSITIVE_INFINITY : startMs + readyMs;
  const wakeMs = Math.min(ready, startMs + runMs);
  return Number.isFinite(wakeMs) ? { wakeMs } : {};
}

function stepRunning(
  pod: KubeObject,
  container: JsonObject,
  before: JsonObject,
  running: JsonObject,
  course: Course,
): ContainerStep {
  const { nowMs, runMs, exitCode } = course;
  const startMs = timeOf(running, "startedAt");
  if (runMs !== undefined && nowMs >= startMs + runMs) {
    const terminated = terminatedState(before, exitCode, startMs, startMs + runMs);
    if (!course.restarts(exitCode))
      return { status: { ...before, state: { terminated }, ready: false, started: false }, events: [] };
    return stepEndedNow(pod, container, before, terminated, course);
  }
  const ready = course.isReady(nowMs - startMs);
  return { status: { ...before, ready, started: true }, events: [], ...wakeAfter(course, startMs, nowMs) };
}

export const terminatedState = (
  before: JsonObject,
  exitCode: number,
  startMs: number,
  endMs: number,
): JsonObject => ({
  exitCode,
  reason: exitCode === 0 ? "Completed" : "Error",
  startedAt: formatTime(startMs),
  finishedAt: formatTime(endMs),
  containerID: textAt(before, "containerID"),
});

/** The container has just ended and restarts: at once the first time, later after a backoff. */
function stepEndedNow(
  pod: KubeObject,
  container: JsonObject,
  before: JsonObject,
  terminated: JsonObject,
  course: Course,
): ContainerStep {
  const backoffMs = backoffOf(numberAt(before, "restartCount") ?? 0, terminated);
  const ended = { ...before, ready: false, started: false };
  if (backoffMs === 0)
    return { status: { ...ended, state: { terminated } }, wakeMs: course.nowMs, events: [] };
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const [which, whose] = [textAt(container, "name"), `${name}_${namespace}(${uid})`];
  const message = `back-off ${formatBackoff(backoffMs)} restarting failed container=${which} pod=${whose}`;
  const told = `Back-off restarting failed container ${which} in pod ${whose}`;
  return {
    status: { ...ended, state: { waiting: { reason: BACKING_OFF, message } }, lastState: { terminated } },
    wakeMs: Math.max(timeOf(terminated, "finishedAt") + backoffMs, course.nowMs),
    events: [{ type: "Warning", reason: "BackOff", message: told }],
  };
}

/** "10s", "1m20s", "5m0s" */
function formatBackoff(ms: number): string {
  const [minutes, seconds] = [Math.floor(ms / 60_000), Math.floor((ms % 60_000) / 1000)];
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}

/** The backoff before a restart; 0 for the first restart and after a long run. */
function backoffOf(restartCount: number, terminated: JsonObject): number {
  const ranMs = timeOf(terminated, "finishedAt") - timeOf(terminated, "startedAt");
  if (restartCount === 0 || ranMs >= STEADY_MS) return 0;
  return Math.min(BACKOFF_FIRST_MS * 2 ** (restartCount - 1), BACKOFF_MAX_MS);
}

function stepEnded(
  pod: KubeObject,
  container: JsonObject,
  before: JsonObject,
  ended: JsonObject,
  course: Course,
): ContainerStep {
  if (!course.restarts(numberAt(ended, "exitCode") ?? 0)) return { status: before, events: [] };
  const waits = { ...before, lastState: { terminated: ended } };
  return stepBackOff(pod, container, waits, ended, course);
}

function stepBackOff(
  pod: KubeObject,
  container: JsonObject,
  before: JsonObject,
  last: JsonObject,
  course: Course,
): ContainerStep {
  const wakeMs = timeOf(last, "finishedAt") + backoffOf(numberAt(before, "restartCount") ?? 0, last);
  if (course.nowMs >= wakeMs) return started(pod, container, before, course);
  return { status: before, wakeMs, events: [] };
}

/** The full image name as containerd reports it: "nginx" is docker.io/library/nginx:latest. */
export function fullName(image: string): string {
  const [first = "", ...rest] = image.split("/");
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const path = isHost ? image : rest.length > 0 ? `docker.io/${image}` : `docker.io/library/${image}`;
  const last = path.slice(path.lastIndexOf("/") + 1);
  return /[:@]/.test(last) ? path : `${path}:latest`;
}

const repositoryOf = (image: string): string => image.replace(/(?::[^/:@]*)?(?:@.*)?$/, "");

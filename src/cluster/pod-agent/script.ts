// The simulated behavior of a pod's containers. Annotations of the Pod define it. By default its containers start after
// a second, are ready at the first readiness probe, and run until they are stopped. Pods of a Job complete after two
// seconds.
import { durationMs } from "../../apimachinery/go/duration.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { controllerOf } from "../../controller/api.ts";

const PREFIX = "egret.dev/";
const OUTCOMES = ["crash", "init-crash", "never-ready", "never-start", "image-error"] as const;
type Outcome = (typeof OUTCOMES)[number];

export interface Script {
  readonly outcome: Outcome | undefined;
  /** Milliseconds from the binding until the first container starts. */
  readonly startMs: number;
  /** Milliseconds that an init container runs. */
  readonly initMs: number;
  /** Milliseconds from the start of a container until it is ready. */
  readonly readyMs: (container: string) => number;
  /** Milliseconds that containers run; undefined: until they are stopped. */
  readonly runMs: number | undefined;
  readonly exitCode: number;
  /** Milliseconds that they take to stop; the grace period limits it. */
  readonly stopMs: number;
}

const SECOND = 1_000;
const JOB_MS = 2 * SECOND;

export function scriptOf(pod: KubeObject): Script {
  const annotations = pod.metadata.annotations ?? {};
  const said = (name: string): string | undefined => annotations[`${PREFIX}${name}`];
  const time = (name: string): number | undefined => durationMs(said(name) ?? "");
  const outcome = OUTCOMES.find((item) => item === said("outcome"));
  const crashes = outcome === "crash" || outcome === "init-crash";
  const exitCode = Number(said("exit-code") ?? Number.NaN);
  const readyMs = time("ready-delay");
  return {
    outcome,
    startMs: time("start-delay") ?? SECOND,
    initMs: time("init-delay") ?? SECOND,
    readyMs: (container) => readyMs ?? probeMs(pod, container),
    runMs: time("run-for") ?? (outcome === "crash" ? SECOND : isOfJob(pod) ? JOB_MS : undefined),
    exitCode: Number.isInteger(exitCode) ? exitCode : crashes ? 1 : 0,
    stopMs: time("stop-delay") ?? SECOND,
  };
}

function probeMs(pod: KubeObject, name: string): number {
  const container = objectsAt(specOf(pod), "containers").find((item) => textAt(item, "name") === name);
  const probe = container && objectAt(container, "readinessProbe");
  return (numberAt(probe, "initialDelaySeconds") ?? 0) * SECOND;
}

const isOfJob = (pod: KubeObject): boolean =>
  specOf(pod)["restartPolicy"] !== "Always" && controllerOf(pod)?.kind === "Job";

// Table row of a pod. The status cell has one word: the reason of a waiting or terminated container precedes the phase,
// and the first unfinished init container precedes all others.

import {
  type JsonObject,
  lookupTable,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from "../../../apimachinery/json/json.ts";
import { conditionOf } from "../../../apimachinery/meta/conditions.ts";
import type { RowPrinter } from "../../../apiserver/registry/definition/resource-definition.ts";
import { timeSince } from "../../../apiserver/registry/strategy/columns.ts";
import { isTrue } from "../../../apiserver/registry/strategy/fields.ts";

const COMPLETED: Readonly<Record<string, string>> = lookupTable({
  Succeeded: "The pod has completed successfully.",
  Failed: "The pod failed.",
});

interface Progress {
  word: string;
  ready: number;
  restarts: number;
  /** Time of the last termination before a restart; "" if there is none. */
  restartedAt: string;
}

export const printPod: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const spec = objectAt(object, "spec");
  const status = objectAt(object, "status");
  const phase = textAt(status, "phase");
  const progress = progressOf(spec, status);
  const total =
    objectsAt(spec, "containers").length + objectsAt(spec, "initContainers").filter(isSidecar).length;
  const message = COMPLETED[phase];
  return {
    cells: [
      textAt(metadata, "name"),
      `${progress.ready}/${total}`,
      deletionWord(metadata, status) ?? progress.word,
      restartsCell(progress, nowMs),
      timeSince(metadata, "creationTimestamp", nowMs),
      textAt(objectsAt(status, "podIPs")[0], "ip") || "<none>",
      textAt(spec, "nodeName") || "<none>",
      textAt(status, "nominatedNodeName") || "<none>",
      gatesCell(spec, status),
    ],
    ...(message ? { conditions: [{ type: "Completed", status: "True", reason: phase, message }] } : {}),
  };
};

const isSidecar = (container: JsonObject | undefined): boolean => container?.["restartPolicy"] === "Always";

function deletionWord(metadata: JsonObject | undefined, status: JsonObject | undefined): string | undefined {
  if (!textAt(metadata, "deletionTimestamp")) return undefined;
  if (textAt(status, "reason") === "NodeLost") return "Unknown";
  return COMPLETED[textAt(status, "phase")] === undefined ? "Terminating" : undefined;
}

function restartsCell({ restarts, restartedAt }: Progress, nowMs: number): string {
  if (restarts === 0 || restartedAt === "") return String(restarts);
  return `${restarts} (${timeSince({ restartedAt }, "restartedAt", nowMs)} ago)`;
}

function gatesCell(spec: JsonObject | undefined, status: JsonObject | undefined): string {
  const gates = objectsAt(spec, "readinessGates");
  if (gates.length === 0) return "<none>";
  const open = gates.filter((gate) => conditionHolds(status, textAt(gate, "conditionType")));
  return `${open.length}/${gates.length}`;
}

const conditionHolds = (status: JsonObject | undefined, type: string): boolean =>
  conditionOf(status, type)?.["status"] === "True";

function progressOf(spec: JsonObject | undefined, status: JsonObject | undefined): Progress {
  const gated = objectsAt(status, "conditions").some(
    (item) => item["type"] === "PodScheduled" && item["reason"] === "SchedulingGated",
  );
  const word = gated ? "SchedulingGated" : textAt(status, "reason") || textAt(status, "phase");
  const all: Progress = { word, ready: 0, restarts: 0, restartedAt: "" };
  const sidecars: Progress = { ...all };
  const initializing = countInitContainers(spec, status, all, sidecars);
  if (initializing && !conditionHolds(status, "Initialized")) return all;
  const progress = { ...sidecars, word: all.word, ready: all.ready };
  countContainers(status, progress);
  return progress;
}

/** True if an init container is unfinished; its state becomes the word. */
function countInitContainers(
  spec: JsonObject | undefined,
  status: JsonObject | undefined,
  all: Progress,
  sidecars: Progress,
): boolean {
  const containers = objectsAt(spec, "initContainers");
  const sidecarNames = new Set(containers.filter(isSidecar).map((container) => container["name"]));
  for (const [index, item] of objectsAt(status, "initContainerStatuses").entries()) {
    const sidecar = sidecarNames.has(item["name"]);
    countRestarts(item, all);
    if (sidecar) countRestarts(item, sidecars);
    const terminated = stateOf(item, "terminated");
    if (terminated !== undefined && !numberAt(terminated, "exitCode")) continue;
    if (sidecar && isTrue(item, "started")) {
      if (isTrue(item, "ready")) all.ready += 1;
      continue;
    }
    const reason = textAt(stateOf(item, "waiting"), "reason");
    if (terminated !== undefined) all.word = `Init:${endWord(terminated)}`;
    else if (reason !== "" && reason !== "PodInitializing") all.word = `Init:${reason}`;
    else all.word = `Init:${index}/${containers.length}`;
    return true;
  }
  return false;
}

function countContainers(status: JsonObject | undefined, progress: Progress): void {
  let running = false;
  for (const item of objectsAt(status, "containerStatuses").reverse()) {
    countRestarts(item, progress);
    const waiting = textAt(stateOf(item, "waiting"), "reason");
    const terminated = stateOf(item, "terminated");
    if (waiting !== "") progress.word = waiting;
    else if (terminated !== undefined) progress.word = endWord(terminated);
    else if (isTrue(item, "ready") && stateOf(item, "running") !== undefined) {
      running = true;
      progress.ready += 1;
    }
  }
  if (progress.word === "Completed" && running) {
    progress.word = conditionHolds(status, "Ready") ? "Running" : "NotReady";
  }
}

function countRestarts(item: JsonObject, progress: Progress): void {
  progress.restarts += numberAt(item, "restartCount") ?? 0;
  const endedAt = textAt(objectAt(objectAt(item, "lastState"), "terminated"), "finishedAt");
  if (endedAt > progress.restartedAt) progress.restartedAt = endedAt;
}

const stateOf = (item: JsonObject, name: string): JsonObject | undefined =>
  objectAt(objectAt(item, "state"), name);

function endWord(terminated: JsonObject): string {
  const reason = textAt(terminated, "reason");
  if (reason !== "") return reason;
  const signal = numberAt(terminated, "signal");
  return signal ? `Signal:${signal}` : `ExitCode:${numberAt(terminated, "exitCode") ?? 0}`;
}

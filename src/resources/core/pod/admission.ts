// What the admission plugins of a real server (DefaultTolerationSeconds, Priority) add to every pod. It runs after
// ownership was recorded, so nobody owns it.

import { type JsonObject, lookupTable, objectsAt, textAt } from "../../../meta/json.ts";

const TAINTS = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const TOLERATION_SECONDS = 300;
const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = lookupTable({
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
});

/** Pods stay for a while on nodes that are gone, unless they say how long. */
export function addDefaultTolerations(spec: JsonObject): void {
  const given = objectsAt(spec, "tolerations");
  const missing = TAINTS.filter((key) => !given.some((toleration) => tolerates(toleration, key)));
  if (missing.length === 0) return;
  const added = missing.map((key) => ({
    key,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: TOLERATION_SECONDS,
  }));
  spec["tolerations"] = [...given, ...added];
}

function tolerates(toleration: JsonObject, taint: string): boolean {
  const key = textAt(toleration, "key");
  const effect = textAt(toleration, "effect");
  return (key === taint || key === "") && (effect === "NoExecute" || effect === "");
}

export function setPriority(spec: JsonObject): void {
  spec["priority"] ??= SYSTEM_PRIORITIES[textAt(spec, "priorityClassName")] ?? 0;
  spec["preemptionPolicy"] ??= "PreemptLowerPriority";
}

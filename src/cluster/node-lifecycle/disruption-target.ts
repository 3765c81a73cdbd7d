// The DisruptionTarget condition, which a pod gets before an involuntary deletion. It reports the reason to watchers of
// the pod.

import type { JsonObject } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { mergeStatus, PODS } from "../../controller/api.ts";
import type { Said } from "../../controller/conditions.ts";
import type { Kit } from "../../controller/definition.ts";

export async function markDisrupted(
  { client, clock }: Pick<Kit, "client" | "clock">,
  pod: KubeObject,
  { reason, message }: Said,
  status: JsonObject = {},
): Promise<void> {
  const condition = {
    type: "DisruptionTarget",
    observedGeneration: pod.metadata.generation,
    status: "True",
    reason,
    message,
    lastTransitionTime: formatTime(clock.now()),
  };
  await mergeStatus(client, PODS, pod, { status: { ...status, conditions: [condition] } });
}

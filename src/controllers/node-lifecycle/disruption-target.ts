// The DisruptionTarget condition, which a pod gets before an involuntary deletion. It reports the reason to watchers of
// the pod.
import { formatTime } from "../../meta/clock.ts";
import type { JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { mergeStatus, PODS } from "../kit/api.ts";
import type { Said } from "../kit/conditions.ts";
import type { Kit } from "../kit/definition.ts";

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

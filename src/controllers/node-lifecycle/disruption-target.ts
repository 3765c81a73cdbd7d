// What a pod is told before it is deleted though nobody has asked for that: who watches it learns why it goes.
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

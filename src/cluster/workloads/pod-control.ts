// Creates and deletes pods for a workload and records the Events. Batches double in size, so that a persistent
// rejection is not repeated thousands of times.
import { cloneJson, type JsonObject, objectAt } from "../../apimachinery/json/json.ts";
import { isDns1123Subdomain } from "../../apimachinery/meta/names.ts";
import type { KubeObject, OwnerReference } from "../../apimachinery/meta/object-meta.ts";
import type { EventType } from "../../apimachinery/meta/occurrence.ts";
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import { isNamespaceEnding, subjectOf } from "../../controller/api.ts";
import type { Kit } from "../../controller/definition.ts";
import { errorText } from "../../controller/logging.ts";
import type { Children } from "./children.ts";
import { nameOf } from "./resources.ts";

/** The pod of a template, with a generateName. */
export function podFrom(template: JsonObject, owner: KubeObject, reference: OwnerReference): KubeObject {
  const { labels, annotations, finalizers } = objectAt(template, "metadata") ?? {};
  const metadata = cloneJson({ labels, annotations, finalizers });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(metadata as KubeObject["metadata"]), // validated as that of a pod
      generateName: podPrefix(nameOf(owner)),
      namespace: owner.metadata.namespace ?? "",
      ownerReferences: [reference],
    },
    spec: objectAt(template, "spec") ?? {},
  };
}

/** A dash is appended only to a valid name. */
function podPrefix(name: string): string {
  return isDns1123Subdomain(name).length === 0 ? `${name}-` : name;
}

/** Returns a function that records Events about the object. */
export const telling =
  ({ recordEvent }: Pick<Kit, "recordEvent">, object: KubeObject) =>
  (type: EventType, reason: string, message: string): void =>
    recordEvent({ subject: subjectOf(object), type, reason, message });

export interface PodControl {
  /** Rethrows API errors, except that of a terminating namespace. */
  create(pod: KubeObject): Promise<void>;
  delete(pod: KubeObject): Promise<void>;
}

export function podControl(kit: Pick<Kit, "recordEvent">, children: Children, owner: KubeObject): PodControl {
  const tell = telling(kit, owner);
  return {
    async create(pod) {
      try {
        const made = await children.create(pod);
        tell("Normal", "SuccessfulCreate", `Created pod: ${nameOf(made)}`);
      } catch (error) {
        if (isNamespaceEnding(error)) return;
        tell("Warning", "FailedCreate", `Error creating: ${errorText(error)}`);
        throw error;
      }
    },
    async delete(pod) {
      try {
        await children.delete(pod);
        tell("Normal", "SuccessfulDelete", `Deleted pod: ${nameOf(pod)}`);
      } catch (error) {
        tell("Warning", "FailedDelete", `Error deleting: ${errorText(error)}`);
        throw error;
      }
    },
  };
}

/** The limit of one batch, which runs in one event loop turn without yielding. */
const BATCH_MAX = 8;

/** Runs one item, then batches of doubling size. Stops after a batch with a failure and throws that failure. */
export async function inGrowingBatches<T>(
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
): Promise<void> {
  let size = 1;
  for (let start = 0; start < items.length; ) {
    const batch = items.slice(start, start + size);
    const outcomes = await Promise.allSettled(batch.map(act));
    const failure = outcomes.find((outcome) => outcome.status === "rejected");
    if (failure) throw failure.reason;
    start += batch.length;
    size = Math.min(size * 2, BATCH_MAX);
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
}

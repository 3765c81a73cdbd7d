// Makes and deletes pods in the name of a workload, with the events that say so. Many are made in steps that double, so that
// what refuses one of them is not asked thousands of times.
import { cloneJson, type JsonObject, objectAt } from "../../meta/json.ts";
import { isDns1123Subdomain } from "../../meta/names.ts";
import type { KubeObject, OwnerReference } from "../../meta/object-meta.ts";
import type { EventType } from "../../meta/occurrence.ts";
import { pauseForOthers } from "../../meta/turns.ts";
import { isNamespaceEnding, subjectOf } from "../kit/api.ts";
import type { Kit } from "../kit/definition.ts";
import { errorText } from "../kit/logging.ts";
import type { Children } from "./children.ts";
import { nameOf } from "./resources.ts";

/** The pod of a template, without a name of its own. */
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

/** A name that ends in a dash has none put behind it where that would be no name. */
function podPrefix(name: string): string {
  return isDns1123Subdomain(name).length === 0 ? `${name}-` : name;
}

/** How events are recorded that are about the object. */
export const telling =
  ({ say }: Pick<Kit, "say">, object: KubeObject) =>
  (type: EventType, reason: string, message: string): void =>
    say({ subject: subjectOf(object), type, reason, message });

export interface PodControl {
  /** Throws what the API says. A namespace that ends is no failure. */
  create(pod: KubeObject): Promise<void>;
  delete(pod: KubeObject): Promise<void>;
}

export function podControl(kit: Pick<Kit, "say">, children: Children, owner: KubeObject): PodControl {
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

/** What is made together is made in one turn, in which nobody else has his. */
const BATCH_MAX = 8;

/** Does the first, then twice as many at a time; stops behind a batch in which one fails, and throws that failure. */
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
    const pause = pauseForOthers();
    if (pause !== undefined) await pause;
  }
}

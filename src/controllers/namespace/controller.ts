// The namespace controller: a namespace that was deleted is emptied and, once nothing is left in it, let go by taking
// "kubernetes" out of spec.finalizers. What is done is in terminate.ts; here it is joined to the API.

import { NAMESPACES, type ResourceCatalog, resourcesWith } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { KitWith, World } from "../kit/definition.ts";
import { type Leftover, watchLeftovers } from "./content.ts";
import { isTerminating, terminate } from "./terminate.ts";

const VERBS = ["delete", "list", "watch"];
/**
 * How long a deleted namespace is left alone, so that writers and watchers see it terminate before it is gone. The real
 * controller waits 5 s for API servers that do not know of it yet; there is one here, so a moment is enough.
 */
export const DELETION_GRACE_MS = 200;
/** What is left in a namespace is looked at after that time even if no watch has told of a change. */
const LOOK_AGAIN_MS = 15_000;

interface Memory {
  readonly catalog: ResourceCatalog;
  /** The ends of waiting, by namespaces that wait for something in them to go. */
  readonly waiting: Map<string, () => void>;
}

export const namespace = defineController({
  name: "namespace",
  summary: "empties deleted namespaces",
  fieldManager: "kube-controller-manager",
  retry: { firstMs: 20, attemptsMax: Number.POSITIVE_INFINITY },
  memory({ catalog }: KitWith<"namespaces">): Memory {
    if (!catalog) throw new Error("the namespace controller needs to know which resources are served");
    return { catalog, waiting: new Map() };
  },
  watches: {
    namespaces: {
      resource: NAMESPACES,
      toKeys({ type, object, old }, { queue }) {
        const { name = "" } = object.metadata;
        if (type === "delete") return [name];
        if (!isTerminating(object)) return [];
        if (!old) return [name];
        if (!isTerminating(old)) queue.addAfter(name, DELETION_GRACE_MS);
        return [];
      },
    },
  },
  start({ memory, namespaces, look, signal }) {
    // With a resource more or less there may be other content.
    const stop = memory.catalog.onChange(() => {
      look([...namespaces.list()].filter(isTerminating).map(({ metadata }) => metadata.name));
    });
    const end = (): void => {
      stop();
      for (const name of [...memory.waiting.keys()]) stopWaiting(memory, name);
    };
    signal.addEventListener("abort", end, { once: true });
  },
  async reconcile(name, world) {
    const { namespaces, client, clock, memory, signal } = world;
    stopWaiting(memory, name);
    const found = namespaces.get(name);
    if (!found || !isTerminating(found)) return;
    const resources = resourcesWith(memory.catalog, VERBS).filter(({ namespaced }) => namespaced);
    const { leftovers, errors } = await terminate({ client, resources, nowMs: clock.now() }, found);
    // Whatever went wrong, what is left may go by itself, before it is time to try again.
    if (leftovers.length > 0 && !signal.aborted) waitFor(world, name, leftovers);
    if (errors.length > 0) throw new Error(errors.join(", "));
  },
});

function waitFor(
  { client, queue, memory }: World<"namespaces", Memory>,
  namespace: string,
  leftovers: readonly Leftover[],
): void {
  queue.addAfter(namespace, LOOK_AGAIN_MS);
  const onChange = (): void => queue.add(namespace);
  memory.waiting.set(namespace, watchLeftovers({ client, namespace, leftovers, onChange }));
}

function stopWaiting({ waiting }: Memory, namespace: string): void {
  waiting.get(namespace)?.();
  waiting.delete(namespace);
}

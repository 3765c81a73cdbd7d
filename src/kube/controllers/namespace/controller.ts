// The namespace controller: empties a deleted namespace. Once it is empty, it removes "kubernetes" from
// spec.finalizers.

import { isObject, type JsonObject, objectAt } from "../../../apimachinery/json/json.ts";
import { formatTime } from "../../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import {
  changeObject,
  identityOf,
  isGoing,
  NAMESPACES,
  readObject,
  resourcesWith,
} from "../../../controller/api.ts";
import type { Client } from "../../../controller/client.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { KitWith } from "../../../controller/definition.ts";
import { type Emptying, emptyNamespace, isEmpty, type NamespaceContent, watchLeftovers } from "./content.ts";

const VERBS = ["delete", "list", "watch"];
/**
 * Delay before a deleted namespace is emptied, so that writers and watchers see it terminate. The upstream controller
 * waits 5 s for API servers that have not observed the deletion. Egret has one server, so a short delay is enough.
 */
export const DELETION_GRACE_MS = 200;
/** Leftovers are checked again after this time, even without a watch event. */
const LOOK_AGAIN_MS = 15_000;

export const namespace = defineController({
  name: "namespace",
  summary: "empties deleted namespaces",
  fieldManager: "kube-controller-manager",
  retry: { firstMs: 20, attemptsMax: Number.POSITIVE_INFINITY },
  memory({ catalog }: KitWith<"namespaces">) {
    if (!catalog) throw new Error("the namespace controller needs to know which resources are served");
    /** Namespace → function that cancels the watches of its leftovers. */
    const waiting = new Map<string, () => void>();
    return { catalog, waiting };
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
    // A change of the served resources can change the content.
    const stop = memory.catalog.onChange(() => {
      look([...namespaces.list()].filter(isTerminating).map(({ metadata }) => metadata.name));
    });
    const end = (): void => {
      stop();
      for (const name of [...memory.waiting.keys()]) stopWaiting(memory.waiting, name);
    };
    signal.addEventListener("abort", end, { once: true });
  },
  async reconcile(name, { namespaces, client, clock, memory, queue, signal }) {
    stopWaiting(memory.waiting, name);
    const found = namespaces.get(name);
    if (!found || !isTerminating(found)) return;
    const resources = resourcesWith(memory.catalog, VERBS).filter(({ namespaced }) => namespaced);
    const { leftovers, errors } = await terminate({ client, resources, nowMs: clock.now() }, found);
    // Even after errors the leftovers may disappear before the next retry.
    if (leftovers.length > 0 && !signal.aborted) {
      queue.addAfter(name, LOOK_AGAIN_MS);
      memory.waiting.set(
        name,
        watchLeftovers(client, name, leftovers, () => queue.add(name)),
      );
    }
    if (errors.length > 0) throw new Error(errors.join(", "));
  },
});

function stopWaiting(waiting: Map<string, () => void>, namespace: string): void {
  waiting.get(namespace)?.();
  waiting.delete(namespace);
}

// One reconcile of a terminating namespace: delete its content, report progress in its conditions, and remove the
// finalizer when it is empty.

const CONTENT_FINALIZER = "kubernetes";

/** True if the namespace is deleted and still has the content finalizer. */
const isTerminating = (namespace: KubeObject): boolean =>
  isGoing(namespace) && finalizersOf(namespace).includes(CONTENT_FINALIZER);

const DONE: NamespaceContent = { leftovers: [], errors: [] };

/** Returns leftovers and errors; both are empty when the namespace was released. */
async function terminate(
  { client, resources, nowMs }: Omit<Emptying, "namespace">,
  namespace: KubeObject,
): Promise<NamespaceContent> {
  const { name = "" } = namespace.metadata;
  // A new namespace of the same name must not be emptied.
  const live = await readObject(client, identityOf(NAMESPACES, namespace));
  if (!live || !isTerminating(live)) return DONE;
  const emptying: Emptying = { client, resources, namespace: name, nowMs };
  const content = await emptyNamespace(emptying);
  await writeConditions(client, namespace, content, formatTime(nowMs));
  if (content.errors.length > 0 || content.leftovers.length > 0) return content;
  // Creates that were admitted just before the termination was visible are committed by now, since the conditions are.
  if (!(await isEmpty(emptying))) return terminate({ client, resources, nowMs }, namespace);
  await removeFinalizer(client, namespace);
  return DONE;
}

const writeConditions = (
  client: Client,
  namespace: KubeObject,
  content: NamespaceContent,
  now: string,
): Promise<void> =>
  changeObject(client, identityOf(NAMESPACES, namespace), (live) => {
    const status = objectAt(live, "status");
    const old = status?.["conditions"];
    const conditions = conditionsWith(Array.isArray(old) ? old : [], content, now);
    if (!conditions) return undefined;
    const next = { ...live, status: { ...status, phase: "Terminating", conditions } };
    return client.update(NAMESPACES, next, "status");
  });

const removeFinalizer = (client: Client, namespace: KubeObject): Promise<void> =>
  changeObject(client, identityOf(NAMESPACES, namespace), (live) => {
    if (!isTerminating(live)) return undefined;
    const { finalizers: _all, ...spec } = objectAt(live, "spec") ?? {};
    const finalizers = finalizersOf(live).filter((item) => item !== CONTENT_FINALIZER);
    const next = { ...live, spec: finalizers.length > 0 ? { ...spec, finalizers } : spec };
    return client.update(NAMESPACES, next, "finalize");
  });

function finalizersOf(namespace: KubeObject): readonly unknown[] {
  const finalizers = objectAt(namespace, "spec")?.["finalizers"];
  return Array.isArray(finalizers) ? finalizers : [];
}

interface ConditionRule {
  readonly type: string;
  /** Reason and message with status False, when nothing was found. */
  readonly fine: readonly [reason: string, message: string];
  /**
   * Reason, message prefix and texts with status True. Omitted for conditions that cannot occur in a single process.
   */
  readonly find?: (
    content: NamespaceContent,
  ) => readonly [reason: string, words: string, texts: readonly string[]];
}

/** The progress conditions, with the texts of the upstream controller. */
const RULES: readonly ConditionRule[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    fine: ["ResourcesDiscovered", "All resources successfully discovered"],
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    fine: ["ParsedGroupVersions", "All legacy kube types successfully parsed"],
  },
  {
    type: "NamespaceDeletionContentFailure",
    fine: ["ContentDeleted", "All content successfully deleted, may be waiting on finalization"],
    find: ({ errors }) => [
      "ContentDeletionFailed",
      `Failed to delete all resource types, ${errors.length} remaining`,
      errors,
    ],
  },
  {
    type: "NamespaceContentRemaining",
    fine: ["ContentRemoved", "All content successfully removed"],
    find: ({ leftovers }) => [
      "SomeResourcesRemain",
      "Some resources are remaining",
      leftovers.map(
        ({ resource, count }) => `${resource.resource}.${resource.group} has ${count} resource instances`,
      ),
    ],
  },
  {
    type: "NamespaceFinalizersRemaining",
    fine: ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
    find: ({ leftovers }) => {
      const totals = new Map<string, number>();
      for (const [finalizer, count] of leftovers.flatMap(({ finalizers }) => [...finalizers])) {
        totals.set(finalizer, (totals.get(finalizer) ?? 0) + count);
      }
      const counts = [...totals].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
      return ["SomeFinalizersRemain", "Some content in the namespace has finalizers remaining", counts];
    },
  },
];

/** Sets the conditions from the current content; undefined if they are unchanged. Other conditions are kept. */
function conditionsWith(
  conditions: readonly unknown[],
  content: NamespaceContent,
  now: string,
): unknown[] | undefined {
  const next = [...conditions];
  let changed = false;
  for (const { type, fine, find } of RULES) {
    const [bad, words, texts] = find?.(content) ?? ["", "", []];
    const status = texts.length > 0 ? "True" : "False";
    const [reason, message] = texts.length > 0 ? [bad, `${words}: ${[...texts].sort().join(", ")}`] : fine;
    const index = next.findIndex((item) => isObject(item) && item["type"] === type);
    const old = next[index];
    const known: JsonObject = isObject(old) ? old : {};
    if (known["status"] === status && known["reason"] === reason && known["message"] === message) continue;
    changed = true;
    const lastTransitionTime = known["status"] === status ? known["lastTransitionTime"] : now;
    const condition = { ...known, type, status, lastTransitionTime, reason, message };
    if (index < 0) next.push(condition);
    else next[index] = condition;
  }
  return changed ? next : undefined;
}

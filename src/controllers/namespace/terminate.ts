// One step in the end of a namespace: empty it as far as possible, say in its conditions how far that was, and let it
// go when nothing is left.

import type { Client } from "../../client/client.ts";
import { formatTime } from "../../meta/clock.ts";
import { isObject, type JsonObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { isGoing, NAMESPACES } from "../kit/api.ts";
import { changeObject, type ObjectIdentity, readObject } from "../kit/live-object.ts";
import { type Emptying, emptyNamespace, isEmpty, type NamespaceContent } from "./content.ts";

const CONTENT_FINALIZER = "kubernetes";

/** True if the namespace was deleted and still waits for its content to go. */
export const isTerminating = (namespace: KubeObject): boolean =>
  isGoing(namespace) && finalizersOf(namespace).includes(CONTENT_FINALIZER);

const DONE: NamespaceContent = { leftovers: [], errors: [] };

/** Answers what is left, and what went wrong with it; nothing of both when the namespace was let go. */
export async function terminate(
  { client, resources, nowMs }: Omit<Emptying, "namespace">,
  namespace: KubeObject,
): Promise<NamespaceContent> {
  const { name = "" } = namespace.metadata;
  // The content of a new namespace with the same name is not ours.
  const live = await readObject(client, identityOf(namespace));
  if (!live || !isTerminating(live)) return DONE;
  const emptying: Emptying = { client, resources, namespace: name, nowMs };
  const content = await emptyNamespace(emptying);
  await writeConditions(client, namespace, content, formatTime(nowMs));
  if (content.errors.length > 0 || content.leftovers.length > 0) return content;
  // What was let in just before the namespace was seen to go is committed by now, since the conditions are.
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
  changeObject(client, identityOf(namespace), (live) => {
    const status = objectAt(live, "status");
    const old = status?.["conditions"];
    const conditions = conditionsWith(Array.isArray(old) ? old : [], content, now);
    if (!conditions) return undefined;
    const next = { ...live, status: { ...status, phase: "Terminating", conditions } };
    return client.update(NAMESPACES, next, "status");
  });

const removeFinalizer = (client: Client, namespace: KubeObject): Promise<void> =>
  changeObject(client, identityOf(namespace), (live) => {
    if (!isTerminating(live)) return undefined;
    const { finalizers: _all, ...spec } = objectAt(live, "spec") ?? {};
    const finalizers = finalizersOf(live).filter((item) => item !== CONTENT_FINALIZER);
    const next = { ...live, spec: finalizers.length > 0 ? { ...spec, finalizers } : spec };
    return client.update(NAMESPACES, next, "finalize");
  });

const identityOf = ({ metadata: { name = "", uid = "" } }: KubeObject): ObjectIdentity => ({
  resource: NAMESPACES,
  namespace: "",
  name,
  uid,
});

function finalizersOf(namespace: KubeObject): readonly unknown[] {
  const finalizers = objectAt(namespace, "spec")?.["finalizers"];
  return Array.isArray(finalizers) ? finalizers : [];
}

type Finding = readonly [reason: string, message: string];

interface ConditionRule {
  readonly type: string;
  /** Said, with status False, when there is nothing to find. */
  readonly fine: Finding;
  /** What to say with status True. Left out where a server that is asked in process cannot fail. */
  readonly find?: (content: NamespaceContent) => Finding | undefined;
}

/** How far the emptying has come, in the words of the real controller. */
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
    find: ({ errors }) => {
      const failed = `Failed to delete all resource types, ${errors.length} remaining`;
      return found("ContentDeletionFailed", failed, errors);
    },
  },
  {
    type: "NamespaceContentRemaining",
    fine: ["ContentRemoved", "All content successfully removed"],
    find: ({ leftovers }) => {
      const counts = leftovers.map(
        ({ resource, count }) => `${resource.resource}.${resource.group} has ${count} resource instances`,
      );
      return found("SomeResourcesRemain", "Some resources are remaining", counts);
    },
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
      const words = "Some content in the namespace has finalizers remaining";
      return found("SomeFinalizersRemain", words, counts);
    },
  },
];

const found = (reason: string, words: string, texts: readonly string[]): Finding | undefined =>
  texts.length === 0 ? undefined : [reason, `${words}: ${[...texts].sort().join(", ")}`];

/** The conditions with what is now known of the content; undefined when they say so already. Others stay as they are. */
function conditionsWith(
  conditions: readonly unknown[],
  content: NamespaceContent,
  now: string,
): unknown[] | undefined {
  const next = [...conditions];
  let changed = false;
  for (const { type, fine, find } of RULES) {
    const finding = find?.(content);
    const [reason, message] = finding ?? fine;
    const status = finding ? "True" : "False";
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

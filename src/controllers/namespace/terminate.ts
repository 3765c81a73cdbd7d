// One step in the end of a namespace: empty it as far as possible, say in its conditions how far that was, and let it
// go when nothing is left.

import type { Client } from "../../client/client.ts";
import { formatTime } from "../../meta/clock.ts";
import { isObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { isConflict, isNotFound, type ObjectIdentity, readObject } from "../garbage-collector/live-object.ts";
import type { ServedResource } from "../kit/api.ts";
import { NAMESPACES } from "../kit/api.ts";
import { conditionsWith } from "./conditions.ts";
import { type Emptying, emptyNamespace, isEmpty, type NamespaceContent } from "./content.ts";

const CONTENT_FINALIZER = "kubernetes";
const WRITE_TRIES_MAX = 5;

export interface Termination {
  readonly client: Client;
  readonly resources: readonly ServedResource[];
  readonly nowMs: number;
}

/** True if the namespace was deleted and still waits for its content to go. */
export function isTerminating({ metadata, spec }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && finalizersOf(spec).includes(CONTENT_FINALIZER);
}

const DONE: NamespaceContent = { leftovers: [], errors: [] };

/** Answers what is left, and what went wrong with it; nothing of both when the namespace was let go. */
export async function terminate(
  { client, resources, nowMs }: Termination,
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

function writeConditions(
  client: Client,
  namespace: KubeObject,
  content: NamespaceContent,
  now: string,
): Promise<void> {
  return updateNamespace(client, namespace, "status", (live) => {
    const status = objectAt(live, "status");
    const old = status?.["conditions"];
    const conditions = conditionsWith(Array.isArray(old) ? old : [], content, now);
    return conditions && { ...live, status: { ...status, phase: "Terminating", conditions } };
  });
}

function removeFinalizer(client: Client, namespace: KubeObject): Promise<void> {
  return updateNamespace(client, namespace, "finalize", (live) => {
    if (!isTerminating(live)) return undefined;
    const { finalizers: _all, ...spec } = objectAt(live, "spec") ?? {};
    const finalizers = finalizersOf(live["spec"]).filter((item) => item !== CONTENT_FINALIZER);
    return { ...live, spec: finalizers.length > 0 ? { ...spec, finalizers } : spec };
  });
}

/** Changes the namespace, if it is still there; again when somebody else was faster. */
async function updateNamespace(
  client: Client,
  namespace: KubeObject,
  subresource: string,
  change: (live: KubeObject) => KubeObject | undefined,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const live = await readObject(client, identityOf(namespace));
    const next = live && change(live);
    if (!next) return;
    try {
      await client.update(NAMESPACES, next, subresource);
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || tries >= WRITE_TRIES_MAX) throw error;
    }
  }
}

const identityOf = ({ metadata: { name = "", uid = "" } }: KubeObject): ObjectIdentity => ({
  resource: NAMESPACES,
  namespace: "",
  name,
  uid,
});

function finalizersOf(spec: unknown): readonly unknown[] {
  const finalizers = isObject(spec) ? spec["finalizers"] : undefined;
  return Array.isArray(finalizers) ? finalizers : [];
}

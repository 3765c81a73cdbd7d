// Empties one namespace: deletes its content resource by resource and reports the leftovers. Pods are deleted first,
// and while any remains nothing else is deleted (KEP-5080): objects that protect running pods are kept until then.

import { inBatches } from "../../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { deleteObject, ignoring, type ServedResource } from "../../../controller/api.ts";
import type { Client, ClientWatch, ObjectList } from "../../../controller/client.ts";
import { errorText } from "../../../controller/logging.ts";

type Leftover = ReturnType<typeof describe>;
export type NamespaceContent = Awaited<ReturnType<typeof emptyResources>>;

export interface Emptying {
  readonly client: Client;
  /** All namespaced resources with the verbs list and delete, each once. */
  readonly resources: readonly ServedResource[];
  readonly namespace: string;
  readonly nowMs: number;
}

/** A deletion with the policy Background removes these from an object under deletion. */
const COLLECTOR_FINALIZERS = ["orphan", "foregroundDeletion"];

export async function emptyNamespace(emptying: Emptying): Promise<NamespaceContent> {
  const { resources } = emptying;
  const pods = await emptyResources(emptying, resources.filter(isPods));
  if (pods.leftovers.length > 0 || pods.errors.length > 0) return pods;
  return emptyResources(
    emptying,
    resources.filter((resource) => !isPods(resource)),
  );
}

export async function isEmpty({ client, resources, namespace }: Emptying): Promise<boolean> {
  for (const resource of resources) {
    if ((await listIn(client, resource, namespace)).items.length > 0) return false;
  }
  return true;
}

const isPods = ({ group, resource }: ServedResource): boolean => group === "" && resource === "pods";

async function emptyResources(emptying: Emptying, resources: readonly ServedResource[]) {
  const leftovers: Leftover[] = [];
  /** Objects that cannot be listed or deleted, or that remain for no known reason. */
  const errors: string[] = [];
  for (const resource of resources) {
    try {
      const left = await emptyResource(emptying, resource);
      if (!left) continue;
      leftovers.push(describe(resource, left));
      const { group, version, resource: plural } = resource;
      if (left.items.some((object) => isExplained(object, emptying.nowMs))) continue;
      errors.push(
        `unexpected items still remain in namespace: ${emptying.namespace} for gvr: ${group}/${version}, Resource=${plural}`,
      );
    } catch (error) {
      errors.push(errorText(error));
    }
  }
  return { leftovers, errors };
}

/** Deletes all objects of the resource. Returns those that remain. */
async function emptyResource(
  { client, namespace }: Emptying,
  resource: ServedResource,
): Promise<ObjectList | undefined> {
  const { items } = await listIn(client, resource, namespace);
  if (items.length === 0) return undefined;
  const options = { propagationPolicy: "Background" };
  await inBatches(items.filter(isToDelete), (object) => deleteObject(client, resource, object, options));
  const left = await listIn(client, resource, namespace);
  return left.items.length > 0 ? left : undefined;
}

async function listIn(client: Client, resource: ServedResource, namespace: string): Promise<ObjectList> {
  return (await ignoring([404], client.list(resource, { namespace }))) ?? { items: [], resourceVersion: "" };
}

const isToDelete = ({ metadata: { deletionTimestamp, finalizers = [] } }: KubeObject): boolean =>
  deletionTimestamp === undefined || finalizers.some((finalizer) => COLLECTOR_FINALIZERS.includes(finalizer));

/** How long an object with an expired grace period is expected to disappear. */
const JUST_OVER_MS = 5_000;

/** The object has finalizers, or its grace period, which ends at its deletionTimestamp, has not expired. */
const isExplained = (
  { metadata: { deletionTimestamp, finalizers = [] } }: KubeObject,
  nowMs: number,
): boolean =>
  finalizers.length > 0 ||
  (deletionTimestamp !== undefined && Date.parse(deletionTimestamp) + JUST_OVER_MS > nowMs);

/** The leftovers of a resource. A watch from this resourceVersion reports each later change. */
function describe(resource: ServedResource, { items, resourceVersion }: ObjectList) {
  /** Finalizer → number of objects that have it. */
  const finalizers = new Map<string, number>();
  for (const { metadata } of items) {
    for (const finalizer of metadata.finalizers ?? []) {
      finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
    }
  }
  return { resource, count: items.length, finalizers, resourceVersion };
}

/**
 * Calls onChange once, at the first change of the leftovers. Returns the function that cancels the watches. The caller
 * lists again to find what changed.
 */
export function watchLeftovers(
  client: Client,
  namespace: string,
  leftovers: readonly Leftover[],
  onChange: () => void,
): () => void {
  const watches: ClientWatch[] = [];
  const close = (): void => {
    for (const watch of watches.splice(0)) watch.close();
  };
  const tell = (events: unknown): void => {
    if (!events || watches.length === 0) return;
    close();
    onChange();
  };
  try {
    for (const { resource, resourceVersion } of leftovers) {
      const watch = client.watch(resource, resourceVersion, { namespace });
      watches.push(watch);
      // A failed or closed watch reports nothing: the caller also requeues by time.
      watch.next().then(tell, () => undefined);
    }
  } catch (error) {
    close();
    throw error;
  }
  return close;
}

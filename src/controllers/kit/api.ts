// The API as controllers use it: names of resources, what is asked of any object, what answers mean to one whose copy of
// the world lags a little behind, finalizers, and which resources are served.

import type { Client, ClientDeleteOptions, ObjectKey, ResourceName } from "../../client/client.ts";
import { type Informer, keyOf } from "../../client/informer.ts";
import type { JsonObject } from "../../meta/json.ts";
import { joinApiVersion, type KubeObject, type OwnerReference } from "../../meta/object-meta.ts";
import type { EventSubject } from "../../meta/occurrence.ts";
import { oncePer } from "../../meta/once-per.ts";
import { StatusError } from "../../meta/status.ts";

export const resourceIn = (group: string, version: string, resource: string): ResourceName => ({
  group,
  version,
  resource,
});
export const core = (resource: string): ResourceName => resourceIn("", "v1", resource);
export const ovn = (resource: string, version = "v1"): ResourceName =>
  resourceIn("k8s.ovn.org", version, resource);

export const NAMESPACES = core("namespaces");
export const NODES = core("nodes");
export const PODS = core("pods");
export const SERVICES = core("services");
export const ENDPOINT_SLICES = resourceIn("discovery.k8s.io", "v1", "endpointslices");
export const NADS = resourceIn("k8s.cni.cncf.io", "v1", "network-attachment-definitions");
export const USER_DEFINED_NETWORKS = ovn("userdefinednetworks");
export const CLUSTER_USER_DEFINED_NETWORKS = ovn("clusteruserdefinednetworks");

/** "k8s.ovn.org/v1", or "v1" in the core group. */
export const apiVersionOf = ({ group, version }: ResourceName): string => joinApiVersion(group, version);

/** "namespace/name", or "name" of one that is cluster-scoped: its key in an informer. */
export const keyOfObject = ({ metadata: { namespace = "", name = "" } }: KubeObject): string =>
  keyOf({ namespace, name });

/** The names by which the API is asked for the object. */
export const placeOf = ({ metadata: { namespace = "", name = "" } }: KubeObject): ObjectKey => ({
  namespace,
  name,
});

/** The keys of all objects of an informer, sorted. */
export const keysIn = (informer: Informer): string[] => [...informer.list()].map(keyOfObject).sort();

/** The owner that controls the object. */
export const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true);

/** It was deleted, and is held by somebody. */
export const isGoing = ({ metadata }: Pick<KubeObject, "metadata">): boolean =>
  metadata.deletionTimestamp !== undefined;

export const byName = (a: KubeObject, b: KubeObject): number =>
  (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;

export const subjectOf = ({ apiVersion = "", kind = "", metadata }: KubeObject): EventSubject => {
  const { namespace, name = "", uid = "" } = metadata;
  return { kind, ...(namespace ? { namespace } : {}), name, uid, apiVersion };
};

/** Somebody else was faster, or the object has gone: an event about that is on its way. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof StatusError && ["AlreadyExists", "Conflict", "NotFound"].includes(error.reason);

/** The namespace is going away: nothing can be made in it any more. */
export const isNamespaceEnding = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.status.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");

/** Waits for a request; answers of these codes count as undefined. */
export async function ignoring<T>(codes: readonly number[], request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof StatusError && codes.includes(error.code)) return undefined;
    throw error;
  }
}

// A finalizer keeps an object from going before its controller has cleared up behind it.

export const hasFinalizer = ({ metadata }: KubeObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) === true;

export function withFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, finalizers: [...(metadata.finalizers ?? []), finalizer] } };
}

export function withoutFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const finalizers = object.metadata.finalizers?.filter((item) => item !== finalizer) ?? [];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** By what the objects of a cluster-scoped resource are held. */
export interface Hold {
  readonly resource: ResourceName;
  readonly finalizer: string;
}

/** Applies the finalizer to an object that lacks it. */
export async function hold(client: Client, { resource, finalizer }: Hold, object: KubeObject): Promise<void> {
  if (hasFinalizer(object, finalizer)) return;
  const { apiVersion, kind, metadata } = object;
  const body = { apiVersion, kind, metadata: { name: metadata.name, finalizers: [finalizer] } };
  await client.patch(resource, placeOf(object), { type: "apply", force: true, body });
}

/** Takes the finalizer off, if it is there; with the last one an object that was deleted goes. */
export async function removeFinalizer(
  client: Client,
  { resource, finalizer }: Hold,
  object: KubeObject,
): Promise<void> {
  if (!hasFinalizer(object, finalizer)) return;
  await ignoring([404], client.update(resource, withoutFinalizer(object, finalizer)));
}

/** One version of a resource, as discovery lists it. */
export interface ServedResource extends ResourceName {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** For controllers that deal with objects of any kind: custom resources come and go while they run. */
export interface ResourceCatalog {
  /** All served versions; of one resource the preferred version comes first. Another list after each change. */
  list(): readonly ServedResource[];
  /** Calls back after each change; returns the way to stop. */
  onChange(listener: () => void): () => void;
}

/** Each resource once, in its preferred version, if it can be asked for all those verbs. */
export const resourcesWith = (catalog: ResourceCatalog, verbs: readonly string[]): ServedResource[] =>
  preferredOf(catalog.list()).filter((entry) => verbs.every((verb) => entry.verbs.includes(verb)));

/** Several controllers ask after each change. */
const preferredOf = oncePer((served: readonly ServedResource[]): readonly ServedResource[] => {
  const preferred = new Map<string, ServedResource>();
  for (const entry of served) {
    const name = `${entry.group}/${entry.resource}`;
    if (!preferred.has(name)) preferred.set(name, entry);
  }
  return [...preferred.values()];
});

// Objects as the API has them now, told apart from others that had their name, or will have it.

export interface ObjectIdentity extends ObjectKey {
  readonly resource: ResourceName;
  readonly uid: string;
}

export const identityOf = (resource: ResourceName, object: KubeObject): ObjectIdentity => ({
  resource,
  ...placeOf(object),
  uid: object.metadata.uid ?? "",
});

/** The object as it is now; undefined when it is gone, also when another one has its name. Throws for isNotServed. */
export async function readObject(client: Client, identity: ObjectIdentity): Promise<KubeObject | undefined> {
  const found = await findObject(client, identity.resource, identity);
  return found?.metadata.uid === identity.uid ? found : undefined;
}

/** Deletes it, if it has not gone; another one that has its name stays. */
export async function deleteObject(
  client: Client,
  resource: ResourceName,
  object: KubeObject,
  options: Omit<ClientDeleteOptions, "uid"> = {},
): Promise<void> {
  const { uid = "" } = object.metadata;
  await ignoring([404, 409], client.delete(resource, placeOf(object), { uid, ...options }));
}

/**
 * Merges the content into the object through its status, lists by the keys of their items. Undefined: it has gone, also
 * when another one has its name.
 */
export async function mergeStatus(
  client: Client,
  resource: ResourceName,
  object: KubeObject,
  { metadata, ...content }: { readonly metadata?: JsonObject; readonly status?: JsonObject },
): Promise<KubeObject | undefined> {
  const body = { metadata: { uid: object.metadata.uid, ...metadata }, ...content };
  const options = { type: "strategic", subresource: "status", body } as const;
  try {
    return await ignoring([404, 409], client.patch(resource, placeOf(object), options));
  } catch (error) {
    if (isOfAnother(error)) return undefined;
    throw error;
  }
}

/** A patch names an object that has gone: its uid would have to become that of the one that is there. */
const isOfAnother = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.status.details?.causes ?? []).some(({ field }) => field === "metadata.uid");

/** Whatever object has the name; undefined when there is none. Throws for isNotServed. */
export async function findObject(
  client: Client,
  resource: ResourceName,
  { namespace, name }: ObjectKey,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(resource, { namespace, name });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const TRIES_MAX = 5;

/**
 * Writes what is decided on the object as it is now, which may be gone by then; decided again when somebody else was faster.
 * `write` answers undefined when there is nothing to write.
 */
export async function changeObject(
  client: Client,
  identity: ObjectIdentity,
  write: (live: KubeObject) => Promise<unknown> | undefined,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const live = await readObject(client, identity);
    try {
      await (live && write(live));
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || tries >= TRIES_MAX) throw error;
    }
  }
}

/** There is no such object. */
export const isNotFound = (error: unknown): boolean =>
  isMissing(error) && Boolean(error.status.details?.name);

/** There is no such resource: that says nothing of its objects, which may be back when it is. */
export const isNotServed = (error: unknown): boolean => isMissing(error) && !error.status.details?.name;

/** Somebody else was faster. */
export const isConflict = (error: unknown): boolean =>
  error instanceof StatusError && error.reason === "Conflict";

const isMissing = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.code === 404;

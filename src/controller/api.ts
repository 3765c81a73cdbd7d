// Helpers for the API as controllers use it: resource names, object identity, errors that a lagging informer cache
// explains, finalizers, and discovery of served resources.

import type { JsonObject } from "../apimachinery/json/json.ts";
import { memoize } from "../apimachinery/meta/memoize.ts";
import { joinApiVersion, type KubeObject, type OwnerReference } from "../apimachinery/meta/object-meta.ts";
import type { EventSubject } from "../apimachinery/meta/occurrence.ts";
import { StatusError } from "../apimachinery/meta/status.ts";
import type { Client, ClientDeleteOptions, ObjectKey, ResourceName } from "./client.ts";
import { type Informer, keyOf } from "./informer.ts";

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

/** "namespace/name", or "name" for a cluster-scoped object: the object's key in an informer. */
export const keyOfObject = ({ metadata: { namespace = "", name = "" } }: KubeObject): string =>
  keyOf({ namespace, name });

/** The namespace and name that address the object in a request. */
export const placeOf = ({ metadata: { namespace = "", name = "" } }: KubeObject): ObjectKey => ({
  namespace,
  name,
});

/** The keys of all objects of an informer, sorted. */
export const keysIn = (informer: Informer): string[] => [...informer.list()].map(keyOfObject).sort();

/** The owner that controls the object. */
export const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true);

/** The object has a deletionTimestamp: a finalizer or a grace period keeps it. */
export const isGoing = ({ metadata }: Pick<KubeObject, "metadata">): boolean =>
  metadata.deletionTimestamp !== undefined;

export const byName = (a: KubeObject, b: KubeObject): number =>
  (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;

export const subjectOf = ({ apiVersion = "", kind = "", metadata }: KubeObject): EventSubject => {
  const { namespace, name = "", uid = "" } = metadata;
  return { kind, ...(namespace ? { namespace } : {}), name, uid, apiVersion };
};

/** Another client wrote first, or the object is gone. A watch event about that change follows. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof StatusError && ["AlreadyExists", "Conflict", "NotFound"].includes(error.reason);

/** The namespace is terminating: the server rejects each create in it. */
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

// A finalizer keeps a deleted object in the API until its controller has cleaned up.

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

/** The finalizer that a controller sets on objects of a cluster-scoped resource. */
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

/** Removes the finalizer if it is set. With the last finalizer the API server removes a deleted object. */
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

/** Discovery for controllers that handle objects of any kind. Custom resources are added and removed while they run. */
export interface ResourceCatalog {
  /** All served versions. For each resource the preferred version is first. Each change yields a new list object. */
  list(): readonly ServedResource[];
  /** Calls the listener after each change. Returns the function that unsubscribes it. */
  onChange(listener: () => void): () => void;
}

/** Each resource once, in its preferred version, if it supports all those verbs. */
export const resourcesWith = (catalog: ResourceCatalog, verbs: readonly string[]): ServedResource[] =>
  preferredOf(catalog.list()).filter((entry) => verbs.every((verb) => entry.verbs.includes(verb)));

/** Memoized per list: several controllers call this after each change. */
const preferredOf = memoize((served: readonly ServedResource[]): readonly ServedResource[] => {
  const preferred = new Map<string, ServedResource>();
  for (const entry of served) {
    const name = `${entry.group}/${entry.resource}`;
    if (!preferred.has(name)) preferred.set(name, entry);
  }
  return [...preferred.values()];
});

// The live object of an identity: name and uid. An earlier or later object of the same name has another uid.

export interface ObjectIdentity extends ObjectKey {
  readonly resource: ResourceName;
  readonly uid: string;
}

export const identityOf = (resource: ResourceName, object: KubeObject): ObjectIdentity => ({
  resource,
  ...placeOf(object),
  uid: object.metadata.uid ?? "",
});

/** The live object. undefined: the object is gone, or another object has its name. Throws if isNotServed. */
export async function readObject(client: Client, identity: ObjectIdentity): Promise<KubeObject | undefined> {
  const found = await findObject(client, identity.resource, identity);
  return found?.metadata.uid === identity.uid ? found : undefined;
}

/**
 * Deletes the object with its uid as precondition, so that another object of the same name stays. A 404 or 409 is
 * ignored.
 */
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
 * Patches the status subresource with a strategic merge patch. undefined: the object is gone, or another object has its
 * name.
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

/**
 * The patch carries the uid of a deleted object. The server rejects it because the uid of the live object is immutable.
 */
const isOfAnother = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.status.details?.causes ?? []).some(({ field }) => field === "metadata.uid");

/** The live object of that name, whatever its uid. undefined: there is none. Throws if isNotServed. */
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
 * Reads the live object and writes a change of it; a deleted object is ignored. On a conflict it reads and decides
 * again, TRIES_MAX times at most. `write` returns undefined when no write is needed.
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

/** The object does not exist: a 404 whose details name it. */
export const isNotFound = (error: unknown): boolean =>
  isMissing(error) && Boolean(error.status.details?.name);

/** The resource is not served. This does not prove that its objects are gone: they are back when it is served again. */
export const isNotServed = (error: unknown): boolean => isMissing(error) && !error.status.details?.name;

/** Optimistic concurrency: another client wrote first. */
export const isConflict = (error: unknown): boolean =>
  error instanceof StatusError && error.reason === "Conflict";

const isMissing = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.code === 404;

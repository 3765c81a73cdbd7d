// The API for controllers: plain typed objects, with the same interface in process and over HTTP. Errors are
// StatusErrors, as a remote server returns them.

import type { KubeObject, ObjectMeta } from "../apimachinery/meta/object-meta.ts";
import { StatusError } from "../apimachinery/meta/status.ts";
import type { ResourceView } from "../apiserver/registry/definition/resource-definition.ts";

export interface ResourceName {
  readonly group: string;
  readonly version: string;
  /** Plural, lower case. */
  readonly resource: string;
}

export const resourceOf = ({ definition, version }: ResourceView): ResourceName => ({
  group: definition.group,
  version: version.name,
  resource: definition.resource,
});

export interface ObjectKey {
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

export interface ClientListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * Returns only the members of objects that ownership depends on: name, namespace, uid, resourceVersion,
   * deletionTimestamp, finalizers and ownerReferences.
   */
  readonly ownershipOnly?: boolean;
  /** Omits managedFields, which would take most of the memory of a cache. */
  readonly withoutManagedFields?: boolean;
}

export interface ObjectList<T extends KubeObject = KubeObject> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED";

export interface ClientWatchEvent<T extends KubeObject = KubeObject> {
  readonly type: WatchEventType;
  readonly object: T;
}

export interface ClientWatch<T extends KubeObject = KubeObject> {
  /**
   * Events since the last call, oldest first; waits for one; undefined once closed. Rejects with a 410 StatusError when
   * the watch lagged too far.
   */
  next(): Promise<readonly ClientWatchEvent<T>[] | undefined>;
  close(): void;
}

const EVENTS_AT_ONCE = 200;

/**
 * A restored state produces events for all objects at once. These are handled in slices; few events are handled without
 * a yield.
 */
export const isManyEvents = (events: readonly unknown[]): boolean => events.length > EVENTS_AT_ONCE;

export type PatchType = "json" | "merge" | "strategic" | "apply";

export interface PatchOptions {
  readonly type: PatchType;
  readonly body: unknown;
  readonly subresource?: string;
  /** apply: takes over fields that other managers own. */
  readonly force?: boolean;
}

export interface ClientDeleteOptions {
  /** Precondition: only the object with this uid. */
  readonly uid?: string;
  readonly propagationPolicy?: string;
  readonly gracePeriodSeconds?: number;
}

/** Returned objects are shared and frozen: copy before changing. */
export interface Client {
  get(resource: ResourceName, key: ObjectKey): Promise<KubeObject>;
  list(resource: ResourceName, options?: ClientListOptions): Promise<ObjectList>;
  /** Changes after resourceVersion. */
  watch(resource: ResourceName, resourceVersion: string, options?: ClientListOptions): ClientWatch;
  create(resource: ResourceName, object: KubeObject): Promise<KubeObject>;
  /** Sends an object to a subresource that acts without storing it: a Binding of a Pod. */
  post(resource: ResourceName, key: ObjectKey, subresource: string, object: KubeObject): Promise<void>;
  update(resource: ResourceName, object: KubeObject, subresource?: string): Promise<KubeObject>;
  patch(resource: ResourceName, key: ObjectKey, options: PatchOptions): Promise<KubeObject>;
  delete(resource: ResourceName, key: ObjectKey, options?: ClientDeleteOptions): Promise<void>;
}

/**
 * Creates an object and returns it. undefined: an object of that name exists, perhaps created concurrently; it is not
 * changed.
 */
export async function createMissing(
  client: Client,
  resource: ResourceName,
  object: KubeObject,
): Promise<Readonly<KubeObject> | undefined> {
  const { namespace = "", name = "" } = object.metadata;
  // A 500 means that the stored object is unreadable: the name is taken, as the create also reports.
  const isThere = async () =>
    (await presentObject(client, resource, { namespace, name }, [404, 500])) !== undefined;
  if (await isThere()) return undefined;
  try {
    return await client.create(resource, object);
  } catch (error) {
    const isTaken = error instanceof StatusError && error.reason === "AlreadyExists";
    if (isTaken || (await isThere())) return undefined;
    throw error;
  }
}

/** The object; undefined when the response has one of these codes. */
export async function presentObject(
  client: Client,
  resource: ResourceName,
  key: ObjectKey,
  absent: readonly number[] = [404],
): Promise<Readonly<KubeObject> | undefined> {
  try {
    return await client.get(resource, key);
  } catch (error) {
    if (error instanceof StatusError && absent.includes(error.code)) return undefined;
    throw error;
  }
}

/**
 * Creates a client whose writes are recorded under the given field manager. Once the signal aborts, writes that the
 * store has not accepted yet are rejected.
 */
export type ClientFactory = (fieldManager: string, signal?: AbortSignal) => Client;

/** The target of a request: "" for unspecified members. */
export interface ClientRequest {
  readonly verb: "get" | "list" | "create" | "update" | "patch" | "delete";
  readonly resource: ResourceName;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** Wraps a client: every request except watches goes through a function that receives its target. */
export function clientThrough(
  client: Client,
  through: <T>(request: ClientRequest, go: () => Promise<T>) => Promise<T>,
): Client {
  const about = (
    verb: ClientRequest["verb"],
    resource: ResourceName,
    { namespace = "", name = "" }: Partial<Pick<ObjectMeta, "namespace" | "name">> = {},
    subresource = "",
  ): ClientRequest => ({ verb, resource, namespace, name, subresource });
  return {
    get: (resource, key) => through(about("get", resource, key), () => client.get(resource, key)),
    list: (resource, options) =>
      through(about("list", resource, options), () => client.list(resource, options)),
    watch: (resource, resourceVersion, options) => client.watch(resource, resourceVersion, options),
    create: (resource, object) =>
      through(about("create", resource, object.metadata), () => client.create(resource, object)),
    post: (resource, key, subresource, object) =>
      through(about("create", resource, key, subresource), () =>
        client.post(resource, key, subresource, object),
      ),
    update: (resource, object, subresource) =>
      through(about("update", resource, object.metadata, subresource), () =>
        client.update(resource, object, subresource),
      ),
    patch: (resource, key, options) =>
      through(about("patch", resource, key, options.subresource), () => client.patch(resource, key, options)),
    delete: (resource, key, options) =>
      through(about("delete", resource, key), () => client.delete(resource, key, options)),
  };
}

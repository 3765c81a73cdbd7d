// The API as a controller sees it: typed by plain objects, the same shape in process and over HTTP.
// Failures are StatusError, as a remote server would answer them.

import type { KubeObject, ObjectMeta } from "../meta/object-meta.ts";
import { StatusError } from "../meta/status.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";

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
   * Of each object only what ownership is decided by: name, namespace, uid, resourceVersion, deletionTimestamp, finalizers
   * and ownerReferences.
   */
  readonly ownershipOnly?: boolean;
  /** Objects without managedFields, which are most of what a copy of them all would take. */
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
  /** Events since the last call, oldest first; waits for one; undefined once closed. Rejects with a 410 StatusError when it lagged too far. */
  next(): Promise<readonly ClientWatchEvent<T>[] | undefined>;
  close(): void;
}

const EVENTS_AT_ONCE = 200;

/** A state that is restored comes with all of its objects at once: they are taken in slices, and few events in one turn. */
export const isManyEvents = (events: readonly unknown[]): boolean => events.length > EVENTS_AT_ONCE;

export type PatchType = "json" | "merge" | "strategic" | "apply";

export interface PatchOptions {
  readonly type: PatchType;
  readonly body: unknown;
  readonly subresource?: string;
  /** apply: take over fields that others own. */
  readonly force?: boolean;
}

export interface ClientDeleteOptions {
  /** Only the object with this uid is meant. */
  readonly uid?: string;
  readonly propagationPolicy?: string;
  readonly gracePeriodSeconds?: number;
}

/** Objects that a client hands out are shared and frozen: copy before changing. */
export interface Client {
  get(resource: ResourceName, key: ObjectKey): Promise<KubeObject>;
  list(resource: ResourceName, options?: ClientListOptions): Promise<ObjectList>;
  /** Changes after resourceVersion. */
  watch(resource: ResourceName, resourceVersion: string, options?: ClientListOptions): ClientWatch;
  create(resource: ResourceName, object: KubeObject): Promise<KubeObject>;
  /** Sends an object below another one, which does something and is not kept: a Binding below a Pod. */
  post(resource: ResourceName, key: ObjectKey, subresource: string, object: KubeObject): Promise<void>;
  update(resource: ResourceName, object: KubeObject, subresource?: string): Promise<KubeObject>;
  patch(resource: ResourceName, key: ObjectKey, options: PatchOptions): Promise<KubeObject>;
  delete(resource: ResourceName, key: ObjectKey, options?: ClientDeleteOptions): Promise<void>;
}

/**
 * Creates an object where there is none of its name, and returns it. undefined: there is one, perhaps because somebody else
 * has just created it; it stays as it is.
 */
export async function createMissing(
  client: Client,
  resource: ResourceName,
  object: KubeObject,
): Promise<Readonly<KubeObject> | undefined> {
  const { namespace = "", name = "" } = object.metadata;
  // A 500 is that of a stored object which cannot be read: its name is taken, as the create then says.
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

/** The object, or undefined when the answer has one of these codes. */
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
 * A client whose writes are recorded under the given field manager. Once the signal aborts nothing is written any more
 * that it was asked to write and the store has not taken in yet: such requests reject.
 */
export type ClientFactory = (fieldManager: string, signal?: AbortSignal) => Client;

/** What a request is about: "" where it says nothing of it. */
export interface ClientRequest {
  readonly verb: "get" | "list" | "create" | "update" | "patch" | "delete";
  readonly resource: ResourceName;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** The same client, where every request but a watch goes through a function that knows what it is about. */
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

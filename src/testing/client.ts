// The client of a test, typed for the kinds that Egret ships. It works in process, bypassing faults and the request
// log: both are for the controller under test.
import type { AnyObject, ApiObject, KnownKind, ObjectOf, Stored, Written } from "./kinds.ts";

/** The namespace of an object. */
export interface Place {
  /** Default: "default" for namespaced kinds. */
  readonly namespace?: string;
}

/** The objects of a list or watch. */
export interface Selecting {
  /** Default: all namespaces. */
  readonly namespace?: string;
  /** "app=web,tier!=cache" */
  readonly labelSelector?: string;
  /** "metadata.name=web" */
  readonly fieldSelector?: string;
}

export interface Watching extends Selecting {
  /** Returns changes after this version. Default: first an ADDED event for each existing object, then changes. */
  readonly resourceVersion?: string;
  /** Ends the watch. */
  readonly signal?: AbortSignal;
}

export interface Writing {
  /** "status", "scale": writes this subresource instead of the object itself. */
  readonly subresource?: string;
}

export interface Applying extends Writing {
  /** Takes over fields that other managers own. Default: true. */
  readonly force?: boolean;
}

export interface Patching extends Place, Writing {
  /** Default: "merge". */
  readonly type?: "json" | "merge" | "strategic";
}

export interface Deleting extends Place {
  /** Precondition: deletes only the object with this uid. */
  readonly uid?: string;
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
}

export interface List<T> {
  readonly items: T[];
  /** The version of the list, from which a watch can start. */
  readonly resourceVersion: string;
}

export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: T;
}

/**
 * Events in order; leaving a `for await` loop closes the watch. The iterator type is spelled out, because TypeScript
 * before 5.6 has none with a return type.
 */
export interface Watch<T> extends AsyncIterable<WatchEvent<T>> {
  next(): Promise<IteratorResult<WatchEvent<T>, undefined>>;
  return(): Promise<IteratorResult<WatchEvent<T>, undefined>>;
  [Symbol.asyncIterator](): Watch<T>;
  close(): void;
}

/**
 * Reads and writes objects. Each returned object is a copy for the caller. A rejected request throws a StatusError with
 * `code`, `reason` and `message`. Unknown fields are rejected, as with `kubectl --validate=strict`. An unknown option
 * throws an EgretOptionsError.
 *
 * A kind is named by its apiVersion and kind. Those that Egret ships are typed; for others pass the type:
 *
 * @example
 * const eip = await server.client.get("k8s.ovn.org/v1/EgressIP", "web");
 * eip.spec.egressIPs;                                   // string[]
 * const widget = await server.client.get<Widget>("example.com/v1/Widget", "w", { namespace: "a" });
 */
export interface TestClient {
  /** Throws a StatusError with code 404 for a missing object. */
  get<K extends KnownKind>(kind: K, name: string, place?: Place): Promise<Stored<ObjectOf<K>>>;
  get<T extends ApiObject = AnyObject>(kind: string, name: string, place?: Place): Promise<Stored<T>>;

  /** Returns the object, or undefined for a missing one. */
  find<K extends KnownKind>(kind: K, name: string, place?: Place): Promise<Stored<ObjectOf<K>> | undefined>;
  find<T extends ApiObject = AnyObject>(
    kind: string,
    name: string,
    place?: Place,
  ): Promise<Stored<T> | undefined>;

  /**
   * @example
   * const { items } = await server.client.list("v1/Pod", { namespace: "a", labelSelector: "app=web" });
   */
  list<K extends KnownKind>(kind: K, selecting?: Selecting): Promise<List<Stored<ObjectOf<K>>>>;
  list<T extends ApiObject = AnyObject>(kind: string, selecting?: Selecting): Promise<List<Stored<T>>>;

  /**
   * @example
   * for await (const { type, object } of server.client.watch("v1/ConfigMap", { namespace: "a" })) {
   *   if (type === "DELETED") break;
   * }
   */
  watch<K extends KnownKind>(kind: K, watching?: Watching): Watch<Stored<ObjectOf<K>>>;
  watch<T extends ApiObject = AnyObject>(kind: string, watching?: Watching): Watch<Stored<T>>;

  /**
   * Creates an object, by default in the namespace "default". Throws 400 BadRequest for an unknown field or a wrong
   * type, 409 AlreadyExists, 422 Invalid.
   */
  create<A extends string, K extends string>(object: Written<A, K>): Promise<Stored<ObjectOf<`${A}/${K}`>>>;

  /** Replaces the object. metadata.resourceVersion is a precondition: 409 Conflict if it differs. */
  update<A extends string, K extends string>(
    object: Written<A, K>,
    writing?: Writing,
  ): Promise<Stored<ObjectOf<`${A}/${K}`>>>;

  /** Server-side apply: creates or changes the object. */
  apply<A extends string, K extends string>(
    object: Written<A, K>,
    applying?: Applying,
  ): Promise<Stored<ObjectOf<`${A}/${K}`>>>;

  /**
   * @example
   * await server.client.patch("v1/Node", "node-a", { metadata: { labels: { "k8s.ovn.org/egress-assignable": "" } } });
   */
  patch<K extends KnownKind>(
    kind: K,
    name: string,
    patch: unknown,
    patching?: Patching,
  ): Promise<Stored<ObjectOf<K>>>;
  patch<T extends ApiObject = AnyObject>(
    kind: string,
    name: string,
    patch: unknown,
    patching?: Patching,
  ): Promise<Stored<T>>;

  /** Resolves when the object is deleted, or has a deletionTimestamp because of finalizers. Throws 404. */
  delete(kind: KnownKind | (string & {}), name: string, deleting?: Deleting): Promise<void>;

  /** Returns a client that writes as another field manager; the default is "test". */
  as(fieldManager: string): TestClient;
}

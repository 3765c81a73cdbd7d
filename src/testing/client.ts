// The client of a test: typed for the kinds that Egret ships. It works inside the process, so faults never hit it and
// the request log does not show it; both are about the controller that is tested.
import type { AnyObject, ApiObject, KnownKind, ObjectOf, Stored, Written } from "./kinds.ts";

/** Where an object is. */
export interface Place {
  /** Left out: "default" for kinds in namespaces. */
  readonly namespace?: string;
}

/** Which objects a list or watch is about. */
export interface Selecting {
  /** Left out: all namespaces. */
  readonly namespace?: string;
  /** "app=web,tier!=cache" */
  readonly labelSelector?: string;
  /** "metadata.name=web" */
  readonly fieldSelector?: string;
}

export interface Watching extends Selecting {
  /** Changes after this one. Left out: first an ADDED for each object there is, then changes. */
  readonly resourceVersion?: string;
  /** Ends the watch. */
  readonly signal?: AbortSignal;
}

export interface Writing {
  /** "status", "scale": writes there and not the object itself. */
  readonly subresource?: string;
}

export interface Applying extends Writing {
  /** Takes fields over that other managers own; left out: true. */
  readonly force?: boolean;
}

export interface Patching extends Place, Writing {
  /** Left out: "merge". */
  readonly type?: "json" | "merge" | "strategic";
}

export interface Deleting extends Place {
  /** Only the object with this uid. */
  readonly uid?: string;
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
}

export interface List<T> {
  readonly items: T[];
  /** Of the list: a watch can go on from it. */
  readonly resourceVersion: string;
}

export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: T;
}

/**
 * Events as they come; `for await` ends it with its loop. An AsyncIterableIterator in full: TypeScript before 5.6 has none
 * with a type of what is returned.
 */
export interface Watch<T> extends AsyncIterable<WatchEvent<T>> {
  next(): Promise<IteratorResult<WatchEvent<T>, undefined>>;
  return(): Promise<IteratorResult<WatchEvent<T>, undefined>>;
  [Symbol.asyncIterator](): Watch<T>;
  close(): void;
}

/**
 * Reads and writes objects. Each object that is handed out is the caller's own copy. What the server refuses is
 * thrown as a StatusError with `code`, `reason` and `message`; so is a field that the kind does not know, as with
 * `kubectl --validate=strict`. An unknown option throws an EgretOptionsError.
 *
 * A kind is named by its apiVersion and kind. Those that Egret ships are typed; for others say the type:
 *
 * @example
 * const eip = await server.client.get("k8s.ovn.org/v1/EgressIP", "web");
 * eip.spec.egressIPs;                                   // string[]
 * const widget = await server.client.get<Widget>("example.com/v1/Widget", "w", { namespace: "a" });
 */
export interface TestClient {
  /** Throws a StatusError with code 404 when there is none. */
  get<K extends KnownKind>(kind: K, name: string, place?: Place): Promise<Stored<ObjectOf<K>>>;
  get<T extends ApiObject = AnyObject>(kind: string, name: string, place?: Place): Promise<Stored<T>>;

  /** The object, or undefined when there is none. */
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
   * Without a namespace an object goes to "default". Throws 400 BadRequest for a field that its kind does not know and for
   * a wrong type, 409 AlreadyExists, 422 Invalid.
   */
  create<A extends string, K extends string>(object: Written<A, K>): Promise<Stored<ObjectOf<`${A}/${K}`>>>;

  /** Replaces the object. With metadata.resourceVersion only that state of it: else 409 Conflict. */
  update<A extends string, K extends string>(
    object: Written<A, K>,
    writing?: Writing,
  ): Promise<Stored<ObjectOf<`${A}/${K}`>>>;

  /** Server-side apply: makes what is missing, changes what is there. */
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

  /** Resolves when it is gone, or marked as going where it has finalizers. Throws 404. */
  delete(kind: KnownKind | (string & {}), name: string, deleting?: Deleting): Promise<void>;

  /** A client whose writes are recorded under another field manager; this one's is "test". */
  as(fieldManager: string): TestClient;
}

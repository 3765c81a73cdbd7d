// A resource as data. Built-in kinds (src/kube) and custom resources (built from a CRD by
// apiserver/registry/custom-resource.ts) have the same form and the same code path.

import type { JsonObject } from "../../../apimachinery/json/json.ts";
import type { FieldError } from "../../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import type { Query } from "../../../apimachinery/meta/query.ts";
import type { Status } from "../../../apimachinery/meta/status.ts";
import type { JsonSchema, SchemaNode } from "../../../apimachinery/schema/schema-node.ts";
import type { Workers } from "../../../apimachinery/workers/job.ts";
import type { KeyValue } from "../../../storage/store.ts";
import type {
  Authorizer,
  DeleteOptions,
  RequestContext,
  TokenIssuer,
  TokenReviewer,
} from "./request-context.ts";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** One column of `kubectl get`. Custom columns name a JSONPath; built-in kinds bring a printer instead. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** 0: always shown; greater: only with -o wide. */
  readonly priority?: number;
  readonly jsonPath?: string;
}

/** Prints the table cells of one object of a built-in kind, in column order. */
export type RowPrinter = (
  object: Readonly<Record<string, unknown>>,
  nowMs: number,
) => { cells: unknown[]; conditions?: unknown[] };

export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** Subresource of a built-in kind other than status and scale. */
export interface SubresourceDefinition {
  /** Path segment behind the object's name. */
  readonly name: string;
  /** Verbs as discovery lists them, also those that this server rejects as not supported. */
  readonly verbs: readonly string[];
  /** Kind that is read and written there. Left out: the kind of the resource. */
  readonly kind?: string;
  /** Group and version of that kind, where they differ from the resource's. */
  readonly group?: string;
  readonly version?: string;
  /** A $ref to the kind's schema. Without it the subresource is not described in OpenAPI documents. */
  readonly schema?: JsonSchema;
  /** Strategy of writes to the subresource; left out: it is not served. */
  readonly strategy?: Strategy;
  /** Handler of a POST. */
  readonly action?: SubresourceAction;
  /** Validates a connect request of any method and throws its error. */
  readonly connect?: Connect;
  /** Options kind of the connection, the object that admission sees. Left out: the connection is not admitted. */
  readonly options?: ConnectOptions;
  /** Type of the response; left out: any. */
  readonly gives?: string;
}

export interface ResourceVersionDefinition {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  /** Left out on a deprecated version: upstream's generated text is used. */
  readonly deprecationWarning?: string;
  /** As published in OpenAPI: for a custom resource the CRD's openAPIV3Schema; for a built-in kind a $ref. */
  readonly schema: JsonSchema;
  /** The compiled schema. */
  readonly node: SchemaNode;
  /** Strategy of this version, where versions differ in their writes; left out: the definition's. */
  readonly strategy?: Strategy;
  /** Built-in kinds that are stored in another form: conversion from this version's form and back. */
  readonly storedForm?: StoredForm;
  /** Strategy of /status; left out: the kind has no such subresource. */
  readonly status?: Strategy;
  /** Custom kinds whose schema has a default for the whole status: an object may be stored without it. */
  readonly defaultsStatus?: boolean;
  /** Paths of the scale subresource. */
  readonly scale?: ScaleSubresource;
  readonly columns: readonly Column[];
  /** JSON paths (".spec.x") or dotted names ("spec.nodeName") that fieldSelector may use beside metadata's. */
  readonly selectableFields: readonly string[];
}

export interface StoredForm {
  /** May change and return its argument. */
  toStored(object: KubeObject): KubeObject;
  /** Must not change its argument. */
  fromStored(object: Readonly<KubeObject>): KubeObject;
}

/** Converts objects between versions that differ in more than apiVersion, by a conversion webhook. */
export interface ObjectConverter {
  /** Returns the object in the desired version. Rejects with a 500 for the client. */
  convert(object: Readonly<KubeObject>, apiVersion: string): Promise<KubeObject>;
  /** Batch conversion; the result has the same order. */
  convertAll(objects: readonly Readonly<KubeObject>[], apiVersion: string): Promise<KubeObject[]>;
}

export interface ResourceDefinition {
  readonly group: string;
  /** Plural name in lower case, as in URLs. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaceScoped: boolean;
  /** True for kinds of a CustomResourceDefinition; upstream answers some of their requests differently. */
  readonly custom: boolean;
  readonly verbs: readonly Verb[];
  readonly strategy: Strategy;
  /** Virtual resource that answers what is posted. Nothing is stored, and its only verb is create. */
  readonly review?: Review;
  /** Virtual resource whose objects are computed at each get or list. Nothing is stored, and it is read-only. */
  readonly observe?: () => readonly Readonly<KubeObject>[];
  /** Objects of the kind have no metadata: the options of connections. */
  readonly withoutMetadata?: boolean;
  /** Handler of a POST to the collection that stores no object of this kind but acts on another object. */
  readonly action?: Omit<SubresourceAction, "posted">;
  /** Custom kinds: the CRD is being deleted, so creates are rejected. */
  readonly terminating?: boolean;
  /** Custom kinds: the conversion webhook; left out: only apiVersion changes. */
  readonly converter?: ObjectConverter;
  /** Custom kinds: objects stored before this revision were written under an older schema of the CRD. */
  readonly schemaRevision?: number;
  /** Storage path below /registry/, where it is not the usual one ("services/specs"). */
  readonly storagePrefix?: string;
  /** Group that errors name, where it is not the kind's own. */
  readonly errorGroup?: string;
  /** Annotations that exist in the versioned form only; the internal form has a member for each. */
  readonly versionedAnnotations?: readonly string[];
  /** Built-in kinds: finalizers that are neither domain-qualified nor well known are rejected. */
  readonly ownedFinalizers?: boolean;
  /** Sort key of Table rows, before the name; left out: rows are sorted by name alone. */
  readonly rowOrder?: (object: Readonly<KubeObject>) => number;
  /** DELETE returns the object instead of a Status (some built-in kinds). */
  readonly returnsDeletedObject?: boolean;
  /** Built-in kinds: subresources besides status and scale. */
  readonly subresources?: readonly SubresourceDefinition[];
  /** In the order of preference. */
  readonly versions: readonly ResourceVersionDefinition[];
  /** Built-in kinds: prints the cells of the columns. */
  readonly printRow?: RowPrinter;
  /** Built-in kinds: reads a selectable field's value ("" when absent). */
  readonly fieldValue?: (object: Readonly<Record<string, unknown>>, field: string) => string;
}

/** One served version of a resource, as a URL names it. */
export interface ResourceView {
  readonly definition: ResourceDefinition;
  readonly version: ResourceVersionDefinition;
}

/** Name, namespace and version of an object. */
export interface ObjectAddress {
  readonly view: ResourceView;
  /** "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

// Rest strategy of a kind: its additions to the generic create, update and delete. All methods are optional. Only
// prepare* methods may change the object. They run in the order of apiserver/registry/write/prepare.ts and validate.ts.

export interface Strategy {
  /** Resets fields that clients cannot set at creation (drops status) and fills generated fields. */
  prepareForCreate?(object: KubeObject, context: RequestContext): void;
  /**
   * Defaulting that a kube-apiserver applies when it decodes the new object from its store. Validation and validating
   * admission do not see these defaults.
   */
  defaultStored?(object: KubeObject): void;
  /** Carries over fields that an update cannot change. */
  prepareForUpdate?(object: KubeObject, old: Readonly<KubeObject>, context: RequestContext): void;
  validate?(object: Readonly<KubeObject>, context: RequestContext): FieldError[];
  validateUpdate?(
    object: Readonly<KubeObject>,
    old: Readonly<KubeObject>,
    context: RequestContext,
  ): FieldError[];
  /**
   * Runs validate, or validateUpdate where an old object is given, in a worker thread. Undefined: the check is cheap
   * enough for the caller's thread.
   */
  validateElsewhere?(
    object: Readonly<KubeObject>,
    old: Readonly<KubeObject> | undefined,
    workers: Workers,
  ): Promise<FieldError[]> | undefined;
  /** Defaulting beyond the schema's; runs on each decoded object, before validation. */
  applyDefaults?(object: KubeObject): void;
  /** True while an object under deletion must stay although it has no finalizers (a Namespace with spec.finalizers). */
  holdsDeletion?(object: Readonly<KubeObject>): boolean;
  /**
   * The kind takes no part in garbage collection: a DELETE ignores propagationPolicy and waits for no dependents
   * (Events).
   */
  readonly withoutGarbageCollection?: boolean;
  /**
   * A DELETE applies to the object that was read, whatever uid its preconditions name (Namespaces,
   * CustomResourceDefinitions).
   */
  readonly deletesByUid?: boolean;
  /** Default propagation policy is Orphan (kinds that are older than the garbage collector). */
  readonly orphansByDefault?: boolean;
  /** Finalizers that a DELETE adds, because a controller must clean up first (a CustomResourceDefinition). */
  readonly finalizersOnDelete?: readonly string[];
  /**
   * Grace period in seconds for a DELETE; `asked` is the one that was requested, undefined for none. Kinds without this
   * method are deleted immediately.
   */
  gracePeriodSeconds?(object: Readonly<KubeObject>, asked: number | undefined): number;
  /**
   * Allocates exclusive values (addresses, ports) before prepareForCreate and prepareForUpdate. May change the object,
   * and throws a StatusError to reject. An update releases allocations that the object no longer needs.
   */
  claim?(object: KubeObject, old: Readonly<KubeObject> | undefined, claims: Allocations): void;
  /**
   * Reserves the values of an imported object (raw restore), also those outside of what the server allocates itself.
   * Values that another object holds stay with that object. Those of the object that is replaced are released. Changes
   * neither object.
   */
  hold?(object: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined, claims: Allocations): void;
  /** Reason why an object that was valid on its source cluster must not be imported; undefined: it may be. */
  importComplaint?(object: Readonly<KubeObject>): string | undefined;
  /** Releases the allocations of an object that is removed. */
  release?(object: Readonly<KubeObject>, claims: Allocations): void;
  /** Changes an object whose deletion begins (a Namespace becomes Terminating). */
  prepareForDelete?(object: KubeObject, context: RequestContext): void;
  /** Warning header texts of a create or update. */
  warnings?(object: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined): string[];
  /** Warning header texts of a delete, whether or not the object exists. */
  warningsOnDelete?(options: DeleteOptions): string[];
  /**
   * Validates metadata.name and returns the complaints; left out: a DNS subdomain. The object is passed for kinds whose
   * name depends on its content.
   */
  validateName?(name: string, prefix: boolean, object?: Readonly<KubeObject>): string[];
  /**
   * Additional metadata checks of an update after that of the endpoint, in this order: "changed" compares with the old
   * object, "new" validates as for a create. Left out: one "changed". Repeated findings are reported again.
   */
  readonly metadataChecksOnUpdate?: readonly ("changed" | "new")[];
  /**
   * Position of the metadata findings of a new object. "alone": reported only if the kind's own validation finds nothing.
   */
  readonly metadataOfNew?: "first" | "last" | "alone";
  /** Paths of lists that are stored and read as null when they are empty. */
  readonly emptyListsStoredAsNull?: readonly (readonly string[])[];
  /** Field paths that no field manager can own through this endpoint, for example [["status"]]. */
  readonly resetFields?: readonly (readonly string[])[];
  /** A PUT of a missing object creates it (some built-in kinds). */
  readonly allowCreateOnUpdate?: boolean;
  /** Status strategies: an apply of a missing object creates it. */
  readonly createsOnApply?: boolean;
  /** A PUT without resourceVersion replaces the object unconditionally. */
  readonly allowUnconditionalUpdate?: boolean;
  /** An update without changes is written nevertheless (PersistentVolumeClaims upstream). */
  readonly writesUnchanged?: boolean;
  /** metadata.generation is maintained: 1 at creation, incremented by each change outside metadata and status. */
  readonly hasGeneration?: boolean;
}

/**
 * Allocator of a write: exclusive values, and objects that are created and removed with another one. All of it is
 * committed in one transaction with the object that needs it.
 */
export interface Allocations {
  /** A dry run keeps no allocation and ignores concurrent ones. */
  readonly dryRun: boolean;
  /** A random number from 0 up to the limit, exclusive. */
  random(limit: bigint): bigint;
  /** Reports whether the key is allocated, including by this write. */
  isTaken(key: string): boolean;
  take(key: string, value: Uint8Array): void;
  /** Releases the key, if it is allocated. */
  giveBack(key: string): void;
  hasObject(definition: ResourceDefinition, namespace: string, name: string): boolean;
  /** Creates an object on behalf of the server; the argument is changed. */
  makeObject(definition: ResourceDefinition, object: KubeObject): void;
  removeObject(definition: ResourceDefinition, namespace: string, name: string): void;
  /** Updates a subresource of a stored object on behalf of the server. */
  changeObject(definition: ResourceDefinition, live: KeyValue, next: KubeObject, subresource: string): void;
  /** Drops the pending operation on the key. */
  forget(key: string): void;
  /** All objects of a cluster-scoped kind. */
  list(definition: ResourceDefinition): KubeObject[];
}

// Virtual resources. A review returns the posted object with its status filled in. An action is posted below an object of
// another kind and acts on it: a TokenRequest issues a token for a ServiceAccount.

export interface ReviewContext extends RequestContext {
  /** Namespace of the URL; "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly authorizer: Authorizer;
  readonly reviewToken: TokenReviewer;
}

/** Both methods may change the object, and throw a StatusError to reject. */
export interface Review {
  /** Members of an unset status, as admission sees it. */
  readonly emptyStatus: JsonObject;
  /** Validates the posted spec; runs before validating admission. */
  check?(object: KubeObject, context: ReviewContext): void;
  /** Returns the object, or another one. */
  answer(object: KubeObject, context: ReviewContext): KubeObject;
}

/** Resource store operations for actions. */
export interface ActionResources {
  /** The served version of a resource. */
  viewOf(group: string, version: string, resource: string): ResourceView | undefined;
  /** The stored object, or undefined. */
  find(address: ObjectAddress): KeyValue | undefined;
  /** The stored object, or a 404. */
  get(address: ObjectAddress): KeyValue;
  /** All stored objects of a namespace. */
  allIn(view: ResourceView, namespace: string): readonly KeyValue[];
  /** Deletes without admission, because the action has been admitted. */
  deleteAdmitted(address: ObjectAddress, options: DeleteOptions, context: RequestContext): Promise<unknown>;
  modify(
    address: ObjectAddress,
    context: RequestContext,
    meant: { readonly uid?: string; readonly resourceVersion?: string },
    change: (object: KubeObject) => void,
  ): Promise<void>;
}

export interface ActionContext extends RequestContext {
  readonly resources: ActionResources;
  readonly tokenIssuer: TokenIssuer;
}

export type ActionAnswer = KubeObject | Status;

export interface ConnectOptions {
  readonly view: ResourceView;
  /** `path` is what follows the subresource in the URL. Throws 400. */
  read(query: Query, path: string): JsonObject;
}

export interface ConnectTarget {
  readonly resources: Pick<ActionResources, "viewOf" | "get">;
  /** The resource of the request. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly query: Query;
  /** The client requests a protocol upgrade: its Connection header has an upgrade token. */
  readonly isUpgrade: boolean;
  /** Options after admission; empty where the connection has none. */
  readonly options: JsonObject;
}

/** Throws a StatusError to reject. A return means that there is nothing to connect to. */
export type Connect = (target: ConnectTarget) => void;

export interface SubresourceAction {
  /** The posted kind. It has no path of its own. */
  readonly posted: ResourceDefinition;
  /** Further apiVersions that are accepted for the posted kind. */
  readonly acceptsVersions?: readonly string[];
  /** System fields (uid, timestamps) stay in the posted object, because it refers to another one by them. */
  readonly keepsSystemFields?: boolean;
  /**
   * Completes and validates the posted object between mutating and validating admission. May change it; throws a
   * StatusError.
   */
  check?(posted: KubeObject, target: ObjectAddress, context: ActionContext): void;
  /** Returns the posted object, another one, or a Status. May change it; rejects with a StatusError. */
  run(
    posted: KubeObject,
    target: ObjectAddress,
    context: ActionContext,
  ): Promise<ActionAnswer> | ActionAnswer;
}

/** Subresource definition of an action. */
export function actionSubresource(name: string, action: SubresourceAction): SubresourceDefinition {
  const { group, kind, versions } = action.posted;
  const [version] = versions;
  if (version === undefined) throw new Error(`${kind} has no version`);
  return { name, verbs: ["create"], kind, group, version: version.name, schema: version.schema, action };
}

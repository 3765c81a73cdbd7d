// Everything about a kind, as data. Built-in kinds (src/resources) and custom resources (made from a CRD by
// registry/custom/custom-resource.ts) have the same form and take the same path.

import type { FieldError } from "../../meta/field-error.ts";
import type { JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Query } from "../../meta/query.ts";
import type { Status } from "../../meta/status.ts";
import type { JsonSchema, SchemaNode } from "../../schema/schema-node.ts";
import type { KeyValue } from "../../storage/store.ts";
import type { Workers } from "../../workers/job.ts";
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

/** Prints the cells of one object for a built-in kind, in the order of its columns. */
export type RowPrinter = (
  object: Readonly<Record<string, unknown>>,
  nowMs: number,
) => { cells: unknown[]; conditions?: unknown[] };

export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** An endpoint below an object that a built-in kind has beside status and scale. */
export interface SubresourceDefinition {
  /** The word in URLs behind the object's name. */
  readonly name: string;
  /** As discovery lists them; those that are not served here say so. */
  readonly verbs: readonly string[];
  /** What is read and written there. Left out: the kind of the resource. */
  readonly kind?: string;
  /** Group and version of the kind, only where they are not those of the resource. */
  readonly group?: string;
  readonly version?: string;
  /** A $ref to the kind's schema. Without it the subresource is not described in OpenAPI documents. */
  readonly schema?: JsonSchema;
  /** What a write of the kind itself may change there; left out: it is not served. */
  readonly strategy?: Strategy;
  /** What comes of a POST there. */
  readonly action?: SubresourceAction;
  /** What stands in the way of whoever wants to be connected there, by whichever method. */
  readonly connect?: Connect;
  /** The options of the connection, which admission sees as its object; left out: the connection is not admitted. */
  readonly options?: ConnectOptions;
  /** The form of what a connection gives; left out: any. */
  readonly gives?: string;
}

export interface ResourceVersionDefinition {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  /** Left out with deprecated: the made-up text of a real server. */
  readonly deprecationWarning?: string;
  /** As published in OpenAPI: for a custom resource the CRD's openAPIV3Schema; for a built-in kind a $ref. */
  readonly schema: JsonSchema;
  /** The same, compiled. */
  readonly node: SchemaNode;
  /** Where the versions of a kind differ in what their writes do; left out: the definition's. */
  readonly strategy?: Strategy;
  /** Built-in kinds of which another form is stored: how this version's form becomes that one and back. */
  readonly storedForm?: StoredForm;
  /** The strategy of /status; left out: there is no such endpoint. */
  readonly status?: Strategy;
  /** Custom kinds whose schema has a default for status as a whole: an object may be stored without it. */
  readonly defaultsStatus?: boolean;
  /** The paths behind /scale. */
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

/** Changes objects of a kind from one version to another where that takes more than another apiVersion: a webhook. */
export interface ObjectConverter {
  /** The object in the version that is wanted. Rejects with a 500 for clients. */
  convert(object: Readonly<KubeObject>, apiVersion: string): Promise<KubeObject>;
  /** The same for many, in the same order. */
  convertAll(objects: readonly Readonly<KubeObject>[], apiVersion: string): Promise<KubeObject[]>;
}

export interface ResourceDefinition {
  readonly group: string;
  /** Plural, lower case: the word in URLs. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaceScoped: boolean;
  /** True for kinds that come from a CustomResourceDefinition; a real server answers some requests to them otherwise. */
  readonly custom: boolean;
  readonly verbs: readonly Verb[];
  readonly strategy: Strategy;
  /** Answers what is posted; of such a kind nothing is ever stored, and its only verb is create. */
  readonly review?: Review;
  /** Looks the objects up when somebody gets or lists them; of such a kind nothing is ever stored, and it can only be read. */
  readonly observe?: () => readonly Readonly<KubeObject>[];
  /** Objects of the kind have no metadata: the options of connections. */
  readonly withoutMetadata?: boolean;
  /** What comes of a POST, of a kind that is neither kept nor just asked: something happens to another object. */
  readonly action?: Omit<SubresourceAction, "posted">;
  /** Custom kinds: the CRD is being deleted, and no object can be made any more. */
  readonly terminating?: boolean;
  /** Custom kinds: what a webhook does between versions; left out: only apiVersion changes. */
  readonly converter?: ObjectConverter;
  /** Objects stored before this revision were stored under another schema (custom kinds whose CRD has changed). */
  readonly schemaRevision?: number;
  /** The folder in the store below /registry/, where it is not the usual one ("services/specs"). */
  readonly storagePrefix?: string;
  /** The group that errors name, where it is not the kind's own. */
  readonly errorGroup?: string;
  /** Annotations that objects have in their versions only: what they tell is a member of the internal form. */
  readonly versionedAnnotations?: readonly string[];
  /** Built-in kinds: finalizers are refused that are neither below a domain nor well known. */
  readonly ownedFinalizers?: boolean;
  /** The rows of a Table stand in the order of these numbers, and of names; left out: of names alone. */
  readonly rowOrder?: (object: Readonly<KubeObject>) => number;
  /** DELETE answers with the object instead of a Status (built-in kinds that do so). */
  readonly returnsDeletedObject?: boolean;
  /** Built-in kinds: what they have beside status and scale. */
  readonly subresources?: readonly SubresourceDefinition[];
  /** In the order of preference. */
  readonly versions: readonly ResourceVersionDefinition[];
  /** Built-in kinds: the cells behind columns. */
  readonly printRow?: RowPrinter;
  /** Built-in kinds: reads a selectable field's value ("" when absent). */
  readonly fieldValue?: (object: Readonly<Record<string, unknown>>, field: string) => string;
}

/** One served version of a resource: what a URL names. */
export interface ResourceView {
  readonly definition: ResourceDefinition;
  readonly version: ResourceVersionDefinition;
}

/** Where an object is, and in which version it is meant. */
export interface ObjectAddress {
  readonly view: ResourceView;
  /** "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

// What one kind adds to the generic create, update and delete. All methods are optional. Only prepare* may change
// the object; the others must not. They run in the order of registry/write/prepare.ts and validate.ts.

export interface Strategy {
  /** Sets what clients may not choose at creation (drops status, fills generated members). */
  prepareForCreate?(object: KubeObject, context: RequestContext): void;
  /**
   * Defaults that a kube-apiserver sets when it reads the new object back from its store: validation and validating
   * admission do not see them.
   */
  defaultStored?(object: KubeObject): void;
  /** Carries over what an update may not change. */
  prepareForUpdate?(object: KubeObject, old: Readonly<KubeObject>, context: RequestContext): void;
  validate?(object: Readonly<KubeObject>, context: RequestContext): FieldError[];
  validateUpdate?(
    object: Readonly<KubeObject>,
    old: Readonly<KubeObject>,
    context: RequestContext,
  ): FieldError[];
  /**
   * What validate or, with an old object, validateUpdate finds, where another thread has to find it; undefined: this one
   * finds it soon enough.
   */
  validateElsewhere?(
    object: Readonly<KubeObject>,
    old: Readonly<KubeObject> | undefined,
    workers: Workers,
  ): Promise<FieldError[]> | undefined;
  /** Defaults beyond those of the schema; run on everything that is decoded, before validation. */
  applyDefaults?(object: KubeObject): void;
  /** True while a deleted object has to stay although it has no finalizers (a Namespace with spec.finalizers). */
  holdsDeletion?(object: Readonly<KubeObject>): boolean;
  /** The garbage collector has no part in the kind's deletion: whatever a DELETE says of dependents, none are waited for (Events). */
  readonly withoutGarbageCollection?: boolean;
  /** A DELETE holds for the object that was read, whichever uid it names or leaves out (Namespaces, CustomResourceDefinitions). */
  readonly deletesByUid?: boolean;
  /** Dependents stay when a DELETE says nothing of them (kinds that are older than the garbage collector). */
  readonly orphansByDefault?: boolean;
  /** Finalizers that a DELETE adds, because somebody has to clean up first (a CustomResourceDefinition). */
  readonly finalizersOnDelete?: readonly string[];
  /**
   * The seconds that an object stays after a DELETE that asks for so many (undefined: for none in particular). Kinds
   * without this go at once.
   */
  gracePeriodSeconds?(object: Readonly<KubeObject>, asked: number | undefined): number;
  /**
   * Takes what only one object can have, before prepareForCreate and prepareForUpdate. May change the object, and throws a
   * StatusError to refuse. An update gives back what it no longer needs.
   */
  claim?(object: KubeObject, old: Readonly<KubeObject> | undefined, claims: Claims): void;
  /**
   * Takes what the object has already, whatever the server could give: it comes as it stood elsewhere. What is somebody else's
   * stays his; what the object had that is replaced is given back. Changes neither of the two.
   */
  hold?(object: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined, claims: Claims): void;
  /** Why an object that was valid on the cluster it comes from must not be imported; undefined: it may be. */
  importComplaint?(object: Readonly<KubeObject>): string | undefined;
  /** Gives back what the object had, as it goes. */
  release?(object: Readonly<KubeObject>, claims: Claims): void;
  /** Marks an object whose deletion begins (a Namespace becomes Terminating). */
  prepareForDelete?(object: KubeObject, context: RequestContext): void;
  /** Texts for Warning headers, on create and update. */
  warnings?(object: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined): string[];
  /** The same on delete, whether or not there is such an object. */
  warningsOnDelete?(options: DeleteOptions): string[];
  /**
   * Names: the rule for metadata.name; left out: a DNS subdomain. Returns the complaints. The object comes along, for
   * kinds whose name depends on what they hold.
   */
  validateName?(name: string, prefix: boolean, object?: Readonly<KubeObject>): string[];
  /**
   * How the check of an update looks at the metadata once more, after it was checked for the endpoint: as "changed" against
   * the old, as "new" as if it were created, in this order. Left out: as changed. What it finds is told again.
   */
  readonly metadataChecksOnUpdate?: readonly ("changed" | "new")[];
  /** Where findings about the metadata of a new object are told: "alone", if the kind's own check has found nothing. */
  readonly metadataOfNew?: "first" | "last" | "alone";
  /** Paths of lists that are stored, and then read, as null when they are empty. */
  readonly emptyListsStoredAsNull?: readonly (readonly string[])[];
  /** Field paths that a client cannot own through this endpoint, for example [["status"]]. */
  readonly resetFields?: readonly (readonly string[])[];
  /** PUT of a missing object makes it (built-in kinds that say so). */
  readonly allowCreateOnUpdate?: boolean;
  /** Of a status: to apply one makes the object that is not there. */
  readonly createsOnApply?: boolean;
  /** PUT without a resourceVersion replaces whatever is there. */
  readonly allowUnconditionalUpdate?: boolean;
  /** A change of nothing is a change all the same (claims of volumes, in a real server). */
  readonly writesUnchanged?: boolean;
  /** metadata.generation is kept: 1 at creation and raised when anything outside metadata and status changes. */
  readonly hasGeneration?: boolean;
}

/**
 * What only one object can have at a time, and objects that come and go with another one. All of it is committed in one
 * transaction with the object that needs it.
 */
export interface Claims {
  /** Nothing of a dry run is kept, and what is taken meanwhile does not matter to it. */
  readonly dryRun: boolean;
  /** A number from 0 up to the limit, which it does not reach. */
  random(limit: bigint): bigint;
  /** Whether the key is somebody's, by this write too. */
  isTaken(key: string): boolean;
  take(key: string, value: Uint8Array): void;
  /** Gives up what may be there. */
  giveBack(key: string): void;
  hasObject(definition: ResourceDefinition, namespace: string, name: string): boolean;
  /** Makes an object of the server's own; it is changed. */
  makeObject(definition: ResourceDefinition, object: KubeObject): void;
  removeObject(definition: ResourceDefinition, namespace: string, name: string): void;
  /** Changes what a subresource shows of a stored object, as the server itself. */
  changeObject(definition: ResourceDefinition, live: KeyValue, next: KubeObject, subresource: string): void;
  /** What was to be done about the key is not done. */
  forget(key: string): void;
  /** All objects of a cluster-scoped kind. */
  list(definition: ResourceDefinition): KubeObject[];
}

// What is posted and not stored. A review is a kind that is asked: the object comes back with its status filled in. An
// action makes something of an object of another kind, sent below an object: a token for a ServiceAccount is made so.

export interface ReviewContext extends RequestContext {
  /** Of the URL; "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly authorizer: Authorizer;
  readonly reviewToken: TokenReviewer;
}

/** Both may change the object, and throw a StatusError to refuse. */
export interface Review {
  /** The members of a status that has not been filled in, as admission sees it. */
  readonly emptyStatus: JsonObject;
  /** Whether the question is well put; before validating admission. */
  check?(object: KubeObject, context: ReviewContext): void;
  /** Answers with the object or with another one. */
  answer(object: KubeObject, context: ReviewContext): KubeObject;
}

/** What an action does to the objects that there are; the store of the resources has it. */
export interface ActionResources {
  /** The served version of a resource. */
  viewOf(group: string, version: string, resource: string): ResourceView | undefined;
  /** The stored object, or undefined. */
  find(address: ObjectAddress): KeyValue | undefined;
  /** The stored object, or a 404. */
  get(address: ObjectAddress): KeyValue;
  /** All stored objects of a namespace. */
  allIn(view: ResourceView, namespace: string): readonly KeyValue[];
  /** Without admission: the action has been admitted. */
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
  /** The client wants to go on with another protocol: a member of its Connection header names an upgrade. */
  readonly isUpgrade: boolean;
  /** As admission has left them; empty where there are none. */
  readonly options: JsonObject;
}

/** Throws a StatusError to refuse; where it returns, there is nothing to be had. */
export type Connect = (target: ConnectTarget) => void;

export interface SubresourceAction {
  /** The kind that is posted. It has no path of its own. */
  readonly posted: ResourceDefinition;
  /** Further apiVersions of the posted kind that are taken for its own. */
  readonly acceptsVersions?: readonly string[];
  /** What only the server may say (uid, times) is left in the posted object, because it names another one by it. */
  readonly keepsSystemFields?: boolean;
  /**
   * Runs between mutating and validating admission: completes what was posted and refuses what is wrong with it. May change
   * the posted object; throws a StatusError.
   */
  check?(posted: KubeObject, target: ObjectAddress, context: ActionContext): void;
  /** Answers with the posted object or another one, or with a Status. May change it; rejects with a StatusError to refuse. */
  run(
    posted: KubeObject,
    target: ObjectAddress,
    context: ActionContext,
  ): Promise<ActionAnswer> | ActionAnswer;
}

/** What a definition says of a subresource that is posted to, beside the action. */
export function actionSubresource(name: string, action: SubresourceAction): SubresourceDefinition {
  const { group, kind, versions } = action.posted;
  const [version] = versions;
  if (version === undefined) throw new Error(`${kind} has no version`);
  return { name, verbs: ["create"], kind, group, version: version.name, schema: version.schema, action };
}

// Everything about a kind, as data. Built-in kinds (src/resources) and custom resources (made from a CRD by
// registry/custom/custom-resource.ts) have the same form and take the same path.
import type { KubeObject } from "../../meta/object-meta.ts";
import type { JsonSchema, SchemaNode } from "../../schema/schema-node.ts";
import type { Review, SubresourceAction } from "./actions.ts";
import type { Strategy } from "./strategy.ts";

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
  /** The objects in the same order, in the version that is wanted. Rejects with a 500 for clients. */
  convert(objects: readonly Readonly<KubeObject>[], apiVersion: string): Promise<KubeObject[]>;
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
  /** Built-in kinds: finalizers are refused that are neither below a domain nor well known. */
  readonly ownedFinalizers?: boolean;
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

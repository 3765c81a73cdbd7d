// What one kind adds to the generic create, update and delete. All methods are optional. Only prepare* may change
// the object; the others must not. They run in the order of registry/write/prepare.ts and validate.ts.
import type { FieldError } from "../../meta/field-error.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Workers } from "../../workers/job.ts";
import type { RequestContext } from "./request-context.ts";
import type { ResourceDefinition } from "./resource-definition.ts";

export interface Strategy {
  /** Sets what clients may not choose at creation (drops status, fills generated members). */
  prepareForCreate?(object: KubeObject, context: RequestContext): void;
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
  /** Gives back what the object had, as it goes. */
  release?(object: Readonly<KubeObject>, claims: Claims): void;
  /** Marks an object whose deletion begins (a Namespace becomes Terminating). */
  prepareForDelete?(object: KubeObject, context: RequestContext): void;
  /** Texts for Warning headers, on create and update. */
  warnings?(object: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined): string[];
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
  /** Field paths that a client cannot own through this endpoint, for example [["status"]]. */
  readonly resetFields?: readonly (readonly string[])[];
  /** PUT of a missing object makes it (built-in kinds that say so). */
  readonly allowCreateOnUpdate?: boolean;
  /** PUT without a resourceVersion replaces whatever is there. */
  readonly allowUnconditionalUpdate?: boolean;
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
  /** All objects of a cluster-scoped kind. */
  list(definition: ResourceDefinition): KubeObject[];
}

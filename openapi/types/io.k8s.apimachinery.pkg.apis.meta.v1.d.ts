// Written by `npm run types` from the schemas; do not edit.

/** One named state of an object. */
export interface Condition {
  /** When the status of this condition last changed. */
  lastTransitionTime: Time;
  /** Explanation for people. */
  message?: string;
  /** Generation of the object that the condition speaks of. */
  observedGeneration?: number;
  /** Programmatic word for the last change of the condition. */
  reason?: string;
  /** True, False or Unknown. */
  status?: string;
  /** Name of the condition. */
  type?: string;
}

/** How an object should be deleted. */
export interface DeleteOptions {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion?: string;
  /** All runs every step but stores nothing. */
  dryRun?: string[];
  /** Seconds that the object gets to end; 0 means at once. */
  gracePeriodSeconds?: number;
  /** Deletes even an object that can no longer be read from storage, without its normal end. */
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  /** Name of the type that this object has. */
  kind?: string;
  /** Old form of propagationPolicy; true leaves the dependents alone. */
  orphanDependents?: boolean;
  /** What has to hold for the deletion to go ahead. */
  preconditions?: Preconditions;
  /** What becomes of dependents: Orphan, Background or Foreground. */
  propagationPolicy?: string;
}

/** One requirement on the value of one field. */
export interface FieldSelectorRequirement {
  /** Path of the field. */
  key?: string;
  /** How field and values relate: In, NotIn, Exists or DoesNotExist; there may be more. */
  operator?: string;
  /** Values for In and NotIn; empty for the other operators. */
  values?: string[];
}

/** A set of field paths written as nested objects. */
export type FieldsV1 = { [field: string]: unknown };

/** Selects objects by their labels; all given parts have to hold, and an empty selector takes everything. */
export interface LabelSelector {
  /** Requirements on label keys. */
  matchExpressions?: LabelSelectorRequirement[];
  /** Labels that must be there with exactly these values. */
  matchLabels?: { [key: string]: string };
}

/** One requirement on the label of one key. */
export interface LabelSelectorRequirement {
  /** Label key that the requirement is about. */
  key?: string;
  /** How key and values relate: In, NotIn, Exists or DoesNotExist. */
  operator?: string;
  /** Values for In and NotIn; empty for the other operators. */
  values?: string[];
}

/** The fields that one manager owns through one kind of request. */
export interface ManagedFieldsEntry {
  /** Version of the API in which the fields are named. */
  apiVersion?: string;
  /** Form of the field list; always FieldsV1. */
  fieldsType?: string;
  /** The owned fields as a tree of their names. */
  fieldsV1?: FieldsV1;
  /** Name of the client that owns the fields. */
  manager?: string;
  /** How the fields were set, Apply or Update. */
  operation?: string;
  /** Subresource through which the fields were set; empty for the object itself. */
  subresource?: string;
  /** When the set of fields or one of their values last changed. */
  time?: Time;
}

/** A moment as RFC 3339 text with microseconds. */
export type MicroTime = string;

/** What every stored object carries beside its own fields. */
export interface ObjectMeta {
  /** Free text by key, for tools and people; not used for selection. */
  annotations?: { [key: string]: string };
  /** When the server stored the object for the first time. */
  creationTimestamp?: Time;
  /** Seconds that the object has to end after its deletion was asked for. */
  deletionGracePeriodSeconds?: number;
  /** When the object will be removed; set by the server once deletion was asked for. */
  deletionTimestamp?: Time;
  /** Names of those who must clean up before a deleted object goes; it stays while any is left. */
  finalizers?: string[];
  /** Start of a name that the server completes with random letters when no name is given. */
  generateName?: string;
  /** Number that the server raises whenever the wanted state changes. */
  generation?: number;
  /** Short values by key by which objects are selected and grouped. */
  labels?: { [key: string]: string };
  /** Who last set which field, kept by the server for server-side apply. */
  managedFields?: ManagedFieldsEntry[];
  /** Name of the object, unique for its type within the namespace. */
  name?: string;
  /** Namespace that the object lives in; empty for types that are not in namespaces. */
  namespace?: string;
  /** Objects that this one depends on; it is removed when the last of them is gone. */
  ownerReferences?: OwnerReference[];
  /** Opaque mark of this state of the object, for watches and to detect concurrent changes. */
  resourceVersion?: string;
  /** No longer filled in. */
  selfLink?: string;
  /** Identity of the object through time, made by the server; never used again. */
  uid?: string;
}

/** Points to an object in the same namespace, or in none, that owns this one. */
export interface OwnerReference {
  /** API version of the owner. */
  apiVersion?: string;
  /** Whether a foreground deletion of the owner has to wait for this object. */
  blockOwnerDeletion?: boolean;
  /** Whether the owner is the one controller in charge of this object. */
  controller?: boolean;
  /** Type of the owner. */
  kind?: string;
  /** Name of the owner. */
  name?: string;
  /** Identity of the owner. */
  uid?: string;
}

/** Identity and state that an object must have. */
export interface Preconditions {
  /** State that the object must be in. */
  resourceVersion?: string;
  /** Identity that the object must have. */
  uid?: string;
}

/** A moment as RFC 3339 text with whole seconds. */
export type Time = string;

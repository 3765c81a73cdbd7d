// Written by `npm run types` from the schemas; do not edit.
import type { FieldSelectorRequirement, LabelSelectorRequirement, ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** The field selector of a request, in one of two forms. */
export interface FieldSelectorAttributes {
  /** The selector as it stood in the query; not together with requirements. */
  rawSelector?: string;
  /** The selector taken apart; all requirements hold together. */
  requirements?: FieldSelectorRequirement[];
}

/** The label selector of a request, in one of two forms. */
export interface LabelSelectorAttributes {
  /** The selector as it stood in the query; not together with requirements. */
  rawSelector?: string;
  /** The selector taken apart; all requirements hold together. */
  requirements?: LabelSelectorRequirement[];
}

/** Asks whether somebody may do something in one namespace; whoever is in charge of the namespace may be let to ask. */
export interface LocalSubjectAccessReview {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "authorization.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "LocalSubjectAccessReview";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The question; its namespace is that of the review. */
  spec?: SubjectAccessReviewSpec;
  /** The answer, given by the server. */
  status?: SubjectAccessReviewStatus;
}

/** A request to a path that names no resource. */
export interface NonResourceAttributes {
  /** Path of the URL. */
  path?: string;
  /** HTTP method in small letters. */
  verb?: string;
}

/** What may be done with paths that name no resource. */
export interface NonResourceRule {
  /** Paths; a star stands for all, or at the end of a path for any rest. */
  nonResourceURLs?: string[];
  /** HTTP methods in small letters; a star stands for all. */
  verbs: string[];
}

/** A request to a resource. */
export interface ResourceAttributes {
  /** Field selector that narrows a list, watch or deletecollection. */
  fieldSelector?: FieldSelectorAttributes;
  /** API group of the resource; a star stands for all. */
  group?: string;
  /** Label selector that narrows a list, watch or deletecollection. */
  labelSelector?: LabelSelectorAttributes;
  /** Name of the object; empty means all of them. */
  name?: string;
  /** Namespace of the request; empty means all namespaces, or none for resources of the cluster. */
  namespace?: string;
  /** Resource in its plural; a star stands for all. */
  resource?: string;
  /** What is asked for below the object; empty means the object itself. */
  subresource?: string;
  /** What is to be done: get, list, watch, create, update, patch, delete, deletecollection or another word; a star stands for all. */
  verb?: string;
  /** API version of the resource; a star stands for all. */
  version?: string;
}

/** What may be done with some resources. */
export interface ResourceRule {
  /** API groups of the resources; a star stands for all. */
  apiGroups?: string[];
  /** Objects that the rule is about; empty means all. */
  resourceNames?: string[];
  /** Resources, and subresources as resource/subresource; a star stands for all. */
  resources?: string[];
  /** What may be done; a star stands for all. */
  verbs: string[];
}

/** Asks whether the one who asks may do something. */
export interface SelfSubjectAccessReview {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "authorization.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "SelfSubjectAccessReview";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The question. */
  spec?: SelfSubjectAccessReviewSpec;
  /** The answer, given by the server. */
  status?: SubjectAccessReviewStatus;
}

/** What the one who asks would like to do; just one of the two members is given. */
export interface SelfSubjectAccessReviewSpec {
  /** A request to a path that names no resource. */
  nonResourceAttributes?: NonResourceAttributes;
  /** A request to a resource. */
  resourceAttributes?: ResourceAttributes;
}

/** Asks for all that the one who asks may do in a namespace. The list may be incomplete; it is meant for showing, not for deciding. */
export interface SelfSubjectRulesReview {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "authorization.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "SelfSubjectRulesReview";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The question. */
  spec?: SelfSubjectRulesReviewSpec;
  /** The rules, given by the server. */
  status?: SubjectRulesReviewStatus;
}

/** Where the rules are to hold. */
export interface SelfSubjectRulesReviewSpec {
  /** Namespace that is asked about. */
  namespace?: string;
}

/** Asks whether somebody may do something. */
export interface SubjectAccessReview {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "authorization.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "SubjectAccessReview";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The question. */
  spec?: SubjectAccessReviewSpec;
  /** The answer, given by the server. */
  status?: SubjectAccessReviewStatus;
}

/** Who would like to do what; just one of the two kinds of attributes is given. */
export interface SubjectAccessReviewSpec {
  /** What else is known of the user, by key. */
  extra?: { [key: string]: string[] };
  /** Groups that the user is in. */
  groups?: string[];
  /** A request to a path that names no resource. */
  nonResourceAttributes?: NonResourceAttributes;
  /** A request to a resource. */
  resourceAttributes?: ResourceAttributes;
  /** What tells the user from others of the same name. */
  uid?: string;
  /** Name of the user; without one a member of the groups is meant. */
  user?: string;
}

/** Whether it may be done. */
export interface SubjectAccessReviewStatus {
  /** True if it may be done. */
  allowed?: boolean;
  /** True if it may not be done whatever others say; false with allowed false means that nobody allows it. */
  denied?: boolean;
  /** What went wrong while the answer was looked for; the answer may hold nevertheless. */
  evaluationError?: string;
  /** Why it is so, for people. */
  reason?: string;
}

/** What somebody may do. */
export interface SubjectRulesReviewStatus {
  /** What went wrong while the rules were looked for. */
  evaluationError?: string;
  /** True if there may be more than is told here. */
  incomplete?: boolean;
  /** Rules about paths that name no resource. */
  nonResourceRules: NonResourceRule[];
  /** Rules about resources. */
  resourceRules: ResourceRule[];
}

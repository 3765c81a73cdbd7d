// Written by `npm run types` from the schemas; do not edit.
import type { LabelSelector, ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** Which roles a controller joins into one. */
export interface AggregationRule {
  /** The roles by label; one selector that fits is enough. */
  clusterRoleSelectors?: LabelSelector[];
}

/** Rights in the whole cluster, or in any namespace that binds them. */
export interface ClusterRole {
  /** Says that a controller fills the rules from other roles. */
  aggregationRule?: AggregationRule;
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "rbac.authorization.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "ClusterRole";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The rights; nothing is allowed but what a rule allows. */
  rules?: PolicyRule[];
}

/** Gives the rights of a cluster role to subjects, in the whole cluster. */
export interface ClusterRoleBinding {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "rbac.authorization.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "ClusterRoleBinding";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The cluster role; cannot change. */
  roleRef?: RoleRef;
  /** Who gets the rights. */
  subjects?: Subject[];
}

/** What may be done with what. */
export interface PolicyRule {
  /** Groups of the resources, with * for all and empty text for the core group. */
  apiGroups?: string[];
  /** Paths that are no resources, with * at the end for all below; only for cluster roles. */
  nonResourceURLs?: string[];
  /** Names of the objects that the rule is about; empty allows all. */
  resourceNames?: string[];
  /** Resources that the rule is about, with * for all. */
  resources?: string[];
  /** What may be done, with * for all. */
  verbs: string[];
}

/** Rights inside one namespace. */
export interface Role {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "rbac.authorization.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "Role";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The rights; nothing is allowed but what a rule allows. */
  rules?: PolicyRule[];
}

/** Gives the rights of a role to subjects, inside one namespace. */
export interface RoleBinding {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "rbac.authorization.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "RoleBinding";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The role, of the namespace or of the cluster; cannot change. */
  roleRef?: RoleRef;
  /** Who gets the rights. */
  subjects?: Subject[];
}

/** Points to a role. */
export interface RoleRef {
  /** Group of the role. */
  apiGroup?: string;
  /** Role or ClusterRole. */
  kind?: string;
  /** Name of the role. */
  name?: string;
}

/** Somebody who may get rights. */
export interface Subject {
  /** Group of the kind; empty for service accounts. */
  apiGroup?: string;
  /** User, Group or ServiceAccount. */
  kind?: string;
  /** Name of the user, group or service account. */
  name?: string;
  /** Namespace of the service account; only for those. */
  namespace?: string;
}

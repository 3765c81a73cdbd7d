// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta, Time } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** Shares of a level without limits. */
export interface ExemptPriorityLevelConfiguration {
  /** How much of that others may use meanwhile, from 0 to 100. */
  lendablePercent?: number;
  /** Shares that the level counts for among all. */
  nominalConcurrencyShares?: number;
}

/** How requests are told apart into flows. */
export interface FlowDistinguisherMethod {
  /** ByUser or ByNamespace. */
  type?: string;
}

/** Which requests belong together, and how important they are. */
export interface FlowSchema {
  /** Version of the API in which this object is written. */
  apiVersion: "flowcontrol.apiserver.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "FlowSchema";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The requests and their priority level. */
  spec?: FlowSchemaSpec;
  /** Whether the priority level is there. */
  status?: FlowSchemaStatus;
}

/** A state of a flow schema. */
export interface FlowSchemaCondition {
  /** When the status changed last. */
  lastTransitionTime?: Time;
  /** For people: more about it. */
  message?: string;
  /** One word about why. */
  reason?: string;
  /** Whether it is so: True, False or Unknown. */
  status?: string;
  /** Which state it is. */
  type?: string;
}

/** Requests that belong together. */
export interface FlowSchemaSpec {
  /** How the requests are told apart into flows; one flow if left out. */
  distinguisherMethod?: FlowDistinguisherMethod;
  /** Among several schemas that a request fits, the one with the least number counts; 1 to 10000. */
  matchingPrecedence?: number;
  /** The priority level of the requests. */
  priorityLevelConfiguration?: PriorityLevelConfigurationReference;
  /** A request belongs here when one of the rules fits it. */
  rules?: PolicyRulesWithSubjects[];
}

/** What is reported about a flow schema. */
export interface FlowSchemaStatus {
  /** States of the schema, each type once. */
  conditions?: FlowSchemaCondition[];
}

/** A group of users. */
export interface GroupSubject {
  /** Name of the group, or * for all. */
  name?: string;
}

/** What becomes of requests beyond a limit. */
export interface LimitResponse {
  /** How they wait, where the type says so. */
  queuing?: QueuingConfiguration;
  /** Queue: they wait; Reject: they are refused. */
  type?: string;
}

/** The limits of a level, and what becomes of requests beyond. */
export interface LimitedPriorityLevelConfiguration {
  /** How many seats of others it may use, in relation to its own; any number if left out. */
  borrowingLimitPercent?: number;
  /** How many of its seats other levels may use meanwhile, from 0 to 100. */
  lendablePercent?: number;
  /** What becomes of a request that there is no seat for. */
  limitResponse?: LimitResponse;
  /** Shares of all seats that the level has; others of the server's levels have theirs. */
  nominalConcurrencyShares?: number;
}

/** Requests to paths that are no resources. */
export interface NonResourcePolicyRule {
  /** Paths; a last step of * is any path below, and * alone all paths. */
  nonResourceURLs: string[];
  /** Verbs, or * for all. */
  verbs: string[];
}

/** Requests of some users. */
export interface PolicyRulesWithSubjects {
  /** Requests to other paths; one of them fits. */
  nonResourceRules?: NonResourcePolicyRule[];
  /** Requests to resources; one of them fits. */
  resourceRules?: ResourcePolicyRule[];
  /** Who makes the requests. */
  subjects: Subject[];
}

/** How many requests of a priority are worked on at a time. */
export interface PriorityLevelConfiguration {
  /** Version of the API in which this object is written. */
  apiVersion: "flowcontrol.apiserver.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "PriorityLevelConfiguration";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The limits. */
  spec?: PriorityLevelConfigurationSpec;
  /** What is reported about the level. */
  status?: PriorityLevelConfigurationStatus;
}

/** A state of a priority level. */
export interface PriorityLevelConfigurationCondition {
  /** When the status changed last. */
  lastTransitionTime?: Time;
  /** For people: more about it. */
  message?: string;
  /** One word about why. */
  reason?: string;
  /** Whether it is so: True, False or Unknown. */
  status?: string;
  /** Which state it is. */
  type?: string;
}

/** Names a priority level. */
export interface PriorityLevelConfigurationReference {
  /** Name of the PriorityLevelConfiguration. */
  name?: string;
}

/** The limits of a priority level. */
export interface PriorityLevelConfigurationSpec {
  /** The shares of an Exempt level. */
  exempt?: ExemptPriorityLevelConfiguration;
  /** The limits of a Limited level. */
  limited?: LimitedPriorityLevelConfiguration;
  /** Exempt: without limits; Limited: with those below. */
  type?: string;
}

/** What is reported about a priority level. */
export interface PriorityLevelConfigurationStatus {
  /** States of the level, each type once. */
  conditions?: PriorityLevelConfigurationCondition[];
}

/** How requests wait. */
export interface QueuingConfiguration {
  /** From how many queues the one for a request is chosen, which keeps flows apart. */
  handSize?: number;
  /** How many requests wait in a queue at most. */
  queueLengthLimit?: number;
  /** How many queues there are. */
  queues?: number;
}

/** Requests to resources: a verb, a group, a resource and a namespace of each list. */
export interface ResourcePolicyRule {
  /** API groups, or * for all. */
  apiGroups: string[];
  /** Whether requests without a namespace are meant, too. */
  clusterScope?: boolean;
  /** Namespaces, or * for all. */
  namespaces?: string[];
  /** Resources, with their subresources behind a slash, or * for all. */
  resources: string[];
  /** Verbs, or * for all. */
  verbs: string[];
}

/** A service account. */
export interface ServiceAccountSubject {
  /** Name of the account, or * for all of the namespace. */
  name?: string;
  /** Namespace of the account. */
  namespace?: string;
}

/** Who makes a request: users, service accounts or groups. */
export interface Subject {
  /** The group, where the kind says so. */
  group?: GroupSubject;
  /** User, Group or ServiceAccount. */
  kind?: string;
  /** The service account, where the kind says so. */
  serviceAccount?: ServiceAccountSubject;
  /** The user, where the kind says so. */
  user?: UserSubject;
}

/** A user. */
export interface UserSubject {
  /** Name of the user, or * for all. */
  name?: string;
}

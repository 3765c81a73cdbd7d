// Written by `npm run types` from the schemas; do not edit.
import type { Condition, LabelSelector, ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** A mutation that lays an object of the expression's making over the one that is written. */
export interface ApplyConfiguration {
  /** The expression, in the Common Expression Language. */
  expression?: string;
}

/** A note that the policy leaves in the audit record of a request. */
export interface AuditAnnotation {
  /** The key of the note, behind the name of the policy and a slash. */
  key?: string;
  /** An expression for the text of the note; null leaves it out. */
  valueExpression?: string;
}

/** What type checking has found in one expression. */
export interface ExpressionWarning {
  /** Where the expression stands. */
  fieldRef?: string;
  /** What is odd about it, for people. */
  warning?: string;
}

/** A mutation by the operations of a JSON patch that the expression makes. */
export interface JSONPatch {
  /** The expression, in the Common Expression Language. */
  expression?: string;
}

/** An expression that must hold for a request to be looked at. */
export interface MatchCondition {
  /** The expression that is true for requests to look at. */
  expression?: string;
  /** Name of the condition, unlike that of the others. */
  name?: string;
}

/** The requests that are looked at. */
export interface MatchResources {
  /** Requests that are left out although a rule names them. */
  excludeResourceRules?: NamedRuleWithOperations[];
  /** Whether a rule also takes in requests for other versions of its resources (Equivalent) or not (Exact). */
  matchPolicy?: "Equivalent" | "Exact";
  /** Labels of the namespaces whose objects are looked at. */
  namespaceSelector?: LabelSelector;
  /** Labels of the objects that are looked at, before or after the write. */
  objectSelector?: LabelSelector;
  /** Requests that are looked at; one rule has to fit. */
  resourceRules?: NamedRuleWithOperations[];
}

/** Changes that are made to objects as they are written, by expressions. */
export interface MutatingAdmissionPolicy {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "admissionregistration.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "MutatingAdmissionPolicy";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What is wanted. */
  spec?: MutatingAdmissionPolicySpec;
}

/** Puts a mutating policy in force, with parameters and for some requests. */
export interface MutatingAdmissionPolicyBinding {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "admissionregistration.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "MutatingAdmissionPolicyBinding";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What is wanted. */
  spec?: MutatingAdmissionPolicyBindingSpec;
}

/** Which policy is put in force, where and with what. */
export interface MutatingAdmissionPolicyBindingSpec {
  /** Narrows down the requests of the policy. */
  matchResources?: MatchResources;
  /** Where the parameters are. */
  paramRef?: ParamRef;
  /** Name of the policy. */
  policyName?: string;
}

/** Which requests the policy is about and what it changes. */
export interface MutatingAdmissionPolicySpec {
  /** What an error means: the request fails (Fail) or the error is passed over (Ignore). */
  failurePolicy?: "Fail" | "Ignore";
  /** Expressions that all have to hold for a request to be looked at. */
  matchConditions?: MatchCondition[];
  /** The requests that the policy is about. */
  matchConstraints?: MatchResources;
  /** The changes, made in this order. */
  mutations?: Mutation[];
  /** The kind of the parameters; without it there are none. */
  paramKind?: ParamKind;
  /** Whether it is asked again when others have changed the object after it (IfNeeded) or not (Never). */
  reinvocationPolicy?: "IfNeeded" | "Never";
  /** Values for the other expressions; each may use those before it. */
  variables?: Variable[];
}

/** A server that is asked about writes and may change them. */
export interface MutatingWebhook {
  /** Versions of AdmissionReview that the server understands, the preferred one first. */
  admissionReviewVersions: string[];
  /** How the server is reached. */
  clientConfig?: WebhookClientConfig;
  /** What an error means: the request fails (Fail) or the error is passed over (Ignore). */
  failurePolicy?: "Fail" | "Ignore";
  /** Expressions that all have to hold for a request to be looked at. */
  matchConditions?: MatchCondition[];
  /** Whether a rule also takes in requests for other versions of its resources (Equivalent) or not (Exact). */
  matchPolicy?: "Equivalent" | "Exact";
  /** Full name of the webhook, like a domain. */
  name?: string;
  /** Labels of the namespaces whose objects are looked at. */
  namespaceSelector?: LabelSelector;
  /** Labels of the objects that are looked at, before or after the write. */
  objectSelector?: LabelSelector;
  /** Whether it is asked again when others have changed the object after it (IfNeeded) or not (Never). */
  reinvocationPolicy?: "IfNeeded" | "Never";
  /** Requests that the server is asked about; one rule has to fit. */
  rules?: RuleWithOperations[];
  /** Whether asking the server changes anything elsewhere. */
  sideEffects: "None" | "NoneOnDryRun" | "Some" | "Unknown";
  /** How long an answer may take, from 1 to 30 seconds. */
  timeoutSeconds?: number;
}

/** Servers that are asked about writes and may change them. */
export interface MutatingWebhookConfiguration {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "admissionregistration.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "MutatingWebhookConfiguration";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The servers. */
  webhooks?: MutatingWebhook[];
}

/** One change of an object. */
export interface Mutation {
  /** The object to lay over, if patchType says so. */
  applyConfiguration?: ApplyConfiguration;
  /** The patch, if patchType says so. */
  jsonPatch?: JSONPatch;
  /** Which of the two ways to change an object is used. */
  patchType?: "ApplyConfiguration" | "JSONPatch";
}

/** Requests by what they do and to which resources, and to which of their objects. */
export interface NamedRuleWithOperations {
  /** Groups of the resources, with * for all and empty text for the core group. */
  apiGroups?: string[];
  /** Versions of the resources, with * for all. */
  apiVersions?: string[];
  /** What is done to them, with * for all. */
  operations?: ("*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE")[];
  /** Names of the objects; empty takes in all. */
  resourceNames?: string[];
  /** The resources, with * for all; a slash and a word behind one means its subresource. */
  resources?: string[];
  /** Whether only objects in namespaces, only those outside or all of them are meant. */
  scope?: "*" | "Cluster" | "Namespaced";
}

/** The kind of the objects that hold the parameters of a policy. */
export interface ParamKind {
  /** Group and version of the kind. */
  apiVersion?: string;
  /** The kind. */
  kind?: string;
}

/** The objects that hold the parameters of a policy. */
export interface ParamRef {
  /** Name of the object. */
  name?: string;
  /** Namespace of the objects; left out, that of the request. */
  namespace?: string;
  /** Whether a request passes (Allow) or fails (Deny) when there are no parameters. */
  parameterNotFoundAction?: string;
  /** Labels of the parameters, instead of a name. */
  selector?: LabelSelector;
}

/** Requests by what they do and to which resources. */
export interface RuleWithOperations {
  /** Groups of the resources, with * for all and empty text for the core group. */
  apiGroups?: string[];
  /** Versions of the resources, with * for all. */
  apiVersions?: string[];
  /** What is done to them, with * for all. */
  operations?: ("*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE")[];
  /** The resources, with * for all; a slash and a word behind one means its subresource. */
  resources?: string[];
  /** Whether only objects in namespaces, only those outside or all of them are meant. */
  scope?: "*" | "Cluster" | "Namespaced";
}

/** A Service behind which a server is reached. */
export interface ServiceReference {
  /** Name of the Service. */
  name?: string;
  /** Namespace of the Service. */
  namespace?: string;
  /** Path of the requests. */
  path?: string;
  /** Port of the Service; 443 unless said. */
  port?: number;
}

/** What was found when the expressions were held against the types of the objects. */
export interface TypeChecking {
  /** What was found, one entry for each expression. */
  expressionWarnings?: ExpressionWarning[];
}

/** Rules that writes have to keep, as expressions. */
export interface ValidatingAdmissionPolicy {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "admissionregistration.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "ValidatingAdmissionPolicy";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What is wanted. */
  spec?: ValidatingAdmissionPolicySpec;
  /** What is known of it; written by the server. */
  status?: ValidatingAdmissionPolicyStatus;
}

/** Puts a validating policy in force, with parameters and for some requests. */
export interface ValidatingAdmissionPolicyBinding {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "admissionregistration.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "ValidatingAdmissionPolicyBinding";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What is wanted. */
  spec?: ValidatingAdmissionPolicyBindingSpec;
}

/** Which policy is put in force, where, with what and to what effect. */
export interface ValidatingAdmissionPolicyBindingSpec {
  /** Narrows down the requests of the policy. */
  matchResources?: MatchResources;
  /** Where the parameters are. */
  paramRef?: ParamRef;
  /** Name of the policy. */
  policyName: string;
  /** What happens to a request that breaks a rule. */
  validationActions: ("Audit" | "Deny" | "Warn")[];
}

/** Which requests the policy is about and what it demands. */
export interface ValidatingAdmissionPolicySpec {
  /** Notes for the audit record. */
  auditAnnotations?: AuditAnnotation[];
  /** What an error means: the request fails (Fail) or the error is passed over (Ignore). */
  failurePolicy?: "Fail" | "Ignore";
  /** Expressions that all have to hold for a request to be looked at. */
  matchConditions?: MatchCondition[];
  /** The requests that the policy is about. */
  matchConstraints?: MatchResources;
  /** The kind of the parameters; without it there are none. */
  paramKind?: ParamKind;
  /** The rules; each of them has to be kept. */
  validations?: Validation[];
  /** Values for the other expressions; each may use those before it. */
  variables?: Variable[];
}

/** What is known of the policy. */
export interface ValidatingAdmissionPolicyStatus {
  /** The state, one entry for each aspect of it. */
  conditions?: Condition[];
  /** The generation of the policy that this was found for. */
  observedGeneration?: number;
  /** What type checking has found. */
  typeChecking?: TypeChecking;
}

/** A server that is asked about writes and may refuse them. */
export interface ValidatingWebhook {
  /** Versions of AdmissionReview that the server understands, the preferred one first. */
  admissionReviewVersions: string[];
  /** How the server is reached. */
  clientConfig?: WebhookClientConfig;
  /** What an error means: the request fails (Fail) or the error is passed over (Ignore). */
  failurePolicy?: "Fail" | "Ignore";
  /** Expressions that all have to hold for a request to be looked at. */
  matchConditions?: MatchCondition[];
  /** Whether a rule also takes in requests for other versions of its resources (Equivalent) or not (Exact). */
  matchPolicy?: "Equivalent" | "Exact";
  /** Full name of the webhook, like a domain. */
  name?: string;
  /** Labels of the namespaces whose objects are looked at. */
  namespaceSelector?: LabelSelector;
  /** Labels of the objects that are looked at, before or after the write. */
  objectSelector?: LabelSelector;
  /** Requests that the server is asked about; one rule has to fit. */
  rules?: RuleWithOperations[];
  /** Whether asking the server changes anything elsewhere. */
  sideEffects: "None" | "NoneOnDryRun" | "Some" | "Unknown";
  /** How long an answer may take, from 1 to 30 seconds. */
  timeoutSeconds?: number;
}

/** Servers that are asked about writes and may refuse them. */
export interface ValidatingWebhookConfiguration {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "admissionregistration.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "ValidatingWebhookConfiguration";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The servers. */
  webhooks?: ValidatingWebhook[];
}

/** One rule that a write has to keep. */
export interface Validation {
  /** The expression that is true if the rule is kept. */
  expression?: string;
  /** What a refused client is told. */
  message?: string;
  /** An expression for what a refused client is told; it goes before message. */
  messageExpression?: string;
  /** The reason in the answer to a refused client. */
  reason?: string;
}

/** A value that the other expressions use by its name. */
export interface Variable {
  /** The expression, in the Common Expression Language. */
  expression?: string;
  /** The name behind variables. in other expressions. */
  name?: string;
}

/** How a server is reached. */
export interface WebhookClientConfig {
  /** Certificates that the server's own is checked against, as PEM. */
  caBundle?: string;
  /** The Service behind which the server is. */
  service?: ServiceReference;
  /** Address of the server. */
  url?: string;
}

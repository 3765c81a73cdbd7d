// User info and request options: what a write needs besides the object itself.
import type { Clock } from "../../../apimachinery/meta/clock.ts";
import { type FieldError, notSupported } from "../../../apimachinery/meta/field-error.ts";
import type { Ids } from "../../../apimachinery/meta/ids.ts";

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Extra attributes that the authenticator returned, by key. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface RequestContext {
  readonly user: UserInfo;
  /** Name that managedFields records for this writer: the fieldManager parameter, else the first word of the User-Agent. */
  readonly fieldManager: string;
  readonly dryRun: boolean;
  /** Handling of unknown and duplicate fields. Left out: Strict, the request is rejected. */
  readonly fieldValidation?: FieldValidation;
  /** The body or the object is large, so the steps yield to the event loop between them. */
  readonly isLarge?: boolean;
  /** Options as the request gives them, for admission; "" where the request has none. */
  readonly given?: { readonly fieldManager: string; readonly fieldValidation: string };
  /**
   * Throws a 403 when a user with update or patch permission lacks create permission. It is called where a PUT or an
   * apply finds no object. Left out: create is allowed.
   */
  readonly authorizeCreate?: () => void;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Adds a text to the response's Warning headers. Repeated texts are added once. */
  warn(text: string): void;
}

/** metav1.DeleteOptions of a DELETE request. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly dryRun?: readonly string[];
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** The one legal value is "All". */
export function dryRunErrors(values: readonly string[]): FieldError[] {
  return values.every((value) => value === "All") ? [] : [notSupported("dryRun", values, ["All"])];
}

/** Larger objects are written with yielding: a write of this size takes some 10 ms. */
export const LARGE_BYTES = 128 * 1024;

/** Reports whether a body is so large that its steps yield to the event loop. */
export const isLargeBody = (body: Uint8Array | undefined): boolean => (body?.length ?? 0) > LARGE_BYTES;

// Authorization: the attributes of a request and the authorizer's decision. The authorizer is built at startup.

interface Asked {
  readonly user: UserInfo;
  readonly verb: string;
}

export interface ResourceAttributes extends Asked {
  readonly type: "resource";
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** "" for the object itself. */
  readonly subresource: string;
  /** "" across namespaces and for cluster-scoped kinds. */
  readonly namespace: string;
  /** "" for a collection. */
  readonly name: string;
}

export interface PathAttributes extends Asked {
  readonly type: "path";
  readonly path: string;
}

export type AccessAttributes = ResourceAttributes | PathAttributes;

export interface Decision {
  readonly allowed: boolean;
  /** Reason in plain text; "" where the authorizer gives none. */
  readonly reason: string;
}

/** A rule of a Role or ClusterRole. Either resources or nonResourceURLs are named, seldom both. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface SubjectRules {
  readonly rules: readonly PolicyRule[];
  /** Lookup failures, for example of a role that a binding names. */
  readonly error: string | undefined;
}

export interface Authorizer {
  authorize(attributes: AccessAttributes): Decision;
  /** All rules of the user in the namespace; with "" only the cluster-wide ones. */
  rulesFor(user: UserInfo, namespace: string): SubjectRules;
}

/** The default of --service-account-issuer. */
export const DEFAULT_ISSUER = "https://kubernetes.default.svc.cluster.local";

/** An object as a token names it. */
export interface NamedObject {
  readonly name: string;
  readonly uid: string;
}

/** Claims of a ServiceAccount token. */
export interface AccountClaims {
  readonly namespace: string;
  readonly account: NamedObject;
  /** The token is valid only while this object exists. */
  readonly boundTo?: NamedObject & { readonly kind: "pod" | "secret" | "node" };
  /** The Node of the Pod that the token is bound to. */
  readonly node?: NamedObject;
  readonly audiences: readonly string[];
  readonly fromMs: number;
  readonly untilMs: number;
  /** Unique id of the token. */
  readonly id: string;
}

export interface TokenIssuer {
  /** Audiences of tokens that name none: the API server itself. */
  readonly audiences: readonly string[];
  /** Returns a token with these claims, signed by this server. */
  issue(claims: AccountClaims): string;
}

/** Result of a token review. Neither user nor error: no token authenticator is configured. */
export interface TokenVerdict {
  readonly user?: UserInfo;
  readonly audiences?: readonly string[];
  readonly error?: string;
}

/** Authenticates a token for one of the audiences; an empty list selects those of the server itself. */
export type TokenReviewer = (token: string, audiences: readonly string[]) => TokenVerdict;

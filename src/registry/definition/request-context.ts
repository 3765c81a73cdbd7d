// Who asks, and how: what a write needs to know beside the object itself.
import type { Clock } from "../../meta/clock.ts";
import { type FieldError, notSupported } from "../../meta/field-error.ts";
import type { Ids } from "../../meta/ids.ts";

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** What the authenticator knows beyond that, by key. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface RequestContext {
  readonly user: UserInfo;
  /** The name under which managedFields records this writer (fieldManager, else the user agent's first word). */
  readonly fieldManager: string;
  readonly dryRun: boolean;
  /** What becomes of fields that the kind does not know, or that are given twice; left out: they are refused (Strict). */
  readonly fieldValidation?: FieldValidation;
  /** So much was sent, or is changed, that others get their turn between the steps. */
  readonly isLarge?: boolean;
  /** Options as the request names them, for admission to pass on; "" where it does not. */
  readonly given?: { readonly fieldManager: string; readonly fieldValidation: string };
  /**
   * Throws a 403 when who was let to change an object may not make it, which is asked where a PUT or an apply finds none.
   * Left out: he may.
   */
  readonly demandCreate?: () => void;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Adds a text to the answer's Warning headers (once, however often it is said). */
  warn(text: string): void;
}

/** metav1.DeleteOptions: what a DELETE may ask for. */
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

/** A larger object is written in several turns: to write one of this size takes some 10 ms. */
export const LARGE_BYTES = 128 * 1024;

/** Whether a body has so much in it that others get their turn between the steps. */
export const isLargeBody = (body: Uint8Array | undefined): boolean => (body?.length ?? 0) > LARGE_BYTES;

// Who may do what: the question that every request asks, and its answer. What answers it is put together at the start.

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
  /** Why, for people; "" when there is nothing to say. */
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
  /** What could not be looked up, for example a role that a binding names. */
  readonly error: string | undefined;
}

export interface Authorizer {
  authorize(attributes: AccessAttributes): Decision;
  /** All that the user may do in the namespace; with "" only what holds everywhere. */
  rulesFor(user: UserInfo, namespace: string): SubjectRules;
}

/** The default of --service-account-issuer. */
export const DEFAULT_ISSUER = "https://kubernetes.default.svc.cluster.local";

/** An object as a token names it. */
export interface NamedObject {
  readonly name: string;
  readonly uid: string;
}

/** What a ServiceAccount's token says. */
export interface AccountClaims {
  readonly namespace: string;
  readonly account: NamedObject;
  /** The token is good as long as this object lives too. */
  readonly boundTo?: NamedObject & { readonly kind: "pod" | "secret" | "node" };
  /** The Node on which the Pod runs that the token is bound to. */
  readonly node?: NamedObject;
  readonly audiences: readonly string[];
  readonly fromMs: number;
  readonly untilMs: number;
  /** Tells the token from all others. */
  readonly id: string;
}

export interface TokenIssuer {
  /** The audiences of tokens that name none: the API server itself. */
  readonly audiences: readonly string[];
  /** A token with these claims, signed by this server. */
  issue(claims: AccountClaims): string;
}

/** What came of a look at somebody's token. No user and no error: there is nothing that knows any tokens. */
export interface TokenVerdict {
  readonly user?: UserInfo;
  readonly audiences?: readonly string[];
  readonly error?: string;
}

/** Says whose token it is, if it is good for one of the audiences (for the server itself when there are none). */
export type TokenReviewer = (token: string, audiences: readonly string[]) => TokenVerdict;

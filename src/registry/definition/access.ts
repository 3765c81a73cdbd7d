// Who may do what: the question that every request asks, and its answer. What answers it is put together at the start.
import type { UserInfo } from "./request-context.ts";

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

/** For whom tokens are that do not say it themselves: the server itself. */
export const API_AUDIENCE = "https://kubernetes.default.svc.cluster.local";

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

/** Puts claims into a token that only this server can make. */
export type TokenIssuer = (claims: AccountClaims) => string;

/** What came of a look at somebody's token. No user and no error: there is nothing that knows any tokens. */
export interface TokenVerdict {
  readonly user?: UserInfo;
  readonly audiences?: readonly string[];
  readonly error?: string;
}

/** Says whose token it is, if it is good for one of the audiences (for the server itself when there are none). */
export type TokenReviewer = (token: string, audiences: readonly string[]) => TokenVerdict;

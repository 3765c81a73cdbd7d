// Authentication of requests by client certificate, static token file or ServiceAccount token. Requests without
// credentials are anonymous, or rejected. A server without configured credentials treats every request as the
// administrator's, unless the request presents a ServiceAccount token.
import type { Socket } from "node:net";
import { failure, type StatusError } from "../../apimachinery/meta/status.ts";
import {
  ANONYMOUS_USER,
  AUTHENTICATED_GROUP,
  PRIVILEGED_GROUP,
  UNAUTHENTICATED_GROUP,
} from "../authorization/access-check.ts";
import type { ImpersonatedUser } from "../endpoints/api-request.ts";
import type { AccessControl } from "../endpoints/request-scope.ts";
import type { AccountTokens, AccountVerdict } from "./account-tokens.ts";
import { type CertificateHolder, type ClientCertificates, certificateHolder } from "./client-certificate.ts";
import type { TokenTable, UserInfo } from "./token-file.ts";

type TokenReviewer = AccessControl["reviewToken"];

/** Returns the user of a request; undefined when credentials are invalid, or required and missing. */
export type Authenticator = (
  headers: Readonly<Record<string, string | undefined>>,
  socket?: Socket,
  method?: string,
  rawHeaders?: readonly string[],
) => UserInfo | undefined;

export interface Authentication {
  readonly authenticate: Authenticator;
  readonly reviewToken: TokenReviewer;
}

const INVALID_TOKEN = "invalid bearer token";

const IGNORED_TOKEN =
  "a request has shown a bearer token that this server has not made: it was not looked at, because everybody counts as the administrator here; --secure or --token-auth-file ask who somebody is (this is told once)";

export const ADMINISTRATOR: UserInfo = {
  name: "system:admin",
  groups: [PRIVILEGED_GROUP, AUTHENTICATED_GROUP],
};
export const ANONYMOUS: UserInfo = { name: ANONYMOUS_USER, groups: [UNAUTHENTICATED_GROUP] };

/**
 * Authentication of a server without configured credentials: only ServiceAccount tokens are evaluated. The first
 * other bearer token is logged, because its user may assume that it is checked.
 */
export function openAuthentication(accounts: AccountTokens, warn: (text: string) => void): Authentication {
  let warned = false;
  return {
    authenticate({ authorization }) {
      const token = bearerToken(authorization);
      if (token === undefined) return ADMINISTRATOR;
      const verdict = accounts.check(token, []);
      if (verdict !== undefined && !("error" in verdict && verdict.unsigned)) return userOf(verdict);
      if (!warned) warn(IGNORED_TOKEN);
      warned = true;
      return ADMINISTRATOR;
    },
    reviewToken: (token, audiences) => reviewOf(accounts.check(token, audiences)),
  };
}

/** Authentication by a front proxy. Raw headers are name, value, name … */
export type RequestHeaderAuthenticator = (socket: Socket, rawHeaders: readonly string[]) => CertificateHolder;

export interface TokenAuthenticationOptions {
  readonly tokens: TokenTable;
  readonly accounts: AccountTokens;
  /** Absent, as without TLS: client certificates are ignored. */
  readonly certificates?: ClientCertificates | undefined;
  /**
   * A bearer token takes precedence over a client certificate: `kubectl --token` sends both when the kubeconfig
   * written by Egret has a certificate. Absent: the certificate takes precedence, as in a kube-apiserver.
   */
  readonly tokensFirst?: boolean;
  /** Authentication by a front proxy. */
  readonly requestHeader?: RequestHeaderAuthenticator | undefined;
  /** Whether requests without credentials are admitted as system:anonymous. */
  readonly anonymous: boolean;
  /** Audiences of the tokens in the file. */
  readonly audiences: readonly string[];
}

export function tokenAuthentication(options: TokenAuthenticationOptions): Authentication {
  const { accounts, anonymous, certificates, requestHeader } = options;
  const users = new Map([...options.tokens].map(([token, user]) => [token, withStanding(user)]));
  const userWith = (token: string) => users.get(token) ?? userOf(accounts.check(token, []));
  return {
    authenticate({ authorization }, socket, _method, rawHeaders = []) {
      const proxied = socket && requestHeader?.(socket, rawHeaders);
      if (proxied !== undefined && proxied !== "refused") return withStanding(proxied);
      const token = bearerToken(authorization);
      if (token !== undefined && options.tokensFirst === true) return userWith(token);
      const holder = socket && certificates && certificateHolder(certificates.of(socket));
      if (holder !== undefined && holder !== "refused") return withStanding(holder);
      const isRefused = proxied === "refused" || holder === "refused";
      if (token === undefined) return anonymous && !isRefused ? ANONYMOUS : undefined;
      return userWith(token);
    },
    reviewToken(token, audiences) {
      const user = users.get(token);
      const own = options.audiences.filter((each) => audiences.length === 0 || audiences.includes(each));
      return user && own.length > 0 ? { user, audiences: own } : reviewOf(accounts.check(token, audiences));
    },
  };
}

function userOf(verdict: AccountVerdict | undefined): UserInfo | undefined {
  return verdict && "user" in verdict ? withStanding(verdict.user) : undefined;
}

/** TokenReview: all token authenticators are consulted, and their errors are listed. */
function reviewOf(verdict: AccountVerdict | undefined): ReturnType<TokenReviewer> {
  if (verdict === undefined) return { error: INVALID_TOKEN };
  if ("error" in verdict) return { error: `[${INVALID_TOKEN}, ${verdict.error}]` };
  return { user: withStanding(verdict.user), audiences: verdict.audiences };
}

/** Adds system:authenticated to the groups of an authenticated user. */
function withStanding(user: UserInfo): UserInfo {
  const { groups } = user;
  if (groups.includes(AUTHENTICATED_GROUP) || groups.includes(UNAUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...groups, AUTHENTICATED_GROUP] };
}

/** The token of an Authorization header; undefined for another scheme, or none. */
function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [scheme = "", token = ""] = header.trim().split(" ");
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined;
}

/** The 401 for invalid credentials. It does not reveal the reason. */
export const unauthorized = (): StatusError =>
  failure({ code: 401, reason: "Unauthorized", message: "Unauthorized" });

// Impersonate-User, -Uid, -Group (may be repeated) and -Extra-KEY (likewise). They are read from the raw headers:
// Node joins repeated headers with commas, and group names may contain commas.

const PREFIX = "impersonate-";
const FIRST_LETTERS = "iI";
const EXTRA = "extra-";

/** Returns the impersonated user; undefined without impersonation headers. Raw headers are name, value, name, … */
export function readImpersonation(rawHeaders: readonly string[]): ImpersonatedUser | undefined {
  let name = "";
  let uid = "";
  const groups: string[] = [];
  const extra = new Map<string, string[]>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at] ?? "";
    if (header.length <= PREFIX.length || !startsWithPrefix(header)) continue;
    const value = rawHeaders[at + 1] ?? "";
    const rest = header.slice(PREFIX.length).toLowerCase();
    if (rest === "user") name ||= value;
    else if (rest === "uid") uid ||= value;
    else if (rest === "group") groups.push(value);
    else if (rest.startsWith(EXTRA)) {
      const key = unescapeKey(rest.slice(EXTRA.length));
      extra.set(key, [...(extra.get(key) ?? []), value]);
    }
  }
  if (name === "" && uid === "" && groups.length === 0 && extra.size === 0) return undefined;
  return { name, uid, groups, extra: Object.fromEntries(extra) };
}

const startsWithPrefix = (header: string): boolean =>
  FIRST_LETTERS.includes(header[0] ?? "") && header.slice(0, PREFIX.length).toLowerCase() === PREFIX;

/** Header names escape characters as in a URL. */
export function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

// Who asks. Without any credentials to know people by, everybody is the administrator; else a bearer token says who it is,
// and who has none is anonymous or turned away.
import {
  ANONYMOUS_USER,
  AUTHENTICATED_GROUP,
  PRIVILEGED_GROUP,
  UNAUTHENTICATED_GROUP,
} from "../../apiserver/authorization/subjects.ts";
import type { AccessControl } from "../../apiserver/exchange.ts";
import { failure, type StatusError } from "../../meta/status.ts";
import type { TokenTable, UserInfo } from "./token-file.ts";

type TokenReviewer = AccessControl["reviewToken"];

/** Who holds the credentials of these headers; undefined when they are wrong, or none are given where some are needed. */
export type Authenticator = (headers: Readonly<Record<string, string | undefined>>) => UserInfo | undefined;

export interface Authentication {
  readonly authenticate: Authenticator;
  readonly reviewToken: TokenReviewer;
}

/** For whom tokens are that do not say it themselves. */
export const API_AUDIENCE = "https://kubernetes.default.svc.cluster.local";
const INVALID_TOKEN = "invalid bearer token";

export const ADMINISTRATOR: UserInfo = {
  name: "system:admin",
  groups: [PRIVILEGED_GROUP, AUTHENTICATED_GROUP],
};
const ANONYMOUS: UserInfo = { name: ANONYMOUS_USER, groups: [UNAUTHENTICATED_GROUP] };

/** Nobody is asked who he is, and no token is known. */
export const noAuthentication: Authentication = {
  authenticate: () => ADMINISTRATOR,
  reviewToken: () => ({}),
};

/** Tokens as bearer credentials. anonymous: whether those who show nothing at all may ask, as system:anonymous. */
export function tokenAuthentication(tokens: TokenTable, anonymous: boolean): Authentication {
  const users = new Map([...tokens].map(([token, user]) => [token, withStanding(user)]));
  return {
    authenticate(headers) {
      const token = bearerToken(headers["authorization"]);
      if (token === undefined) return anonymous ? ANONYMOUS : undefined;
      return users.get(token);
    },
    reviewToken: (token, audiences) => reviewToken(users, token, audiences),
  };
}

function reviewToken(
  users: ReadonlyMap<string, UserInfo>,
  token: string,
  audiences: readonly string[],
): ReturnType<TokenReviewer> {
  const user = users.get(token);
  const fits = audiences.length === 0 || audiences.includes(API_AUDIENCE);
  return user && fits ? { user, audiences: [API_AUDIENCE] } : { error: INVALID_TOKEN };
}

/** Whoever was recognised belongs to one group more. */
function withStanding(user: UserInfo): UserInfo {
  const { groups } = user;
  if (groups.includes(AUTHENTICATED_GROUP) || groups.includes(UNAUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...groups, AUTHENTICATED_GROUP] };
}

/** The token of an Authorization header; undefined for another scheme, or none. */
function bearerToken(header: string | undefined): string | undefined {
  const [scheme = "", token = ""] = (header ?? "").trim().split(" ");
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined;
}

/** The refusal of wrong credentials. It does not say what is wrong with them. */
export const unauthorized = (): StatusError =>
  failure({ code: 401, reason: "Unauthorized", message: "Unauthorized" });

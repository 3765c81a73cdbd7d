// ServiceAccount tokens: claims and verification. A token is valid until it expires, while its account and the
// object that it is bound to exist and are not being deleted.
import type { KeyObject } from "node:crypto";
import { goQuote } from "../../apimachinery/go/strconv.ts";
import { type JsonObject, objectAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { serviceAccountGroups, serviceAccountUser } from "../authorization/access-check.ts";
import type { AccessControl } from "../endpoints/request-scope.ts";
import {
  type CoreLookup,
  checkSecretToken,
  type SecretTokenOptions,
  type SecretTokenSubject,
  secretTokenClaims,
} from "./secret-tokens.ts";
import {
  createTokenKey,
  NO_KEY,
  SECRET_TOKEN_ISSUER,
  splitToken,
  type TokenKey,
  type TokenParts,
} from "./signing-key.ts";
import type { UserInfo } from "./token-file.ts";

type TokenIssuer = AccessControl["tokenIssuer"];

export interface AccountTokenOptions extends SecretTokenOptions {
  readonly key: () => KeyObject;
  /** Further keys of valid tokens. */
  readonly otherKeys?: readonly KeyObject[];
  readonly now: () => number;
  /** The iss claim of new tokens is the first; all are accepted, and are the audiences of tokens without one. */
  readonly issuers: readonly [string, ...string[]];
}

export type AccountVerdict =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  /** `unsigned`: the token names this issuer, but has no valid signature of this server. */
  | { readonly error: string; readonly unsigned?: true };

export interface AccountTokens {
  readonly issue: TokenIssuer["issue"];
  /** A token for a Secret of type kubernetes.io/service-account-token. */
  readonly issueForSecret: (subject: SecretTokenSubject) => string;
  readonly publicJwks: () => readonly JsonObject[];
  /** The user of a token, if it is valid for one of the audiences; undefined for tokens of other issuers and other texts. */
  check(token: string, audiences: readonly string[]): AccountVerdict | undefined;
}

/** Tolerated clock skew, as elsewhere in the API. */
const LEEWAY_MS = 60_000;
/** Cached tokens with valid signatures, because clients send the same token repeatedly. */
const VERIFIED_MAX = 1000;
const CLAIM = "kubernetes.io";
const EXTRA = "authentication.kubernetes.io/";

export function createAccountTokens(options: AccountTokenOptions): AccountTokens {
  let keys: readonly [TokenKey, ...TokenKey[]] | undefined;
  const tokenKeys = () => (keys ??= distinct([options.key(), ...(options.otherKeys ?? [])]));
  const [issuer] = options.issuers;
  const issuers: readonly unknown[] = [...options.issuers, SECRET_TOKEN_ISSUER];
  const verified = new Map<string, JsonObject>();
  const verify = (token: string): Verified | undefined => {
    const known = verified.get(token);
    if (known !== undefined) return { claims: known };
    const parts = splitToken(token);
    if (parts === undefined || !issuers.includes(parts.claims["iss"])) return undefined;
    const error = complaintOf(parts, tokenKeys());
    if (error !== undefined) return { error, unsigned: true };
    const [oldest] = verified.keys();
    if (verified.size >= VERIFIED_MAX && oldest !== undefined) verified.delete(oldest);
    verified.set(token, parts.claims);
    return parts;
  };
  return {
    publicJwks: () => tokenKeys().map(({ publicJwk }) => publicJwk),
    issue: (claims) => tokenKeys()[0].sign(toClaims(claims, issuer)),
    issueForSecret: (subject) => tokenKeys()[0].sign(secretTokenClaims(subject)),
    check(token, audiences) {
      const of = verify(withoutSpace(token));
      if (of === undefined || "error" in of) return of;
      return checkClaims(token, of.claims, audiences, options);
    },
  };
}

/** Distinct keys; the first one signs. */
function distinct([key, ...others]: readonly [KeyObject, ...KeyObject[]]): readonly [
  TokenKey,
  ...TokenKey[],
] {
  const first = createTokenKey(key);
  const byId = new Map(others.map(createTokenKey).map((each) => [each.kid, each]));
  byId.delete(first.kid);
  return [first, ...byId.values()];
}

/** undefined: one of the keys has signed the token. */
function complaintOf(parts: TokenParts, keys: readonly TokenKey[]): string | undefined {
  const complaints = keys.map((key) => key.complaintOf(parts));
  if (complaints.includes(undefined)) return undefined;
  return complaints.find((complaint) => complaint !== NO_KEY) ?? NO_KEY;
}

type Verified = { readonly claims: JsonObject } | { readonly error: string; readonly unsigned: true };

/** go-jose ignores white space in a token, such as the line end of a file. */
const withoutSpace = (token: string): string => (/\s/.test(token) ? token.replaceAll(/\s/g, "") : token);

function toClaims(of: Parameters<TokenIssuer["issue"]>[0], issuer: string): JsonObject {
  const { namespace, account, boundTo, node } = of;
  const from = Math.floor(of.fromMs / 1000);
  return {
    aud: of.audiences,
    exp: Math.floor(of.untilMs / 1000),
    iat: from,
    iss: issuer,
    jti: of.id,
    [CLAIM]: {
      namespace,
      ...(boundTo ? { [boundTo.kind]: { name: boundTo.name, uid: boundTo.uid } } : {}),
      ...(node ? { node } : {}),
      serviceaccount: account,
    },
    nbf: from,
    sub: serviceAccountUser(namespace, account.name),
  };
}

function checkClaims(
  token: string,
  claims: JsonObject,
  audiences: readonly string[],
  options: AccountTokenOptions,
): AccountVerdict {
  const { find, now, issuers } = options;
  const own = audiencesOf(claims, issuers);
  const wanted = audiences.length > 0 ? audiences : issuers;
  const shared = own.filter((audience) => wanted.includes(audience));
  if (shared.length === 0) {
    const [given, asked] = [own, wanted].map((texts) => `[${texts.map(goQuote).join(" ")}]`);
    return { error: `token audiences ${given} is invalid for the target audiences ${asked}` };
  }
  if (claims["iss"] === SECRET_TOKEN_ISSUER) {
    const found = checkSecretToken(token, claims, options);
    return typeof found === "string" ? { error: found } : { ...found, audiences: shared };
  }
  const nowMs = now();
  const said = objectAt(claims, CLAIM);
  const error =
    timeComplaint(claims, nowMs) ??
    accountComplaint(said, find, nowMs - LEEWAY_MS) ??
    boundComplaint(said, find, nowMs - LEEWAY_MS);
  return error === undefined ? { user: userOf(claims, said), audiences: shared } : { error };
}

/** A list or a single text; without either the audience is the issuers. */
function audiencesOf(claims: JsonObject, issuers: readonly string[]): readonly string[] {
  const { aud } = claims;
  if (typeof aud === "string") return [aud];
  const texts = textsAt(claims, "aud");
  return texts.length > 0 ? texts : issuers;
}

/** An absent time has no effect; a malformed one is an error. */
function timeComplaint(claims: JsonObject, nowMs: number): string | undefined {
  const [nbf, exp, iat] = ["nbf", "exp", "iat"].map((name) => millisecondsAt(claims, name));
  if ([nbf, exp, iat].includes("malformed"))
    return "go-jose/go-jose/jwt: expected number value to unmarshal NumericDate";
  if (typeof nbf === "number" && nowMs + LEEWAY_MS < nbf) return "service account token is not valid yet";
  if (typeof exp === "number" && nowMs - LEEWAY_MS > exp) return "service account token has expired";
  if (typeof iat === "number" && nowMs + LEEWAY_MS < iat)
    return "service account token is issued in the future";
  return undefined;
}

/** Whole seconds; a value beyond 64 bits counts as the earliest time, as in Go. */
function millisecondsAt(claims: JsonObject, name: string): number | undefined | "malformed" {
  const value = claims[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number") return "malformed";
  return Math.abs(value) < 2 ** 63 ? Math.trunc(value) * 1000 : Number.NEGATIVE_INFINITY;
}

type Said = JsonObject | undefined;

/** An object whose deletion waits for finalizers, or for a grace period, counts as deleted from this time on. */
function isDeleted({ metadata }: Readonly<KubeObject>, beforeMs: number): boolean {
  const { deletionTimestamp } = metadata;
  return typeof deletionTimestamp === "string" && Date.parse(deletionTimestamp) < beforeMs;
}

function accountComplaint(said: Said, find: CoreLookup, deletedBeforeMs: number): string | undefined {
  const claim = objectAt(said, "serviceaccount");
  const [namespace, name] = [textAt(said, "namespace"), textAt(claim, "name")];
  const account = find("serviceaccounts", namespace, name);
  if (account === undefined) return `serviceaccounts ${goQuote(name)} not found`;
  const complaint = uidComplaint("service account", account, "claim", claim);
  if (complaint !== undefined || !isDeleted(account, deletedBeforeMs)) return complaint;
  return `service account ${namespace}/${name} has been deleted`;
}

const INVALIDATED = "service account token has been invalidated";

/** The Node of a Pod is informative; the token is bound to the Pod. */
function boundComplaint(said: Said, find: CoreLookup, deletedBeforeMs: number): string | undefined {
  const kind = (["secret", "pod", "node"] as const).find((word) => objectAt(said, word) !== undefined);
  if (kind === undefined) return undefined;
  const claim = objectAt(said, kind);
  const bound = find(`${kind}s`, kind === "node" ? "" : textAt(said, "namespace"), textAt(claim, "name"));
  if (bound === undefined) return INVALIDATED;
  const complaint = uidComplaint(kind, bound, `service account ${kind} ref claim`, claim);
  return complaint ?? (isDeleted(bound, deletedBeforeMs) ? INVALIDATED : undefined);
}

function uidComplaint(what: string, { metadata }: Readonly<KubeObject>, where: string, claim: Said) {
  const { uid = "" } = metadata;
  const claimed = textAt(claim, "uid");
  return uid === claimed ? undefined : `${what} UID (${uid}) does not match ${where} (${claimed})`;
}

function userOf(claims: JsonObject, said: Said): UserInfo {
  const namespace = textAt(said, "namespace");
  const extra: Record<string, readonly string[]> = {
    [`${EXTRA}credential-id`]: [`JTI=${textAt(claims, "jti")}`],
  };
  for (const kind of ["node", "pod"]) {
    const claim = objectAt(said, kind);
    if (claim === undefined) continue;
    extra[`${EXTRA}${kind}-name`] = [textAt(claim, "name")];
    const uid = textAt(claim, "uid");
    if (uid !== "") extra[`${EXTRA}${kind}-uid`] = [uid];
  }
  return {
    name: textAt(claims, "sub"),
    uid: textAt(objectAt(said, "serviceaccount"), "uid"),
    groups: serviceAccountGroups(namespace),
    extra,
  };
}

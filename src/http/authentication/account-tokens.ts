// Tokens of ServiceAccounts: what they say, and whether they still hold. One holds until its time is over, and only as
// long as the account and the object that it is bound to live.
import type { KeyObject } from "node:crypto";
import { serviceAccountGroups } from "../../apiserver/authorization/access-check.ts";
import type { AccessControl } from "../../apiserver/exchange.ts";
import { goQuote } from "../../go/strconv.ts";
import { type JsonObject, numberAt, objectAt, textAt, textsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { createTokenKey, type TokenKey } from "./signing-key.ts";
import type { UserInfo } from "./token-file.ts";

type TokenIssuer = AccessControl["issueToken"];

/** A live object of the core group; undefined when there is none. */
export type CoreLookup = (
  resource: "serviceaccounts" | "pods" | "secrets" | "nodes",
  namespace: string,
  name: string,
) => Readonly<KubeObject> | undefined;

export interface AccountTokenOptions {
  readonly key: () => KeyObject;
  readonly find: CoreLookup;
  readonly now: () => number;
  /** Who makes the tokens, and for whom they are when they do not say it. */
  readonly issuer: string;
}

export type AccountVerdict =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly error: string };

export interface AccountTokens {
  readonly issue: TokenIssuer;
  /** Whose token it is, if it is good for one of the audiences; undefined when this server has not made it. */
  check(token: string, audiences: readonly string[]): AccountVerdict | undefined;
}

/** Clocks may differ by this much, as elsewhere in the API. */
const LEEWAY_MS = 60_000;
/** So many signatures are remembered, because clients show the same token again and again. */
const OPENED_MAX = 1000;
const CLAIM = "kubernetes.io";
const EXTRA = "authentication.kubernetes.io/";

export function createAccountTokens(options: AccountTokenOptions): AccountTokens {
  let key: TokenKey | undefined;
  const tokenKey = () => (key ??= createTokenKey(options.key()));
  const opened = new Map<string, JsonObject>();
  const open = (token: string): JsonObject | undefined => {
    if (!looksSigned(token)) return undefined;
    const known = opened.get(token);
    const claims = known ?? tokenKey().open(token);
    if (claims === undefined || known !== undefined) return claims;
    const [oldest] = opened.keys();
    if (opened.size >= OPENED_MAX && oldest !== undefined) opened.delete(oldest);
    opened.set(token, claims);
    return claims;
  };
  return {
    issue: (claims) => tokenKey().sign(toClaims(claims, options.issuer)),
    check(token, audiences) {
      const claims = open(token);
      return claims && checkClaims(claims, audiences, options);
    },
  };
}

const looksSigned = (token: string): boolean => token.startsWith("eyJ") && token.split(".").length === 3;

function toClaims(of: Parameters<TokenIssuer>[0], issuer: string): JsonObject {
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
    sub: `system:serviceaccount:${namespace}:${account.name}`,
  };
}

function checkClaims(
  claims: JsonObject,
  audiences: readonly string[],
  { find, now, issuer }: AccountTokenOptions,
): AccountVerdict {
  const own = textsAt(claims, "aud");
  const wanted = audiences.length > 0 ? audiences : [issuer];
  const shared = own.filter((audience) => wanted.includes(audience));
  if (shared.length === 0) {
    const [given, asked] = [own, wanted].map((texts) => `[${texts.map(goQuote).join(" ")}]`);
    return { error: `token audiences ${given} is invalid for the target audiences ${asked}` };
  }
  if (now() > millisecondsAt(claims, "exp") + LEEWAY_MS)
    return { error: "service account token has expired" };
  if (now() < millisecondsAt(claims, "nbf") - LEEWAY_MS)
    return { error: "service account token is not valid yet" };
  const said = objectAt(claims, CLAIM);
  const error = accountComplaint(said, find) ?? boundComplaint(said, find);
  return error === undefined ? { user: userOf(claims, said), audiences: shared } : { error };
}

type Said = JsonObject | undefined;

function accountComplaint(said: Said, find: CoreLookup): string | undefined {
  const claim = objectAt(said, "serviceaccount");
  const name = textAt(claim, "name");
  const account = find("serviceaccounts", textAt(said, "namespace"), name);
  if (account === undefined) return `serviceaccounts ${goQuote(name)} not found`;
  return uidComplaint("service account", account, "claim", claim);
}

/** The Node of a Pod is only told; the Pod is what counts. */
function boundComplaint(said: Said, find: CoreLookup): string | undefined {
  const kind = (["pod", "secret", "node"] as const).find((word) => objectAt(said, word) !== undefined);
  if (kind === undefined) return undefined;
  const claim = objectAt(said, kind);
  const bound = find(`${kind}s`, kind === "node" ? "" : textAt(said, "namespace"), textAt(claim, "name"));
  if (bound === undefined) return "service account token has been invalidated";
  return uidComplaint(kind, bound, `service account ${kind} ref claim`, claim);
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

const millisecondsAt = (claims: JsonObject, key: string): number =>
  (numberAt(claims, key) ?? Number.NaN) * 1000;

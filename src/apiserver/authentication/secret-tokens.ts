// Tokens in Secrets of type kubernetes.io/service-account-token, which upstream calls legacy tokens: they do not expire, and
// are valid while the Secret holds them and its ServiceAccount exists (pkg/serviceaccount/legacy.go).

import { goQuote } from "../../apimachinery/go/strconv.ts";
import { type JsonObject, objectAt, textAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { serviceAccountGroups, serviceAccountUser } from "../authorization/access-check.ts";
import { SECRET_TOKEN_ISSUER } from "./signing-key.ts";
import type { UserInfo } from "./token-file.ts";

const CLAIM = "kubernetes.io/serviceaccount/";
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
const INVALIDATED = "service account token has been invalidated";

/** A live object of the core group; undefined when there is none. */
export type CoreLookup = (
  resource: "serviceaccounts" | "pods" | "secrets" | "nodes",
  namespace: string,
  name: string,
) => Readonly<KubeObject> | undefined;

export interface SecretTokenSubject {
  readonly namespace: string;
  /** The name of the Secret. */
  readonly secret: string;
  readonly account: { readonly name: string; readonly uid: string };
}

/** In the order of their names, as upstream signs them. */
export const secretTokenClaims = ({ namespace, secret, account }: SecretTokenSubject): JsonObject => ({
  iss: SECRET_TOKEN_ISSUER,
  [`${CLAIM}namespace`]: namespace,
  [`${CLAIM}secret.name`]: secret,
  [`${CLAIM}service-account.name`]: account.name,
  [`${CLAIM}service-account.uid`]: account.uid,
  sub: serviceAccountUser(namespace, account.name),
});

export interface SecretTokenOptions {
  readonly find: CoreLookup;
  /** Called with the Secret of each valid token. */
  readonly onSecretToken?: ((secret: Readonly<KubeObject>) => void) | undefined;
}

/** The token has been verified, and is for one of the audiences. */
export function checkSecretToken(
  token: string,
  claims: JsonObject,
  { find, onSecretToken }: SecretTokenOptions,
): string | { readonly user: UserInfo } {
  const subject = subjectIn(claims);
  if (typeof subject === "string") return subject;
  const { namespace, secret: secretName, account: claimed } = subject;
  const secret = find("secrets", namespace, secretName);
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return INVALIDATED;
  if (textAt(objectAt(secret, "data"), "token") !== Buffer.from(token).toString("base64"))
    return "service account token does not match server's copy";
  const account = find("serviceaccounts", namespace, claimed.name);
  if (account === undefined) return `serviceaccounts ${goQuote(claimed.name)} not found`;
  const { deletionTimestamp, uid = "" } = account.metadata;
  if (deletionTimestamp !== undefined) return `ServiceAccount ${namespace}/${claimed.name} has been deleted`;
  if (uid !== claimed.uid) return `ServiceAccount UID (${uid}) does not match claim (${claimed.uid})`;
  onSecretToken?.(secret);
  if ((secret.metadata.labels?.[INVALID_SINCE] ?? "") !== "") return markedInvalid(subject);
  const user = { name: textAt(claims, "sub"), uid, groups: serviceAccountGroups(namespace) };
  return { user };
}

function subjectIn(claims: JsonObject): SecretTokenSubject | string {
  const of = (name: string): string => textAt(claims, CLAIM + name);
  const named: readonly (readonly [claim: string, value: string])[] = [
    ["sub", textAt(claims, "sub")],
    ["namespace", of("namespace")],
    ["secretName", of("secret.name")],
    ["serviceAccountName", of("service-account.name")],
    ["serviceAccountUID", of("service-account.uid")],
  ];
  const missing = named.find(([, value]) => value === "");
  if (missing !== undefined) return `${missing[0]} claim is missing`;
  const [sub = "", namespace = "", secret = "", name = "", uid = ""] = named.map(([, value]) => value);
  if (sub !== serviceAccountUser(namespace, name)) return "sub claim is invalid";
  return { namespace, secret, account: { name, uid } };
}

const markedInvalid = ({ namespace, secret, account }: SecretTokenSubject): string =>
  `the token in secret ${namespace}/${secret} for service account ${namespace}/${account.name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token`;

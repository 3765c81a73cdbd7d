// Authorization of requests: attributes for the authorizer, and the 403 of a denial. Also the user and group names
// with a meaning of their own.
import { goQuote } from "../../apimachinery/go/strconv.ts";
import { nameIsDnsLabel, nameIsDnsSubdomain } from "../../apimachinery/meta/names.ts";
import { badRequest, failure, forbidden, StatusError } from "../../apimachinery/meta/status.ts";
import type { ApiRequest, ImpersonatedUser } from "../endpoints/api-request.ts";
import type { RequestInfo } from "../endpoints/request/request-info.ts";
import type {
  AccessAttributes,
  Authorizer,
  PolicyRule,
  ResourceAttributes,
  UserInfo,
} from "../registry/definition/request-context.ts";

/** Authorization attributes of a request, copied from the RequestInfo that is executed, never recomputed. */
export function attributesOf({ user, method, path }: ApiRequest, info: RequestInfo): AccessAttributes {
  if (!info.isResourceRequest) return { type: "path", user, verb: method.toLowerCase(), path };
  const { verb, group, version, resource, subresource, namespace, name } = info;
  return { type: "resource", user, verb, group, version, resource, subresource, namespace, name };
}

/** Throws 403 when the attributes are not allowed. */
export function authorize(authorizer: Authorizer, attributes: AccessAttributes): void {
  const { allowed, reason } = authorizer.authorize(attributes);
  if (!allowed) throw accessForbidden(attributes, reason);
}

/**
 * Throws 403 when an update creates an object that the user may not create. The message has only the authorizer's
 * reason, which RBAC mostly leaves empty.
 */
export function authorizeCreate(authorizer: Authorizer, attributes: ResourceAttributes): void {
  const { allowed, reason } = authorizer.authorize(attributes);
  if (!allowed) throw forbidden(attributes, attributes.name, reason);
}

export function accessForbidden(attributes: AccessAttributes, reason: string): StatusError {
  const text = escapeMarkup(describe(attributes));
  const why = reason === "" ? text : `${text}: ${reason}`;
  if (attributes.type === "resource") return forbidden(attributes, attributes.name, why);
  return failure({ code: 403, reason: "Forbidden", message: `forbidden: ${why}`, details: {} });
}

function describe(attributes: AccessAttributes): string {
  const who = `User ${goQuote(attributes.user.name)} cannot ${attributes.verb}`;
  if (attributes.type === "path") return `${who} path ${goQuote(attributes.path)}`;
  const { group, resource, subresource, namespace } = attributes;
  const what = goQuote(subresource === "" ? resource : `${resource}/${subresource}`);
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${goQuote(namespace)}`;
  return `${who} resource ${what} in API group ${goQuote(group)} ${where}`;
}

/** Escapes names from URLs: some clients render messages as HTML. */
export function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const ALLOWED = { allowed: true, reason: "" };
const NOTHING = { verbs: ["*"], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

/** Full permissions, as two rules. */
export const FULL_AUTHORITY: readonly PolicyRule[] = [
  { ...NOTHING, apiGroups: ["*"], resources: ["*"] },
  { ...NOTHING, nonResourceURLs: ["*"] },
];

export const alwaysAllow: Authorizer = {
  authorize: () => ALLOWED,
  rulesFor: () => ({ rules: FULL_AUTHORITY, error: undefined }),
};

export const RBAC_GROUP = "rbac.authorization.k8s.io";
export const ANONYMOUS_USER = "system:anonymous";
/** Members are allowed everything, whatever the rules grant. */
export const PRIVILEGED_GROUP = "system:masters";
export const AUTHENTICATED_GROUP = "system:authenticated";
export const UNAUTHENTICATED_GROUP = "system:unauthenticated";
export const NODES_GROUP = "system:nodes";

const ACCOUNT = /^system:serviceaccount:([^:]*):([^:]*)$/;

export function isPrivileged({ groups }: UserInfo): boolean {
  return groups.includes(PRIVILEGED_GROUP);
}

/** The ServiceAccount of a user name; undefined for other users. */
export function serviceAccountOf(userName: string): { namespace: string; name: string } | undefined {
  const [, namespace = "", name = ""] = ACCOUNT.exec(userName) ?? [];
  const valid = nameIsDnsLabel(namespace, false).length === 0 && nameIsDnsSubdomain(name, false).length === 0;
  return valid ? { namespace, name } : undefined;
}

/** The user name of a ServiceAccount. */
export const serviceAccountUser = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`;

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

const NODE_PREFIX = "system:node:";

/** The Node of a user name; undefined for other users. */
export function nodeOf(userName: string): string | undefined {
  if (!userName.startsWith(NODE_PREFIX)) return undefined;
  const name = userName.slice(NODE_PREFIX.length);
  return nameIsDnsSubdomain(name, false).length === 0 ? name : undefined;
}

// Impersonation (Impersonate-* headers). Each field that the headers name must be authorized. KEP-5284 defines
// several modes: constrained modes restrict impersonation to verbs on resources; the legacy verb "impersonate" has
// no such restriction. The first mode that allows all fields is used. If none does, the error is that of the first
// applicable mode.

/** Verb suffix of each mode, and the users to which it applies; undefined: the legacy verb. */
const MODES: readonly (readonly [word: string | undefined, suits: (wanted: ImpersonatedUser) => boolean])[] =
  [
    ["arbitrary-node", (wanted) => nameOnly(wanted) && nodeOf(wanted.name) !== undefined],
    ["serviceaccount", (wanted) => nameOnly(wanted) && serviceAccountOf(wanted.name) !== undefined],
    ["user-info", ({ name }) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined],
    [undefined, () => true],
  ];

/** The impersonated user. Throws 400 and 403. */
export function impersonate(
  authorizer: Authorizer,
  attributes: AccessAttributes,
  wanted: ImpersonatedUser,
): UserInfo {
  if (wanted.name === "") {
    throw badRequest(`requested ${describeWanted(wanted)} without impersonating a user name`);
  }
  let refusal: unknown;
  for (const [word, suits] of MODES) {
    if (!suits(wanted)) continue;
    try {
      return impersonateBy(word, authorizer, attributes, wanted);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}

/** Checks one mode for one request. */
function impersonateBy(
  mode: string | undefined,
  authorizer: Authorizer,
  attributes: AccessAttributes,
  { name, uid, groups, extra }: ImpersonatedUser,
): UserInfo {
  const verb = mode === undefined ? "impersonate" : `impersonate:${mode}`;
  // The API group of users, groups and accounts in rules: the legacy verb uses the core group.
  const people = mode === undefined ? "" : AUTHENTICATION;
  const base = { type: "resource", user: attributes.user, verb, version: "v1", subresource: "" } as const;
  const question = (resource: string, asked: string, namespace = "") => ({
    ...base,
    group: people,
    resource,
    name: asked,
    namespace,
  });
  const demand = (asked: AccessAttributes) => authorize(authorizer, asked);
  const refuse = (resource: string, asked: string, why: string) => {
    if (mode !== undefined) throw accessForbidden(question(resource, asked), `impersonating the ${why}`);
  };
  if (mode !== undefined) {
    demand({ ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}` });
  }
  const node = mode === undefined ? undefined : nodeOf(name);
  const account = serviceAccountOf(name);
  if (node !== undefined) demand(question("nodes", node));
  else if (account) demand(question("serviceaccounts", account.name, account.namespace));
  else demand(question("users", name));
  if (uid !== "") demand({ ...question("uids", uid), group: AUTHENTICATION });
  if (groups.includes("")) refuse("groups", "", "empty string group is not allowed");
  if (groups.includes(PRIVILEGED_GROUP))
    refuse("groups", PRIVILEGED_GROUP, `${PRIVILEGED_GROUP} group is not allowed`);
  for (const group of groups) demand(question("groups", group));
  for (const [key, values] of Object.entries(extra)) {
    if (values.includes("")) refuse("userextras", "", "empty string value in extra is not allowed");
    const asked = { group: AUTHENTICATION, subresource: key };
    for (const value of values) demand({ ...question("userextras", value), ...asked });
  }
  // The groups of Nodes and ServiceAccounts follow from their names.
  const ofAccount = account && groups.length === 0 ? serviceAccountGroups(account.namespace) : groups;
  return {
    name,
    ...(uid === "" ? {} : { uid }),
    groups: withStanding(name, node === undefined ? ofAccount : [NODES_GROUP]),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

const AUTHENTICATION = "authentication.k8s.io";

const nameOnly = ({ uid, groups, extra }: ImpersonatedUser): boolean =>
  uid === "" && groups.length === 0 && Object.keys(extra).length === 0;

/** Adds system:authenticated, or system:unauthenticated for the anonymous user, unless the groups contain one. */
function withStanding(name: string, groups: readonly string[]): readonly string[] {
  const group = name === ANONYMOUS_USER ? UNAUTHENTICATED_GROUP : AUTHENTICATED_GROUP;
  return groups.includes(group) || groups.includes(UNAUTHENTICATED_GROUP) ? groups : [...groups, group];
}

/** As Go prints the struct. */
function describeWanted({ uid, groups, extra }: ImpersonatedUser): string {
  const list = (texts: readonly string[]) => `[]string{${texts.map(goQuote).join(", ")}}`;
  const shownGroups = groups.length > 0 ? list(groups) : "[]string(nil)";
  const pairs = Object.entries(extra).map(([key, values]) => `${goQuote(key)}:${list(values)}`);
  const shownExtra =
    pairs.length > 0 ? `map[string][]string{${pairs.join(", ")}}` : "map[string][]string(nil)";
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${shownGroups}, Extra:${shownExtra}}`;
}

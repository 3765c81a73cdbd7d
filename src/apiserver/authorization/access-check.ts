// Whether a request may be answered: what it asks for, in the words of an authoriser, and the 403 that says no. And the
// names of users and groups that the server itself gives a meaning to.
import { goQuote } from "../../go/strconv.ts";
import { parseFieldSelector } from "../../meta/field-selector.ts";
import { nameIsDnsLabel, nameIsDnsSubdomain } from "../../meta/names.ts";
import { failure, forbidden, type StatusError } from "../../meta/status.ts";
import type {
  AccessAttributes,
  Authorizer,
  PolicyRule,
  ResourceAttributes,
  UserInfo,
} from "../../registry/definition/request-context.ts";
import type { ApiRequest } from "../api-request.ts";
import type { Query, RequestInfo } from "../request/request-info.ts";

export function attributesOf(request: ApiRequest, info: RequestInfo): AccessAttributes {
  const { user, method, path } = request;
  if (!info.isResourceRequest) return { type: "path", user, verb: method.toLowerCase(), path };
  const { group, version, resource, subresource } = info;
  const verb = info.watchPath ? "watch" : info.verb;
  return {
    type: "resource",
    user,
    verb,
    group,
    version,
    resource,
    subresource,
    namespace: namespaceOf(info),
    name: info.name || (verb === "list" || verb === "watch" ? selectedName(request.query) : ""),
  };
}

/** A Namespace counts as being in itself, so that its own admins may be let to it. */
function namespaceOf({ namespace, resource, name }: RequestInfo): string {
  return namespace === "" && resource === "namespaces" ? name : namespace;
}

/** A collection that is narrowed to one name is a question for that name: rules with resourceNames allow it. */
function selectedName(query: Query): string {
  const text = query.get("fieldSelector");
  if (!text.includes("metadata.name")) return "";
  try {
    const found = parseFieldSelector(text).find(
      ({ field, operator }) => field === "metadata.name" && operator === "=",
    );
    return found && isPathSegment(found.value) ? found.value : "";
  } catch {
    return ""; // it is refused later, by somebody who can say why
  }
}

const isPathSegment = (name: string): boolean => name !== "." && name !== ".." && !/[/%]/.test(name);

/** Throws 403 when the attributes are not allowed. */
export function demandAccess(authorizer: Authorizer, attributes: AccessAttributes): void {
  const { allowed, reason } = authorizer.authorize(attributes);
  if (!allowed) throw accessForbidden(attributes, reason);
}

/**
 * Throws 403 when somebody who was let to change an object may not make it. There is no more to read than the
 * authorizer's reason, and RBAC mostly gives none.
 */
export function demandCreate(authorizer: Authorizer, attributes: ResourceAttributes): void {
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

/** Names come out of URLs, and some clients show messages as HTML. */
function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const ALLOWED = { allowed: true, reason: "" };
const NOTHING = { verbs: ["*"], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

/** All there is, as two rules. */
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
/** May do everything, whatever the rules say. */
export const PRIVILEGED_GROUP = "system:masters";
export const AUTHENTICATED_GROUP = "system:authenticated";
export const UNAUTHENTICATED_GROUP = "system:unauthenticated";
export const NODES_GROUP = "system:nodes";

const ACCOUNT = /^system:serviceaccount:([^:]*):([^:]*)$/;

export function isPrivileged({ groups }: UserInfo): boolean {
  return groups.includes(PRIVILEGED_GROUP);
}

/** The ServiceAccount that a user name stands for. */
export function serviceAccountOf(userName: string): { namespace: string; name: string } | undefined {
  const [, namespace = "", name = ""] = ACCOUNT.exec(userName) ?? [];
  const valid = nameIsDnsLabel(namespace, false).length === 0 && nameIsDnsSubdomain(name, false).length === 0;
  return valid ? { namespace, name } : undefined;
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

const NODE_PREFIX = "system:node:";

/** The Node that a user name stands for. */
export function nodeOf(userName: string): string | undefined {
  if (!userName.startsWith(NODE_PREFIX)) return undefined;
  const name = userName.slice(NODE_PREFIX.length);
  return nameIsDnsSubdomain(name, false).length === 0 ? name : undefined;
}

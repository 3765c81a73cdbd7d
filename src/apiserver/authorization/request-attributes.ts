// What a request asks for, in the terms of access rules. It is made of the URL and the method alone: whether there is such
// a resource is none of its business, so that a user without rights does not learn it.
import { parseFieldSelector } from "../../meta/field-selector.ts";
import type { AccessAttributes } from "../../registry/definition/access.ts";
import type { ApiRequest } from "../api-request.ts";
import type { Query } from "../request/query.ts";
import type { RequestInfo } from "../request/request-info.ts";

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

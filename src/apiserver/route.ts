// Which resource a request means, and whether the kind answers it at all. Built-in and custom kinds refuse in
// different words, because in a real server two different servers speak.
import {
  badRequest,
  failure,
  methodNotSupported,
  notFound,
  pathNotFound,
  type StatusError,
} from "../meta/status.ts";
import type { ResourceDefinition, ResourceView, Verb } from "../registry/definition/resource-definition.ts";
import { hasSubresource, subresourceVerbs } from "../registry/definition/view.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import type { RequestInfo } from "./request/request-info.ts";

export type Route =
  | { readonly type: "resource"; readonly view: ResourceView }
  | { readonly type: "page-not-found" };

const PAGE_NOT_FOUND: Route = { type: "page-not-found" };

/** Finds the resource of a request. Throws 400, 404 and 405. */
export function findRoute(registry: ResourceRegistry, info: RequestInfo, method: string): Route {
  const view = registry.find(info.group, info.version, info.resource);
  if (view === undefined) {
    const group = registry.group(info.group);
    if (group === undefined || group.custom) return PAGE_NOT_FOUND;
    throw pathNotFound();
  }
  return view.definition.custom ? customRoute(view, info) : builtInRoute(view, info, method);
}

/** Whether the registry has the kind that a request names, and its subresource. */
export function isServed(registry: ResourceRegistry, info: RequestInfo): boolean {
  const view = registry.find(info.group, info.version, info.resource);
  if (view === undefined || info.deeper) return false;
  return info.subresource === "" || hasSubresource(view, info.subresource);
}

function customRoute(view: ResourceView, info: RequestInfo): Route {
  const { definition } = view;
  const acrossNamespaces = info.verb === "list" || info.verb === "watch";
  const wrongScope = definition.namespaceScoped
    ? info.namespace === "" && !acrossNamespaces
    : info.namespace !== "";
  if (wrongScope) return PAGE_NOT_FOUND;
  if (info.subresource !== "" && (info.deeper || !hasSubresource(view, info.subresource))) {
    throw notFound(definition, info.name);
  }
  const verbs: readonly string[] =
    info.subresource === "" ? [...definition.verbs] : subresourceVerbs(view, info.subresource);
  if (!verbs.includes(info.verb)) throw methodNotSupported(definition, info.verb);
  checkName(info);
  if (info.name === "" && (info.verb === "update" || info.verb === "patch"))
    throw badRequest("name must be provided");
  return { type: "resource", view };
}

function builtInRoute(view: ResourceView, info: RequestInfo, method: string): Route {
  const { definition } = view;
  if (info.deeper || (info.subresource !== "" && !hasSubresource(view, info.subresource)))
    throw pathNotFound();
  if (definition.namespaceScoped ? info.namespace === "" && info.name !== "" : info.namespace !== "")
    throw pathNotFound();
  const allowed =
    info.subresource === "" ? allowedOnPath(definition, info) : subresourceVerbs(view, info.subresource);
  if (allowed.length === 0 && info.subresource === "") throw pathNotFound();
  const verb: string = info.verb;
  if (method === "HEAD" || !allowed.includes(verb)) throw methodNotAllowed();
  checkName(info);
  return { type: "resource", view };
}

/** A path without a name is the collection; without its namespace too it can only be read. */
function allowedOnPath(definition: ResourceDefinition, info: RequestInfo): readonly string[] {
  const onObject: readonly Verb[] = ["get", "update", "patch", "delete"];
  const onCollection: readonly Verb[] = ["list", "watch", "create", "deletecollection"];
  const acrossNamespaces = definition.namespaceScoped && info.namespace === "";
  const possible: readonly Verb[] = info.watchPath
    ? ["watch"]
    : info.name !== ""
      ? onObject
      : acrossNamespaces
        ? ["list", "watch"]
        : onCollection;
  return possible.filter((verb) => definition.verbs.includes(verb));
}

function methodNotAllowed(): StatusError {
  const message = "the server does not allow this method on the requested resource";
  return failure({ code: 405, reason: "MethodNotAllowed", message, details: {} });
}

/** Names that no path can hold. */
function checkName({ name }: RequestInfo): void {
  const complaint =
    name === "." || name === ".."
      ? `may not be '${name}'`
      : name.includes("%")
        ? "may not contain '%'"
        : undefined;
  if (complaint) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${complaint}`);
}

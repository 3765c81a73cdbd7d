// Routing: the resource of a request, whether its kind supports the verb, and the handler. Error messages differ
// between built-in and custom kinds, because different servers serve them upstream.
import { isPathSegmentName } from "../../apimachinery/meta/names.ts";
import { badRequest, methodNotSupported, notFound, pathNotFound } from "../../apimachinery/meta/status.ts";
import type { ResourceDefinition, ResourceView } from "../registry/definition/resource-definition.ts";
import { actionOf, connectionOf, hasSubresource, subresourceVerbs } from "../registry/definition/view.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import { type ApiResponse, methodNotAllowed } from "./api-request.ts";
import type { RequestInfo, RequestVerb } from "./request/request-info.ts";
import type { RequestScope } from "./request-scope.ts";
import { getObservedVerb, listObservedVerb } from "./verbs/observed.ts";
import { deleteCollectionVerb, deleteVerb, getVerb, listVerb } from "./verbs/read-delete.ts";
import { watchVerb } from "./verbs/watch.ts";
import {
  actionVerb,
  createVerb,
  getScaleVerb,
  patchScaleVerb,
  patchVerb,
  reviewVerb,
  updateScaleVerb,
  updateVerb,
} from "./verbs/write.ts";

/** Finds the resource of a request; undefined for an unknown path. Throws 400, 404 and 405. */
export function findRoute(
  registry: ResourceRegistry,
  info: RequestInfo,
  method: string,
): ResourceView | undefined {
  const view = registry.find(info.group, info.version, info.resource);
  if (view === undefined) {
    const group = registry.group(info.group);
    if (group === undefined || group.custom) return undefined;
    throw pathNotFound();
  }
  return view.definition.custom ? customRoute(view, info) : builtInRoute(view, info, method);
}

/** Whether the registry has the kind that a request names, and its subresource. */
export function isServed(registry: ResourceRegistry, info: RequestInfo): boolean {
  const view = registry.find(info.group, info.version, info.resource);
  if (view === undefined) return false;
  if (info.deeper && !view.definition.custom && !hasPathsBelow(view, info.subresource)) return false;
  return info.subresource === "" || hasSubresource(view, info.subresource);
}

function customRoute(view: ResourceView, info: RequestInfo): ResourceView | undefined {
  const { definition } = view;
  const acrossNamespaces = info.verb === "list" || info.verb === "watch";
  const wrongScope = definition.namespaceScoped
    ? info.namespace === "" && !acrossNamespaces
    : info.namespace !== "";
  if (wrongScope) return undefined;
  if (info.subresource !== "" && !hasSubresource(view, info.subresource)) {
    throw notFound(definition, info.name);
  }
  const verbs: readonly string[] =
    info.subresource === "" ? [...definition.verbs] : subresourceVerbs(view, info.subresource);
  if (!verbs.includes(info.verb)) throw methodNotSupported(definition, info.verb);
  checkName(info);
  if (info.name === "" && (info.verb === "update" || info.verb === "patch")) throw badRequest(NO_NAME);
  return view;
}

function builtInRoute(view: ResourceView, info: RequestInfo, method: string): ResourceView {
  const { definition } = view;
  const isProxy = hasPathsBelow(view, info.subresource);
  if ((info.deeper && !isProxy) || info.verb === "proxy") throw pathNotFound();
  if (info.subresource !== "" && (info.verbInPath || !hasSubresource(view, info.subresource)))
    throw pathNotFound();
  if (definition.namespaceScoped ? !info.inNamespace && !info.isCollection : info.inNamespace)
    throw pathNotFound();
  const allowed =
    info.subresource === "" ? allowedOnPath(definition, info) : subresourceVerbs(view, info.subresource);
  if (allowed.length === 0 && info.subresource === "") throw pathNotFound();
  const isAllowed = allowed.includes(routedVerb(info, method)) || (isProxy && method === "OPTIONS");
  const isRouted = isProxy || (info.verbInPath ? method === "GET" : method !== "HEAD");
  if (!isAllowed || !isRouted) throw methodNotAllowed();
  checkName(info);
  if (info.isCollection && info.subresource !== "") throw badRequest(NO_NAME);
  const needsNamespace = !info.isCollection || info.verb === "deletecollection";
  if (needsNamespace && info.inNamespace && info.namespace === "" && info.verb !== "watch")
    throw badRequest("Namespace parameter required.");
  return view;
}

const NO_NAME = "name must be provided";

/** The upstream router knows only methods and paths: it routes a GET below an empty name to get, not list. */
function routedVerb({ verb, isCollection, subresource }: RequestInfo, method: string): string {
  return isCollection && subresource !== "" && method === "GET" ? "get" : verb;
}

/** A proxy accepts any path and any method. */
const hasPathsBelow = (view: ResourceView, subresource: string): boolean =>
  subresource === "proxy" && connectionOf(view, subresource) !== undefined;

/** Verbs on a path without a name: those of the collection. Without the namespace too, it is read-only. */
function allowedOnPath(definition: ResourceDefinition, info: RequestInfo): readonly string[] {
  const onCollection = ["list", "watch", "create", "deletecollection"];
  const acrossNamespaces = definition.namespaceScoped && !info.inNamespace;
  const onPath = acrossNamespaces ? onCollection.slice(0, 2) : onCollection;
  const possible = info.isCollection ? onPath : ["get", "update", "patch", "delete"];
  return definition.verbs.filter((verb) => (info.verbInPath ? verb === "watch" : possible.includes(verb)));
}

/** Throws 400 for names that no path can have. */
function checkName({ name }: RequestInfo): void {
  const [complaint] = isPathSegmentName(name, false);
  if (complaint) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${complaint}`);
}

type Answer = (exchange: RequestScope) => ApiResponse | Promise<ApiResponse>;

const VERBS: Readonly<Record<Exclude<RequestVerb, "" | "proxy">, Answer>> = {
  get: getVerb,
  list: listVerb,
  watch: watchVerb,
  create: createVerb,
  update: updateVerb,
  patch: patchVerb,
  delete: deleteVerb,
  deletecollection: deleteCollectionVerb,
};

/** /scale returns another kind than its object. */
const SCALE_VERBS: Readonly<Partial<Record<RequestVerb, Answer>>> = {
  get: getScaleVerb,
  update: updateScaleVerb,
  patch: patchScaleVerb,
};

/** Verbs of virtual resources, of which nothing is stored. */
const OBSERVED_VERBS: Readonly<Partial<Record<RequestVerb, Answer>>> = {
  get: getObservedVerb,
  list: listObservedVerb,
};

/** The handler of the authorized verb; undefined for methods without one. */
export function verbOf({ verb, subresource }: RequestInfo, view: ResourceView): Answer | undefined {
  if (verb === "" || verb === "proxy") return undefined;
  if (subresource === "scale") return SCALE_VERBS[verb];
  if (verb === "create" && actionOf(view, subresource) !== undefined) return actionVerb;
  if (view.definition.observe !== undefined) return OBSERVED_VERBS[verb];
  return verb === "create" && view.definition.review !== undefined ? reviewVerb : VERBS[verb];
}

// Which resource a request means, whether the kind answers it at all, and what answers then. Built-in and custom kinds
// refuse in different words, because in a real server two different servers speak.
import { badRequest, methodNotSupported, notFound, pathNotFound } from "../meta/status.ts";
import type { ResourceDefinition, ResourceView } from "../registry/definition/resource-definition.ts";
import { actionOf, connectionOf, hasSubresource, subresourceVerbs } from "../registry/definition/view.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import { type ApiResponse, methodNotAllowed } from "./api-request.ts";
import type { Exchange } from "./exchange.ts";
import type { RequestInfo, RequestVerb } from "./request/request-info.ts";
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

/** Finds the resource of a request; undefined: the page is not known. Throws 400, 404 and 405. */
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
  if (view === undefined || (info.deeper && !hasPathsBelow(view, info.subresource))) return false;
  return info.subresource === "" || hasSubresource(view, info.subresource);
}

function customRoute(view: ResourceView, info: RequestInfo): ResourceView | undefined {
  const { definition } = view;
  const acrossNamespaces = info.verb === "list" || info.verb === "watch";
  const wrongScope = definition.namespaceScoped
    ? info.namespace === "" && !acrossNamespaces
    : info.namespace !== "";
  if (wrongScope) return undefined;
  if (info.subresource !== "" && (info.deeper || !hasSubresource(view, info.subresource))) {
    throw notFound(definition, info.name);
  }
  const verbs: readonly string[] =
    info.subresource === "" ? [...definition.verbs] : subresourceVerbs(view, info.subresource);
  if (!verbs.includes(info.verb)) throw methodNotSupported(definition, info.verb);
  checkName(info);
  if (info.name === "" && (info.verb === "update" || info.verb === "patch"))
    throw badRequest("name must be provided");
  return view;
}

function builtInRoute(view: ResourceView, info: RequestInfo, method: string): ResourceView {
  const { definition } = view;
  if (info.deeper && !hasPathsBelow(view, info.subresource)) throw pathNotFound();
  if (info.subresource !== "" && !hasSubresource(view, info.subresource)) throw pathNotFound();
  if (definition.namespaceScoped ? info.namespace === "" && info.name !== "" : info.namespace !== "")
    throw pathNotFound();
  const allowed =
    info.subresource === "" ? allowedOnPath(definition, info) : subresourceVerbs(view, info.subresource);
  if (allowed.length === 0 && info.subresource === "") throw pathNotFound();
  const verb: string = info.verb;
  const isProxy = hasPathsBelow(view, info.subresource);
  const isAllowed = allowed.includes(verb) || (isProxy && method === "OPTIONS");
  if (!isAllowed || (method === "HEAD" && !isProxy)) throw methodNotAllowed();
  checkName(info);
  return view;
}

/** A proxy leads to any path by any method. */
const hasPathsBelow = (view: ResourceView, subresource: string): boolean =>
  subresource === "proxy" && connectionOf(view, subresource) !== undefined;

/** A path without a name is the collection; without its namespace too it can only be read. */
function allowedOnPath(definition: ResourceDefinition, info: RequestInfo): readonly string[] {
  const onCollection = ["list", "watch", "create", "deletecollection"];
  const acrossNamespaces = definition.namespaceScoped && info.namespace === "";
  const onPath = acrossNamespaces ? onCollection.slice(0, 2) : onCollection;
  const possible = info.name === "" ? onPath : ["get", "update", "patch", "delete"];
  return definition.verbs.filter((verb) => (info.watchPath ? verb === "watch" : possible.includes(verb)));
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

type Answer = (exchange: Exchange) => ApiResponse | Promise<ApiResponse>;

const VERBS: Readonly<Record<Exclude<RequestVerb, "">, Answer>> = {
  get: getVerb,
  list: listVerb,
  watch: watchVerb,
  create: createVerb,
  update: updateVerb,
  patch: patchVerb,
  delete: deleteVerb,
  deletecollection: deleteCollectionVerb,
};

/** /scale shows another kind than that of its object. */
const SCALE_VERBS: Readonly<Partial<Record<RequestVerb, Answer>>> = {
  get: getScaleVerb,
  update: updateScaleVerb,
  patch: patchScaleVerb,
};

/** Nothing of such a kind is stored. */
const OBSERVED_VERBS: Readonly<Partial<Record<RequestVerb, Answer>>> = {
  get: getObservedVerb,
  list: listObservedVerb,
};

/** What answers a request; undefined for methods that mean nothing. */
export function verbOf({ verb, subresource }: RequestInfo, view: ResourceView): Answer | undefined {
  if (verb === "") return undefined;
  if (subresource === "scale") return SCALE_VERBS[verb];
  if (verb === "create" && actionOf(view, subresource) !== undefined) return actionVerb;
  if (view.definition.observe !== undefined) return OBSERVED_VERBS[verb];
  return verb === "create" && view.definition.review !== undefined ? reviewVerb : VERBS[verb];
}

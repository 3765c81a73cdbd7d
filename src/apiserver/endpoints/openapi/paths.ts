// The paths and operations of the API, with the structure of a kube-apiserver: discovery, /version, and those of
// each served resource.
import { append } from "../../../apimachinery/meta/lists.ts";
import type { ResourceView, SubresourceDefinition } from "../../registry/definition/resource-definition.ts";
import { JSON_TYPE } from "../api-request.ts";
import { basePath, type GroupIndex, type VersionEntry } from "../discovery/group-index.ts";
import { subresourcesOf } from "../discovery/resources.ts";
import { CONFIGURATION_PATH, KEY_SET_PATH, KEY_SET_TYPE } from "../issuer-discovery.ts";
import { STREAMS } from "../request/negotiation.ts";
import { connectionPaths } from "./connections.ts";
import {
  ALL_MEDIA,
  CUSTOM_READ_PARAMETERS,
  capitalizeWord,
  DELETE_COLLECTION_PARAMETERS,
  DELETE_OPTIONS_SCHEMA,
  DELETE_PARAMETERS,
  everywhere,
  LIST_PARAMETERS,
  META,
  type Method,
  type Operation,
  operation,
  operationTag,
  PATCH_PARAMETERS,
  PATCH_SCHEMA,
  type Parameter,
  type PathItem,
  referencedName,
  type Scope,
  STATUS_SCHEMA,
  scopeOf,
  TEXT_SCHEMA,
  WATCH_EVENT_SCHEMA,
  WRITE_PARAMETERS,
  withName,
} from "./operation.ts";

/** A read-only path without parameters. */
function reading(path: string, tag: string, id: string, schema: string, description: string): PathItem {
  const media = { consumes: ALL_MEDIA, produces: ALL_MEDIA };
  const responses = { 200: schema };
  return { path, operations: [{ method: "get", id, tag, description, parameters: [], ...media, responses }] };
}

const INFO = "io.k8s.apimachinery.pkg.version.Info";
const JSON_ONLY = { consumes: [JSON_TYPE], produces: [JSON_TYPE] };

/** Issuer discovery: a text response in one media type, without parameters. */
const issuerPath = (path: string, tag: string, id: string, type: string, description: string): PathItem => {
  const media = { consumes: [], produces: [type] };
  const responses = { 200: TEXT_SCHEMA };
  return { path, operations: [{ method: "get", id, tag, description, parameters: [], ...media, responses }] };
};

/** Paths of discovery above the group versions, of issuer discovery, and /version. */
export function protocolPaths({ groups }: GroupIndex): readonly PathItem[] {
  const version = reading("/version/", "version", "getCodeVersion", INFO, "Tell the version of the server.");
  const named = [...groups.values()].filter(({ custom, name }) => !custom && name !== "");
  return [
    issuerPath(
      `${CONFIGURATION_PATH}/`,
      "WellKnown",
      "getServiceAccountIssuerOpenIDConfiguration",
      JSON_TYPE,
      "Read the OpenID configuration of the issuer of service account tokens.",
    ),
    issuerPath(
      `${KEY_SET_PATH}/`,
      "openid",
      "getServiceAccountIssuerOpenIDKeyset",
      KEY_SET_TYPE,
      "Read the public keys of service account tokens as a JSON Web Key Set.",
    ),
    reading(
      "/api/",
      "core",
      "getCoreAPIVersions",
      `${META}.APIVersions`,
      "List the versions of the core group.",
    ),
    reading("/apis/", "apis", "getAPIVersions", `${META}.APIGroupList`, "List all named groups."),
    { ...version, operations: version.operations.map((item) => ({ ...item, ...JSON_ONLY })) },
    ...named.map(({ name }) => {
      const tag = operationTag(name);
      const id = `get${capitalizeWord(tag)}APIGroup`;
      return reading(`/apis/${name}/`, tag, id, `${META}.APIGroup`, `Describe the group ${name}.`);
    }),
  ];
}

/** The sources of a version's document. Those of custom resources lack the resource list. */
export function versionSources(entry: VersionEntry): readonly (PathItem | ResourceView)[] {
  if (entry.custom) return entry.views;
  const tag = operationTag(entry.group, entry.version);
  const id = `get${tag.split("_").map(capitalizeWord).join("")}APIResources`;
  const schema = `${META}.APIResourceList`;
  return [
    reading(`${basePath(entry)}/`, tag, id, schema, "List the resources of this version."),
    ...entry.views,
  ];
}

export function resourcePaths(view: ResourceView): readonly PathItem[] {
  const { namespaceScoped, resource, verbs, custom, group } = view.definition;
  const scope = scopeOf(view);
  const base = basePath({ group, version: view.version.name });
  const collection = `${namespaceScoped ? "/namespaces/{namespace}" : ""}/${resource}`;
  const item = `${base}${collection}/{name}`;
  const items: PathItem[] = [
    { path: base + collection, operations: collectionOperations(scope) },
    { path: item, operations: itemOperations(scope) },
    ...subresourcesOf(view).flatMap((subresource) =>
      subresource.connect
        ? connectionPaths(scope, item, subresource)
        : { path: `${item}/${subresource.name}`, operations: subresourceOperations(scope, subresource) },
    ),
  ];
  if (namespaceScoped && verbs.includes("list"))
    items.push({ path: `${base}/${resource}`, operations: [listOperation(everywhere(scope), IN_ALL)] });
  if (!custom && verbs.includes("watch")) append(items, watchPaths(scope, base, collection));
  return items.filter(({ operations }) => operations.length > 0);
}

const IN_ALL = { prefix: "", suffix: "ForAllNamespaces", where: " in all namespaces" };

function collectionOperations(scope: Scope): readonly Operation[] {
  const { scopeWord, schema, view } = scope;
  const { kind, custom, verbs } = view.definition;
  const out: Operation[] = [];
  if (verbs.includes("list")) out.push(listOperation(scope, { prefix: scopeWord, suffix: "", where: "" }));
  if (verbs.includes("create")) out.push(objectOperation(scope, "create", schema, scopeWord + kind));
  if (verbs.includes("deletecollection")) {
    out.push(
      operation(scope, {
        method: "delete",
        action: "deletecollection",
        id: ["delete", `Collection${scopeWord}${kind}`],
        description: `Delete all matching objects of kind ${kind}.`,
        parameters: custom ? LIST_PARAMETERS : DELETE_COLLECTION_PARAMETERS,
        responses: { 200: STATUS_SCHEMA },
        body: custom ? undefined : { schema: DELETE_OPTIONS_SCHEMA, required: false },
      }),
    );
  }
  return out;
}

/** Lists and watches of built-in kinds also support streaming media types. */
const streamsOf = ({ view }: Scope) =>
  view.definition.custom ? {} : { produces: [...ALL_MEDIA, ...STREAMS] };

function listOperation(scope: Scope, { prefix, suffix, where }: typeof IN_ALL): Operation {
  const { kind } = scope.view.definition;
  return operation(scope, {
    method: "get",
    action: "list",
    id: ["list", prefix + kind + suffix],
    description: `List or watch objects of kind ${kind}${where}.`,
    parameters: LIST_PARAMETERS,
    responses: { 200: scope.listSchema },
    ...streamsOf(scope),
  });
}

/** Deprecated watch paths below /watch/, which are still described for built-in kinds. */
function watchPaths(scope: Scope, base: string, collection: string): readonly PathItem[] {
  const { kind, namespaceScoped, resource } = scope.view.definition;
  const watch = (path: string, from: Scope, action: string, rest: string, what: string): PathItem => {
    const described = operation(from, {
      method: "get",
      action,
      id: ["watch", rest],
      description: `Watch ${what}. Deprecated: use the watch parameter of a list instead.`,
      parameters: LIST_PARAMETERS,
      responses: { 200: WATCH_EVENT_SCHEMA },
      ...streamsOf(from),
    });
    return { path: `${base}/watch${path}`, operations: [described] };
  };
  const many = `objects of kind ${kind}`;
  const rest = scope.scopeWord + kind;
  const items = [
    watch(collection, scope, "watchlist", `${rest}List`, many),
    watch(`${collection}/{name}`, withName(scope), "watch", rest, `one object of kind ${kind}`),
  ];
  if (!namespaceScoped) return items;
  const all = `${kind}ListForAllNamespaces`;
  return [...items, watch(`/${resource}`, everywhere(scope), "watchlist", all, `${many}${IN_ALL.where}`)];
}

/** Verbs of one object or subresource: method, first word of the id, parameters, success codes. */
const OBJECT_VERBS: ReadonlyMap<string, readonly [Method, string, readonly Parameter[], readonly number[]]> =
  new Map([
    ["get", ["get", "read", [], [200]]],
    ["update", ["put", "replace", WRITE_PARAMETERS, [200, 201]]],
    ["patch", ["patch", "patch", PATCH_PARAMETERS, [200, 201]]],
    ["delete", ["delete", "delete", DELETE_PARAMETERS, [200, 202]]],
    ["create", ["post", "create", WRITE_PARAMETERS, [200, 201, 202]]],
  ]);

const JSON_PATCHES = ["application/json-patch+json", "application/merge-patch+json"];
const STRATEGIC_PATCH = "application/strategic-merge-patch+json";
const APPLY_PATCH = "application/apply-patch+yaml";

function itemOperations(scope: Scope): readonly Operation[] {
  const { kind, verbs } = scope.view.definition;
  const named = withName(scope);
  return ["get", "update", "patch", "delete"]
    .filter((verb) => verbs.some((served) => served === verb))
    .map((verb) => objectOperation(named, verb, scope.schema, scope.scopeWord + kind));
}

/** A subresource without a schema is served, but not described. */
function subresourceOperations(scope: Scope, subresource: SubresourceDefinition): readonly Operation[] {
  const { definition } = scope.view;
  const schema = subresource.name === "status" ? scope.schema : referencedName(subresource.schema);
  if (schema === undefined) return [];
  // On /scale a custom resource keeps its own kind; a built-in one has the kind that is exchanged.
  const { group = scope.kind.group, version = scope.kind.version, kind = scope.kind.kind } = subresource;
  const exchanged = definition.custom ? scope.kind : { group, version, kind };
  const named = withName(scope);
  const rest = scope.scopeWord + definition.kind + capitalizeWord(subresource.name);
  return subresource.verbs
    .filter((verb) => OBJECT_VERBS.has(verb) && verb !== "delete")
    .map((verb) => ({ ...objectOperation(named, verb, schema, rest), kind: exchanged }));
}

function objectOperation(scope: Scope, verb: string, schema: string, rest: string): Operation {
  const { kind, custom, returnsDeletedObject } = scope.view.definition;
  const [method, word, parameters, codes] = OBJECT_VERBS.get(verb) ?? (["get", "read", [], []] as const);
  const answer = method === "delete" && !returnsDeletedObject ? STATUS_SCHEMA : schema;
  const exchanged = schema.slice(schema.lastIndexOf(".") + 1);
  const object = `one object of kind ${kind}`;
  const strategic = custom ? [] : [STRATEGIC_PATCH];
  return operation(scope, {
    method,
    action: method,
    id: [word, rest],
    description: `${capitalizeWord(word)} ${exchanged === kind ? object : `the ${exchanged} of ${object}`}.`,
    parameters: custom && method === "get" ? CUSTOM_READ_PARAMETERS : parameters,
    body: bodyOf(method, schema),
    responses: Object.fromEntries(
      (custom && method === "patch" ? [200] : codes).map((code) => [code, answer]),
    ),
    ...(method === "patch" ? { consumes: [...JSON_PATCHES, ...strategic, APPLY_PATCH] } : {}),
  });
}

function bodyOf(method: Method, schema: string): Operation["body"] {
  switch (method) {
    case "get":
      return undefined;
    case "patch":
      return { schema: PATCH_SCHEMA, required: true };
    case "delete":
      return { schema: DELETE_OPTIONS_SCHEMA, required: false };
    default:
      return { schema, required: true };
  }
}

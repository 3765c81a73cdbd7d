// The paths and operations of one served resource, as a Kubernetes API server describes them.
import { append } from "../../../meta/lists.ts";
import type {
  ResourceView,
  SubresourceDefinition,
} from "../../../registry/definition/resource-definition.ts";
import { basePath, type VersionEntry } from "../../discovery/group-index.ts";
import { subresourcesOf } from "../../discovery/subresources.ts";
import { capitalizeWord, referencedName } from "../names.ts";
import {
  APPLY_PATCH,
  DELETE_OPTIONS_SCHEMA,
  everywhere,
  JSON_PATCH,
  MERGE_PATCH,
  type OperationParts,
  operation,
  PATCH_SCHEMA,
  type Scope,
  STATUS_SCHEMA,
  STRATEGIC_PATCH,
  scopeOf,
  withName,
  withStreams,
} from "../resource-scope.ts";
import { resourcesPath } from "./discovery-paths.ts";
import type { Method, Operation, PathItem } from "./operation.ts";
import {
  CUSTOM_READ_PARAMETERS,
  DELETE_COLLECTION_PARAMETERS,
  DELETE_PARAMETERS,
  LIST_PARAMETERS,
  PATCH_PARAMETERS,
  WRITE_PARAMETERS,
} from "./parameters.ts";
import { watchPaths } from "./watch-paths.ts";

export function resourcePaths(view: ResourceView): readonly PathItem[] {
  const { definition } = view;
  const { namespaceScoped, resource } = definition;
  const scope = scopeOf(view);
  const collection = `${namespaceScoped ? "/namespaces/{namespace}" : ""}/${resource}`;
  const items: PathItem[] = [
    { path: scope.base + collection, operations: collectionOperations(scope) },
    { path: `${scope.base}${collection}/{name}`, operations: itemOperations(scope) },
    ...subresourcesOf(view).map((subresource) => ({
      path: `${scope.base}${collection}/{name}/${subresource.name}`,
      operations: subresourceOperations(scope, subresource),
    })),
  ];
  if (namespaceScoped && scope.verbs.has("list"))
    items.push({ path: `${scope.base}/${resource}`, operations: [listAllNamespaces(scope)] });
  if (!definition.custom && scope.verbs.has("watch")) append(items, watchPaths(scope, collection));
  return items.filter((item) => item.operations.length > 0);
}

function collectionOperations(scope: Scope): readonly Operation[] {
  const { verbs, scopeWord, schema, listSchema, view } = scope;
  const { kind, custom } = view.definition;
  const out: Operation[] = [];
  if (verbs.has("list")) {
    out.push(
      operation(scope, {
        method: "get",
        action: "list",
        id: ["list", scopeWord + kind],
        description: `List or watch objects of kind ${kind}.`,
        parameters: LIST_PARAMETERS,
        responses: { 200: listSchema },
        ...withStreams(scope),
      }),
    );
  }
  if (verbs.has("create")) out.push(createOperation(scope, schema, scopeWord + kind));
  if (verbs.has("deletecollection")) {
    out.push(
      operation(scope, {
        method: "delete",
        action: "deletecollection",
        id: ["delete", `Collection${scopeWord}${kind}`],
        description: `Delete all matching objects of kind ${kind}.`,
        parameters: custom ? LIST_PARAMETERS : DELETE_COLLECTION_PARAMETERS,
        responses: { 200: STATUS_SCHEMA },
        ...(custom ? {} : { body: { schema: DELETE_OPTIONS_SCHEMA, required: false } }),
      }),
    );
  }
  return out;
}

function createOperation(scope: Scope, schema: string, rest: string): Operation {
  return operation(scope, {
    method: "post",
    action: "post",
    id: ["create", rest],
    description: `Create ${describe(scope, schema)}.`,
    parameters: WRITE_PARAMETERS,
    body: { schema, required: true },
    responses: { 200: schema, 201: schema, 202: schema },
  });
}

function itemOperations(scope: Scope): readonly Operation[] {
  const { verbs, scopeWord, schema, view } = scope;
  const { kind } = view.definition;
  const named = withName(scope);
  const out = objectOperations(named, verbs, schema, scopeWord + kind);
  if (verbs.has("delete")) {
    const answer = view.definition.returnsDeletedObject ? schema : STATUS_SCHEMA;
    out.push(
      operation(named, {
        method: "delete",
        action: "delete",
        id: ["delete", scopeWord + kind],
        description: `Delete ${describe(scope, schema)}.`,
        parameters: DELETE_PARAMETERS,
        body: { schema: DELETE_OPTIONS_SCHEMA, required: false },
        responses: { 200: answer, 202: answer },
      }),
    );
  }
  return out;
}

/** A subresource without a schema is served, but not described. */
function subresourceOperations(scope: Scope, subresource: SubresourceDefinition): readonly Operation[] {
  const { definition } = scope.view;
  const isStatus = subresource.name === "status";
  const schema = isStatus ? scope.schema : referencedName(subresource.schema);
  if (schema === undefined) return [];
  // A custom resource keeps its own kind on /scale, a built-in one names the kind that is exchanged there.
  const kind = definition.custom
    ? scope.kind
    : {
        group: subresource.group ?? scope.kind.group,
        version: subresource.version ?? scope.kind.version,
        kind: subresource.kind ?? scope.kind.kind,
      };
  const named = withName(scope);
  const rest = scope.scopeWord + definition.kind + capitalizeWord(subresource.name);
  const verbs = new Set(subresource.verbs);
  const out = objectOperations(named, verbs, schema, rest);
  if (verbs.has("create")) out.push(createOperation(named, schema, rest));
  return out.map((item) => ({ ...item, kind }));
}

/** get, put and patch of one object or subresource. */
function objectOperations(
  scope: Scope,
  verbs: ReadonlySet<string>,
  schema: string,
  rest: string,
): Operation[] {
  const { custom } = scope.view.definition;
  const out: Operation[] = [];
  const add = (
    method: Method,
    verb: string,
    parts: Pick<OperationParts, "parameters" | "responses" | "body">,
  ) =>
    out.push(
      operation(scope, {
        method,
        action: method,
        id: [verb, rest],
        description: `${capitalizeWord(verb)} ${describe(scope, schema)}.`,
        ...(method === "patch"
          ? { consumes: [JSON_PATCH, MERGE_PATCH, ...(custom ? [] : [STRATEGIC_PATCH]), APPLY_PATCH] }
          : {}),
        ...parts,
      }),
    );
  if (verbs.has("get"))
    add("get", "read", { parameters: custom ? CUSTOM_READ_PARAMETERS : [], responses: { 200: schema } });
  if (verbs.has("update")) {
    const body = { schema, required: true };
    add("put", "replace", { parameters: WRITE_PARAMETERS, responses: { 200: schema, 201: schema }, body });
  }
  if (verbs.has("patch")) {
    const body = { schema: PATCH_SCHEMA, required: true };
    const responses = custom ? { 200: schema } : { 200: schema, 201: schema };
    add("patch", "patch", { parameters: PATCH_PARAMETERS, responses, body });
  }
  return out;
}

function describe({ view }: Scope, schema: string): string {
  const { kind } = view.definition;
  const exchanged = schema.slice(schema.lastIndexOf(".") + 1);
  return exchanged === kind ? `one object of kind ${kind}` : `the ${exchanged} of one object of kind ${kind}`;
}

function listAllNamespaces(scope: Scope): Operation {
  const { kind } = scope.view.definition;
  return operation(everywhere(scope), {
    method: "get",
    action: "list",
    id: ["list", `${kind}ForAllNamespaces`],
    description: `List or watch objects of kind ${kind} in all namespaces.`,
    parameters: LIST_PARAMETERS,
    responses: { 200: scope.listSchema },
    ...withStreams(scope),
  });
}

/** Those of custom resources lack the list of resources. */
export function versionPaths(entry: VersionEntry): readonly PathItem[] {
  const own = entry.custom ? [] : [resourcesPath(basePath(entry), entry.group, entry.version)];
  return [...own, ...entry.views.flatMap(resourcePaths)];
}

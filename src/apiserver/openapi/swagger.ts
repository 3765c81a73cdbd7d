// The whole API as one Swagger 2.0 document (/openapi/v2), for clients from before OpenAPI 3.0.

import { pauseForOthers } from "../../meta/clock.ts";
import type { JsonObject } from "../../meta/json.ts";
import { lookupTable } from "../../meta/json.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { JsonSchema } from "../../schema/schema-node.ts";
import type { GroupIndex } from "../discovery/group-index.ts";
import { API_VERSION } from "../discovery/version-info.ts";
import { BEARER_TOKEN, describePaths, namesUsedBy, reachableSchemas } from "./document.ts";
import { CORE_VERSIONS_PATH, GROUPS_PATH, groupPath, VERSION_PATH } from "./paths/discovery-paths.ts";
import {
  METHODS,
  type Operation,
  type PathItem,
  RESPONSE_DESCRIPTION,
  splitParameters,
} from "./paths/operation.ts";
import type { Parameter } from "./paths/parameters.ts";
import { versionPaths } from "./paths/resource-paths.ts";
import { DELETE_OPTIONS_SCHEMA, PATCH_SCHEMA, schemaNames } from "./resource-scope.ts";
import { type DefinitionByRef, schemaSource } from "./schema-source.ts";
import { allSharedKinds } from "./shared-kinds.ts";
import { toSwaggerCustomSchema, toSwaggerSchema } from "./swagger-schema.ts";

/** Others have their turn meanwhile. */
export async function swaggerDocument(
  index: GroupIndex,
  definitionByRef: DefinitionByRef,
): Promise<JsonObject> {
  const items = allPaths(index);
  const views = [...index.groups.values()].flatMap((group) => group.versions.flatMap((entry) => entry.views));
  const schemas = schemaSource(views, definitionByRef, allSharedKinds);
  const shared = new Map<string, JsonObject>();
  const paths = await describePaths(items, (item) => pathItem(item, shared));
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: API_VERSION },
    paths,
    definitions: await definitions(await reachableSchemas(namesUsedBy(items), schemas), views),
    parameters: Object.fromEntries(shared),
    securityDefinitions: { BearerToken: BEARER_TOKEN },
    security: [{ BearerToken: [] }],
  };
}

function allPaths(index: GroupIndex): readonly PathItem[] {
  const groups = [...index.groups.values()];
  const named = groups.filter((group) => !group.custom && group.name !== "");
  return [
    CORE_VERSIONS_PATH,
    GROUPS_PATH,
    VERSION_PATH,
    ...named.map((group) => groupPath(group.name)),
    ...groups.flatMap((group) => group.versions.flatMap(versionPaths)),
  ];
}

async function definitions(
  schemas: Record<string, JsonSchema>,
  views: readonly ResourceView[],
): Promise<Record<string, JsonSchema>> {
  const custom = new Set(
    views.filter((view) => view.definition.custom).map((view) => schemaNames(view).kind),
  );
  const defined: [string, JsonSchema][] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    const pause = pauseForOthers();
    if (pause !== undefined) await pause;
    defined.push([name, custom.has(name) ? toSwaggerCustomSchema(schema) : toSwaggerSchema(schema)]);
  }
  return Object.fromEntries(defined);
}

function pathItem(item: PathItem, shared: Map<string, JsonObject>): JsonObject {
  const parameters = splitParameters(item);
  const describe = (parameter: Parameter) => describeParameter(parameter, shared);
  const out: JsonObject = {};
  for (const method of METHODS) {
    const operation = item.operations.find((candidate) => candidate.method === method);
    if (operation === undefined) continue;
    const body = operation.body === undefined ? [] : [describeBody(operation.body, shared)];
    out[method] = describeOperation(operation, [...body, ...parameters.own(operation).map(describe)]);
  }
  if (parameters.common.length > 0) out["parameters"] = parameters.common.map(describe);
  return out;
}

function describeOperation(operation: Operation, parameters: readonly JsonObject[]): JsonObject {
  const { action, kind } = operation;
  const responses: JsonObject = {};
  for (const [code, schema] of Object.entries(operation.responses))
    responses[code] = { description: RESPONSE_DESCRIPTION[Number(code)], schema: refTo(schema) };
  responses["401"] = { description: RESPONSE_DESCRIPTION[401] };
  return {
    consumes: operation.consumes,
    description: operation.description,
    operationId: operation.id,
    ...(parameters.length > 0 ? { parameters } : {}),
    produces: operation.produces,
    responses,
    schemes: ["https"],
    tags: [operation.tag],
    ...(action === undefined ? {} : { "x-kubernetes-action": action }),
    ...(kind === undefined ? {} : { "x-kubernetes-group-version-kind": kind }),
  };
}

function refTo(name: string): JsonObject {
  return { $ref: `#/definitions/${name}` };
}

function describeParameter(parameter: Parameter, shared: Map<string, JsonObject>): JsonObject {
  const { name, in: place, type, description, sharedName } = parameter;
  const required = place === "path" ? { required: true } : {};
  return share(sharedName, { name, in: place, description, type, uniqueItems: true, ...required }, shared);
}

/** Bodies that do not depend on the kind are shared by all operations. */
const SHARED_BODIES: Readonly<Record<string, string>> = lookupTable({
  [DELETE_OPTIONS_SCHEMA]: "body-2Y1dVQaQ",
  [PATCH_SCHEMA]: "body-78PwaGsr",
});

function describeBody(body: NonNullable<Operation["body"]>, shared: Map<string, JsonObject>): JsonObject {
  const required = body.required ? { required: true } : {};
  const parameter = { name: "body", in: "body", ...required, schema: refTo(body.schema) };
  return share(SHARED_BODIES[body.schema], parameter, shared);
}

function share(name: string | undefined, parameter: JsonObject, shared: Map<string, JsonObject>): JsonObject {
  if (name === undefined) return parameter;
  shared.set(name, parameter);
  return { $ref: `#/parameters/${name}` };
}

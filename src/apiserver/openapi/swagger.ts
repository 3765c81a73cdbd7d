// The whole API as one Swagger 2.0 document (/openapi/v2), for clients from before OpenAPI 3.0.
import { pauseForOthers } from "../../meta/clock.ts";
import { type JsonObject, lookupTable } from "../../meta/json.ts";
import type { JsonSchema } from "../../schema/schema-node.ts";
import { API_VERSION } from "../discovery/discovery.ts";
import type { GroupIndex } from "../discovery/group-index.ts";
import {
  BEARER_TOKEN,
  type DefinitionByRef,
  describePaths,
  describeResponses,
  extensionsOf,
  KNOWN_GROUP_VERSIONS,
  reachableSchemas,
  schemaNamed,
  schemaSource,
} from "./document.ts";
import { DELETE_OPTIONS_SCHEMA, type Operation, PATCH_SCHEMA, schemaNames } from "./operation.ts";
import { protocolPaths, versionPaths } from "./paths.ts";
import { toSwaggerCustomSchema, toSwaggerSchema } from "./published-schema.ts";

/** Others have their turn meanwhile. */
export async function swaggerDocument(
  index: GroupIndex,
  definitionByRef: DefinitionByRef,
): Promise<JsonObject> {
  const versions = [...index.groups.values()].flatMap((group) => group.versions);
  const items = [...protocolPaths(index), ...versions.flatMap(versionPaths)];
  const views = versions.flatMap((entry) => entry.views);
  const schemas = schemaSource(views, definitionByRef, KNOWN_GROUP_VERSIONS);
  const shared = new SharedParameters();
  const paths = await describePaths(items, {
    operation: (operation, own) => describeOperation(operation, own, shared),
    parameter({ name, in: place, type, description, sharedName }) {
      const required = place === "path" ? { required: true } : {};
      return shared.put(sharedName, { name, in: place, description, type, uniqueItems: true, ...required });
    },
  });
  const custom = views.filter((view) => view.definition.custom).map((view) => schemaNames(view).kind);
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: API_VERSION },
    paths,
    definitions: await definitions(await reachableSchemas(items, schemas), new Set(custom)),
    parameters: Object.fromEntries(shared.byName),
    securityDefinitions: { BearerToken: BEARER_TOKEN },
    security: [{ BearerToken: [] }],
  };
}

async function definitions(
  schemas: Record<string, JsonSchema>,
  custom: ReadonlySet<string>,
): Promise<Record<string, JsonSchema>> {
  const defined: [string, JsonSchema][] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    const pause = pauseForOthers();
    if (pause !== undefined) await pause;
    defined.push([name, custom.has(name) ? toSwaggerCustomSchema(schema) : toSwaggerSchema(schema)]);
  }
  return Object.fromEntries(defined);
}

function describeOperation(
  operation: Operation,
  own: () => readonly JsonObject[],
  shared: SharedParameters,
): JsonObject {
  const body = operation.body === undefined ? [] : [describeBody(operation.body, shared)];
  const parameters = [...body, ...own()];
  return {
    consumes: operation.consumes,
    description: operation.description,
    operationId: operation.id,
    ...(parameters.length > 0 ? { parameters } : {}),
    produces: operation.produces,
    responses: describeResponses(operation, (schema) => ({ schema: schemaNamed(schema, refTo) })),
    schemes: ["https"],
    tags: [operation.tag],
    ...extensionsOf(operation),
  };
}

const refTo = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });

/** Bodies that do not depend on the kind are shared by all operations. */
const SHARED_BODIES: Readonly<Record<string, string>> = lookupTable({
  [DELETE_OPTIONS_SCHEMA]: "body-2Y1dVQaQ",
  [PATCH_SCHEMA]: "body-78PwaGsr",
});

function describeBody(body: NonNullable<Operation["body"]>, shared: SharedParameters): JsonObject {
  const required = body.required ? { required: true } : {};
  const parameter = { name: "body", in: "body", ...required, schema: refTo(body.schema) };
  return shared.put(SHARED_BODIES[body.schema], parameter);
}

/** Parameters that many operations have stand in one place. */
class SharedParameters {
  readonly byName = new Map<string, JsonObject>();

  put(name: string | undefined, parameter: JsonObject): JsonObject {
    if (name === undefined) return parameter;
    this.byName.set(name, parameter);
    return { $ref: `#/parameters/${name}` };
  }
}

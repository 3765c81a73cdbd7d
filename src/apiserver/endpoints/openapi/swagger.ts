// The whole API as one Swagger 2.0 document (/openapi/v2), for clients without OpenAPI 3.0.
import { type JsonObject, lookupTable } from "../../../apimachinery/json/json.ts";
import { API_VERSION } from "../discovery/discovery.ts";
import type { GroupIndex } from "../discovery/group-index.ts";
import { BEARER_TOKEN, describePath, describeResponses, extensionsOf, schemaNamed } from "./document.ts";
import { DELETE_OPTIONS_SCHEMA, type Operation, PATCH_SCHEMA } from "./operation.ts";
import type { Composed, Dialect, ShareParameter, Source } from "./parts.ts";
import { protocolPaths, versionSources } from "./paths.ts";
import { toSwaggerCustomSchema, toSwaggerSchema } from "./published-schema.ts";

export const SWAGGER: Dialect = {
  path(item, share) {
    const shared = new SharedParameters(share);
    return describePath(item, {
      operation: (operation, own) => describeOperation(operation, own, shared),
      parameter({ name, in: place, type, description, sharedName }) {
        const required = place === "path" ? { required: true } : {};
        return shared.put(sharedName, { name, in: place, description, type, uniqueItems: true, ...required });
      },
    });
  },
  schema: (schema, isCustomKind) => (isCustomKind ? toSwaggerCustomSchema(schema) : toSwaggerSchema(schema)),
};

/** All paths and resources. */
export const swaggerSources = (index: GroupIndex): readonly Source[] => [
  ...protocolPaths(index),
  ...[...index.groups.values()].flatMap((group) => group.versions.flatMap(versionSources)),
];

export const swaggerDocument = ({ paths, schemas, parameters }: Composed): object => ({
  swagger: "2.0",
  info: { title: "Kubernetes", version: API_VERSION },
  paths,
  definitions: schemas,
  parameters,
  securityDefinitions: { BearerToken: BEARER_TOKEN },
  security: [{ BearerToken: [] }],
});

function describeOperation(
  operation: Operation,
  own: () => readonly JsonObject[],
  shared: SharedParameters,
): JsonObject {
  const body = operation.body === undefined ? [] : [describeBody(operation.body, shared)];
  const parameters = [...body, ...own()];
  return {
    ...(operation.consumes.length > 0 ? { consumes: operation.consumes } : {}),
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

/** Parameters of many operations are shared. */
class SharedParameters {
  readonly #share: ShareParameter;

  constructor(share: ShareParameter) {
    this.#share = share;
  }

  put(name: string | undefined, parameter: JsonObject): JsonObject {
    if (name === undefined) return parameter;
    this.#share(name, parameter);
    return { $ref: `#/parameters/${name}` };
  }
}

// One OpenAPI 3.0 document: the paths of one group version (or of one discovery level) and exactly those schemas
// that can be reached from them.
import { pauseForOthers } from "../../meta/clock.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import type { JsonSchema } from "../../schema/schema-node.ts";
import { nameOfRef, refTo } from "./names.ts";
import {
  METHODS,
  type Operation,
  type PathItem,
  RESPONSE_DESCRIPTION,
  splitParameters,
} from "./paths/operation.ts";
import type { Parameter } from "./paths/parameters.ts";

/** The schema of a name under components, or undefined. */
export type SchemaSource = (name: string) => JsonSchema | undefined;

export interface DocumentParts {
  readonly info: { readonly title: string; readonly version: string };
  readonly items: readonly PathItem[];
  readonly schemas: SchemaSource;
  /** Documents of custom resources do not say how clients identify themselves. */
  readonly security: boolean;
}

/** Others have their turn meanwhile. */
export async function openApiDocument({
  info,
  items,
  schemas,
  security,
}: DocumentParts): Promise<JsonObject> {
  const paths = await describePaths(items, pathItem);
  return {
    openapi: "3.0.0",
    info,
    paths,
    components: {
      schemas: await reachableSchemas(namesUsedBy(items), schemas),
      ...(security ? { securitySchemes: { BearerToken: BEARER_TOKEN } } : {}),
    },
  };
}

export const BEARER_TOKEN = {
  description: "A token in the authorization header, after the word Bearer.",
  type: "apiKey",
  name: "authorization",
  in: "header",
};

/** What is said of each path, by the paths. Others have their turn meanwhile. */
export async function describePaths(
  items: readonly PathItem[],
  describe: (item: PathItem) => JsonObject,
): Promise<Record<string, JsonObject>> {
  const paths: [string, JsonObject][] = [];
  for (const item of items) {
    const pause = pauseForOthers();
    if (pause !== undefined) await pause;
    paths.push([item.path, describe(item)]);
  }
  return Object.fromEntries(paths);
}

function pathItem(item: PathItem): JsonObject {
  const parameters = splitParameters(item);
  const out: JsonObject = {};
  for (const method of METHODS) {
    const operation = item.operations.find((candidate) => candidate.method === method);
    if (operation !== undefined) out[method] = describeOperation(operation, parameters.own(operation));
  }
  if (parameters.common.length > 0) out["parameters"] = parameters.common.map(describeParameter);
  return out;
}

function describeOperation(operation: Operation, parameters: readonly Parameter[]): JsonObject {
  const { action, body, kind } = operation;
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.id,
    ...(parameters.length > 0 ? { parameters: parameters.map(describeParameter) } : {}),
    ...(body === undefined ? {} : { requestBody: describeBody(body, operation.consumes) }),
    responses: describeResponses(operation),
    ...(action === undefined ? {} : { "x-kubernetes-action": action }),
    ...(kind === undefined ? {} : { "x-kubernetes-group-version-kind": kind }),
  };
}

function describeParameter({ name, in: place, type, description }: Parameter): JsonObject {
  return {
    name,
    in: place,
    description,
    ...(place === "path" ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  };
}

function describeBody(body: NonNullable<Operation["body"]>, mediaTypes: readonly string[]): JsonObject {
  return { content: content(mediaTypes, body.schema), ...(body.required ? { required: true } : {}) };
}

function describeResponses({ responses, produces }: Operation): JsonObject {
  const out: JsonObject = {};
  for (const [code, schema] of Object.entries(responses))
    out[code] = { description: RESPONSE_DESCRIPTION[Number(code)], content: content(produces, schema) };
  out["401"] = { description: RESPONSE_DESCRIPTION[401] };
  return out;
}

function content(mediaTypes: readonly string[], schema: string): JsonObject {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: refTo(schema) }]));
}

/** The names of the schemas that bodies and answers of these paths have. */
export function namesUsedBy(items: readonly PathItem[]): Set<string> {
  const names = new Set<string>();
  for (const { operations } of items) {
    for (const { body, responses } of operations) {
      if (body !== undefined) names.add(body.schema);
      for (const schema of Object.values(responses)) names.add(schema);
    }
  }
  return names;
}

/** The schemas of the names and of everything that they refer to, by name. Others have their turn meanwhile. */
export async function reachableSchemas(
  names: Iterable<string>,
  schemas: SchemaSource,
): Promise<Record<string, JsonSchema>> {
  const found = new Map<string, JsonSchema>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    const pause = pauseForOthers();
    if (pause !== undefined) await pause;
    const schema = schemas(name);
    if (schema === undefined) throw new Error(`there is no schema ${name}`);
    found.set(name, schema);
    collectRefs(schema, open);
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function collectRefs(value: unknown, into: string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) collectRefs(item, into);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (key === "$ref" && typeof item === "string") into.push(nameOfRef(item));
      else collectRefs(item, into);
    }
  }
}

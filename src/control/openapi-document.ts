// The control surface as an OpenAPI 3.0 document, made of the same routes that the requests are answered by.
import { isObject } from "../meta/json.ts";
import {
  CONTROL_PREFIX,
  type ControlAccess,
  type ControlBody,
  type ControlRoute,
  type ControlSchema,
} from "./control-route.ts";

const STATUS_SCHEMA: ControlSchema = {
  type: "object",
  description: "Why a request has failed, in the form in which the Kubernetes API says it.",
  required: ["kind", "apiVersion", "status", "message", "code"],
  properties: {
    kind: { type: "string", enum: ["Status"] },
    apiVersion: { type: "string", enum: ["v1"] },
    metadata: { type: "object" },
    status: { type: "string", enum: ["Failure"] },
    message: { type: "string" },
    reason: {
      type: "string",
      description: "One word: BadRequest, NotFound, AlreadyExists, Conflict, Invalid.",
    },
    details: { type: "object" },
    code: { type: "integer", description: "The code of the answer." },
  },
};

export function documentOf(routes: readonly ControlRoute[]): object {
  const paths: Record<string, Record<string, unknown>> = {};
  const sorted = [...routes].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  for (const route of sorted) {
    const path = `${CONTROL_PREFIX}${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: inOpenApi(operationOf(route)) };
  }
  return {
    openapi: "3.0.0",
    info: {
      title: "Egret's control surface",
      version: "v1",
      description: "What tests ask of the server itself, beside the Kubernetes API.",
    },
    paths,
    components: { schemas: { Status: STATUS_SCHEMA } },
  };
}

/** Version 3.0 has an older JSON Schema: one type at a time, and limits that are said to be exclusive. */
function inOpenApi(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOpenApi);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (key === "type" && Array.isArray(member)) return [["anyOf", member.map((type) => ({ type }))]];
      if (key === "exclusiveMinimum" && typeof member === "number")
        return [
          ["minimum", member],
          [key, true],
        ];
      if (key === "exclusiveMaximum" && typeof member === "number")
        return [
          ["maximum", member],
          [key, true],
        ];
      return [[key, inOpenApi(member)]];
    }),
  );
}

const WHO_MAY: Readonly<Record<ControlAccess, string>> = {
  everything: "For those who may do everything: the group system:masters, or the ClusterRole cluster-admin.",
  "own rights": "Objects are read and written with the rights that the caller has on them.",
  path: "For all who are let to the path.",
};

function operationOf(route: ControlRoute): object {
  const parameters = [...pathParameters(route.path), ...queryParameters(route)];
  return {
    operationId: route.operationId,
    tags: [route.path.split("/")[1] ?? ""],
    summary: route.summary,
    description: WHO_MAY[route.access ?? "everything"],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route.body) }),
    responses: { ...success(route), default: FAILURE },
  };
}

const FAILURE = {
  description: "It could not be done.",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Status" } } },
};

function pathParameters(path: string): object[] {
  const names = path.split("/").filter((part) => part.startsWith("{"));
  return names.map((part) => ({
    name: part.slice(1, -1),
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters({ query = [] }: ControlRoute): object[] {
  return query.map(({ name, description, required = false, schema }) => ({
    name,
    in: "query",
    description,
    required,
    schema,
  }));
}

function requestBody({ schema, required, form }: ControlBody): object {
  const yaml =
    form === "objects" ? { type: "string", description: "Documents, one after the other." } : schema;
  return { required, content: { "application/json": { schema }, "application/yaml": { schema: yaml } } };
}

function success({ answer: { description, schema, contentType } }: ControlRoute): object {
  if (schema === undefined && contentType === undefined) return { 204: { description } };
  const type = contentType ?? "application/json";
  return { 200: { description, content: { [type]: { schema: schema ?? { type: "string" } } } } };
}

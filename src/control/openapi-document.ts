// The control surface as an OpenAPI 3.0 document, made of the same routes that the requests are answered by.
import { isObject } from "../meta/json.ts";
import {
  CONTROL_PREFIX,
  type ControlAccess,
  type ControlRoute,
  type ControlSchema,
  integer,
  object,
  oneOf,
  text,
} from "./control-route.ts";

const STATUS_SCHEMA: ControlSchema = {
  description: "Why a request has failed, in the form in which the Kubernetes API says it.",
  ...object(
    {
      kind: oneOf(["Status"]),
      apiVersion: oneOf(["v1"]),
      metadata: { type: "object" },
      status: oneOf(["Failure"]),
      message: text(),
      reason: text("One word: BadRequest, NotFound, AlreadyExists, Conflict, Invalid."),
      details: { type: "object" },
      code: integer("The code of the answer."),
    },
    ["kind", "apiVersion", "status", "message", "code"],
  ),
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

/** Version 3.0 has an older JSON Schema: one type at a time. */
function inOpenApi(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOpenApi);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (key === "type" && Array.isArray(member)) return [["anyOf", member.map((type) => ({ type }))]];
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
    ...(route.body === undefined ? {} : { requestBody: requestBody(route.body, route.bodyForm) }),
    responses: { ...success(route), default: FAILURE },
  };
}

const FAILURE = {
  description: "It could not be done.",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Status" } } },
};

function pathParameters(path: string): object[] {
  const names = path.split("/").filter((part) => part.startsWith("{"));
  return names.map((part) => ({ name: part.slice(1, -1), in: "path", required: true, schema: text() }));
}

function queryParameters({ query = {} }: ControlRoute): object[] {
  return Object.entries(query).map(([name, { description, required = false, ...schema }]) => {
    return { name, in: "query", description, required, schema };
  });
}

function requestBody(schema: ControlSchema, form: ControlRoute["bodyForm"]): object {
  const required = form !== "optional";
  const yaml = form === "objects" ? text("Documents, one after the other.") : schema;
  return { required, content: { "application/json": { schema }, "application/yaml": { schema: yaml } } };
}

function success({ answer: [description, form] }: ControlRoute): object {
  if (form === undefined) return { 204: { description } };
  const content =
    typeof form === "string" ? { [form]: { schema: text() } } : { "application/json": { schema: form } };
  return { 200: { description, content } };
}

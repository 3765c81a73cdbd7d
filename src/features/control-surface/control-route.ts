// One operation of the control surface as data: path, parameters, body schema, response schema and handler. The router
// and the surface's OpenAPI document use the same list.

import { isObject } from "../../apimachinery/json/json.ts";
import { encodeJson } from "../../apimachinery/json/json-encode.ts";
import { type ApiRequest, type ApiResponse, JSON_TYPE } from "../../apiserver/endpoints/api-request.ts";
import type { Caller } from "./caller.ts";

export const CONTROL_PREFIX = "/egret/v1";

declare const LETS: unique symbol;

/**
 * A JSON Schema; the OpenAPI document has it in the dialect of OpenAPI 3.0. `T` is the type of valid values, for the
 * compiler only.
 */
export interface ControlSchema<T = unknown> extends Readonly<Record<string, unknown>> {
  readonly [LETS]?: T;
}
export type ValueOf<S> = S extends { readonly [LETS]?: infer T } ? T : never;
type Properties = Readonly<Record<string, ControlSchema>>;
type Flat<T> = { [Name in keyof T]: T[Name] };
/** All required members, the others optional. */
type Members<P, Required> = Flat<
  { readonly [Name in keyof P & Required]: ValueOf<P[Name]> } & {
    readonly [Name in Exclude<keyof P, Required>]?: Exclude<ValueOf<P[Name]>, undefined>;
  }
>;
/** The members that are not marked with `maybe`. */
type Always<P> = { [Name in keyof P]: undefined extends ValueOf<P[Name]> ? never : Name }[keyof P];

export const described = <T>(schema: ControlSchema<T>, description?: string): ControlSchema<T> =>
  description === undefined ? schema : { ...schema, description };
const schemaOf =
  <T>(type: string) =>
  (description?: string, limits: Readonly<Record<string, unknown>> = {}): ControlSchema<T> =>
    described<T>({ type, ...limits }, description);

export const text = schemaOf<string>("string");
export const integer = schemaOf<number>("integer");
export const number = schemaOf<number>("number");
export const flag = schemaOf<boolean>("boolean");
export const oneOf = <const T extends string>(
  choices: readonly T[],
  description?: string,
): ControlSchema<T> => described<T>({ type: "string", enum: choices }, description);
export const anyOf = <S extends readonly ControlSchema[]>(
  description: string,
  ...schemas: S
): ControlSchema<ValueOf<S[number]>> => ({ description, anyOf: schemas });
/** One of several named schemas. */
export const formOf = <R extends Properties>(
  description: string,
  forms: R,
): ControlSchema<ValueOf<R[keyof R]>> => ({ description, anyOf: Object.values(forms) });
export const list = <T>(items: ControlSchema<T>, description?: string): ControlSchema<readonly T[]> =>
  described({ type: "array", items }, description);
/** A response member that is absent when it has no value. */
export const maybe = <T>(schema: ControlSchema<T>): ControlSchema<T | undefined> => schema;

/** An object schema. Without `required`, all members are required except those marked with `maybe`. */
export const object = <const P extends Properties, R extends keyof P = Always<P>>(
  properties: P,
  required?: readonly R[],
): ControlSchema<Members<P, R>> => ({ type: "object", ...(required ? { required } : {}), properties });
/** An object schema without additional properties. Without `required`, all members are optional. */
export const closedObject = <const P extends Properties, R extends keyof P = never>(
  properties: P,
  required?: readonly R[],
): ControlSchema<Members<P, R>> => ({ ...object(properties, required), additionalProperties: false });

/** The parameters in braces of a path, and their values in a request. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [N in Name]: string } & NamesIn<Rest>
  : unknown;

export interface ControlRequest<Path extends string = "", Body = unknown> {
  readonly raw: ApiRequest;
  readonly caller: Caller;
  readonly path: NamesIn<Path>;
  /** Validated by the route's schema. */
  readonly body: Body;
}

/** Media type of newline-delimited JSON. */
export const LINES_TYPE = "application/x-ndjson";

export interface LinesRequest extends Pick<ControlRequest, "raw" | "caller"> {
  /** In order of arrival. Iteration throws StatusError. */
  readonly lines: AsyncIterable<Uint8Array>;
}

export interface BytesRequest extends Pick<ControlRequest, "raw" | "caller"> {
  /** Chunks in order of arrival, of any length. Iteration throws StatusError. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * A successful response: its description, and a JSON schema or another content type. Without a form the response has no
 * body (204).
 */
export type ControlAnswerForm = readonly [description: string, form?: ControlSchema | string];

/**
 * Required authorization, beyond that for the path.
 * "everything": the caller must be allowed all verbs on everything, because the call replaces state, controls the
 * server, or shows past objects.
 * "own rights": the route authorizes each object access with the caller's permissions.
 * "path": the call neither shows nor changes stored objects.
 * The fourth value: as "path", and served without authentication or authorization for the path.
 */
export type ControlAccess = "everything" | "own rights" | "path" | "anybody";

interface Operation<Path extends string, Body> {
  /** One sentence. */
  readonly summary: string;
  /** Default: "everything". */
  readonly access?: ControlAccess;
  /** Query parameters by name; `required` marks mandatory ones. */
  readonly query?: Properties;
  /** Schema of a JSON or YAML body. A route without one ignores the body. */
  readonly body?: ControlSchema<Body>;
  /**
   * "optional": an absent body is {}.
   * "objects": Kubernetes objects as text, decoded into a list without the schema.
   * "bytes": any content, for `bytes`.
   * "json": an absent body is {}; YAML is rejected, because it decodes far slower.
   */
  readonly bodyForm?: "optional" | "objects" | "bytes" | "json";
  /** A longer body is rejected with 413. Default: the limit for all request bodies. */
  readonly bodyBytesMax?: number;
  /** Handles a body of type LINES_TYPE instead of `handle`. */
  readonly lines?: (request: LinesRequest) => unknown;
  /** Handles the body as raw chunks of any media type instead of `handle`. */
  readonly bytes?: (request: BytesRequest) => unknown;
  readonly answer: ControlAnswerForm;
  /** A returned value is sent as JSON with 200, undefined as 204, a WholeAnswer unchanged. Throws StatusError. */
  handle(request: ControlRequest<Path, Body>): unknown;
}

export interface ControlRoute extends Operation<string, unknown> {
  readonly method: string;
  /** Below the prefix, with parameters in braces: "/snapshots/{name}". */
  readonly path: string;
  readonly operationId: string;
}

/** `on` is method and path: "GET /snapshots/{name}". */
export function route<const On extends `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`, Body = unknown>(
  on: On,
  operationId: string,
  operation: Operation<On, Body>,
): ControlRoute {
  const [method = "", path = ""] = on.split(" ");
  return { method, path, operationId, ...(operation as Operation<string, unknown>) }; // the surface validates the body first
}

/** A response that is not JSON, or not 200. */
export class WholeAnswer {
  readonly response: ApiResponse;

  constructor(response: ApiResponse) {
    this.response = response;
  }
}

export const jsonResponse = (status: number, json: string): ApiResponse => ({
  status,
  headers: { "content-type": JSON_TYPE },
  body: Buffer.from(`${json}\n`),
});

/** Stored values may hold integers that JSON.stringify cannot encode. */
export const storedAnswer = (status: number, value: unknown): WholeAnswer =>
  new WholeAnswer(jsonResponse(status, encodeJson(value)));

// The control surface as an OpenAPI 3.0 document.

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

/** OpenAPI 3.0 uses an older JSON Schema with one type per schema. */
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
  anybody: "For everybody, also before he has said who he is.",
};

function operationOf(route: ControlRoute): object {
  const parameters = [...pathParameters(route.path), ...queryParameters(route)];
  return {
    operationId: route.operationId,
    tags: [route.path.split("/")[1] ?? ""],
    summary: route.summary,
    description: WHO_MAY[route.access ?? "everything"],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route.body, route) }),
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

function requestBody(schema: ControlSchema, { bodyForm: form, lines }: ControlRoute): object {
  if (form === "bytes") {
    const binary = { type: "string", format: "binary", ...schema };
    return { required: true, content: { "application/octet-stream": { schema: binary } } };
  }
  const required = form !== "optional";
  const yaml = form === "objects" ? text("Documents, one after the other.") : schema;
  const ofLines =
    lines === undefined ? {} : { [LINES_TYPE]: { schema: text("An object on each line, as JSON.") } };
  return {
    required,
    content: { "application/json": { schema }, "application/yaml": { schema: yaml }, ...ofLines },
  };
}

function success({ answer: [description, form] }: ControlRoute): object {
  if (form === undefined) return { 204: { description } };
  const content =
    typeof form === "string" ? { [form]: { schema: text() } } : { "application/json": { schema: form } };
  return { 200: { description, content } };
}

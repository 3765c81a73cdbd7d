// One operation of the control surface as data: what is asked for, what comes back, and who answers. The router and the
// surface's own OpenAPI document are made of the same list.
import { type ApiRequest, type ApiResponse, JSON_TYPE } from "../apiserver/api-request.ts";
import { encodeJson } from "../meta/json-encode.ts";
import type { Caller } from "./caller.ts";

export const CONTROL_PREFIX = "/egret/v1";

/** JSON Schema; the document of the surface writes it as OpenAPI 3.0 does. */
export type ControlSchema = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, ControlSchema>>;

const schemaOf =
  (type: string) =>
  (description?: string, limits: ControlSchema = {}): ControlSchema =>
    described({ type, ...limits }, description);

const described = (schema: ControlSchema, description?: string): ControlSchema =>
  description === undefined ? schema : { ...schema, description };

export const text = schemaOf("string");
export const integer = schemaOf("integer");
export const number = schemaOf("number");
export const flag = schemaOf("boolean");
export const oneOf = (choices: readonly string[], description?: string): ControlSchema =>
  text(description, { enum: choices });
export const list = (items: ControlSchema, description?: string): ControlSchema =>
  described({ type: "array", items }, description);
export const object = (properties: Properties, required?: readonly string[]): ControlSchema => ({
  type: "object",
  ...(required ? { required } : {}),
  properties,
});
/** It has no other members. */
export const closedObject = (properties: Properties, required?: readonly string[]): ControlSchema => ({
  ...object(properties, required),
  additionalProperties: false,
});

/** The names in braces of a path, and what a request has there. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [N in Name]: string } & NamesIn<Rest>
  : unknown;

export interface ControlRequest<Path extends string = "", Body = unknown> {
  readonly raw: ApiRequest;
  readonly caller: Caller;
  readonly path: NamesIn<Path>;
  /** As JSON or YAML, checked by the route's schema; {} where it may be left out and was. */
  readonly body: Body;
}

/** `Body` is what the schema lets through. */
export interface ControlBody<_Body = unknown> {
  /** Of JSON or YAML. It does not hold for "objects". */
  readonly schema: ControlSchema;
  readonly required: boolean;
  /** "objects": a text of Kubernetes objects, read into a list of them. Default: "value". */
  readonly form?: "value" | "objects";
}

export const requiredBody = <Body>(schema: ControlSchema): ControlBody<Body> => ({ schema, required: true });

/** Of a success: its description, and JSON by a schema or another type; with neither there is nothing to read (204). */
export type ControlAnswerForm = readonly [
  description: string,
  form?: { readonly schema: ControlSchema } | { readonly contentType: string },
];

/**
 * Who may ask, beyond being let to the path. "everything": only who may do everything, because the call replaces the
 * state, steers the server, or shows what any object was. "own rights": the route asks for what the caller may do with
 * the objects that it touches. "path": nothing of the store is shown or changed.
 */
export type ControlAccess = "everything" | "own rights" | "path";

interface Operation<Path extends string, Body> {
  /** What it does, in a sentence. */
  readonly summary: string;
  /** Default: "everything". */
  readonly access?: ControlAccess;
  /** By name; `required` where it must be there. */
  readonly query?: Properties;
  /** A route without one takes no notice of a body. */
  readonly body?: ControlBody<Body>;
  readonly answer: ControlAnswerForm;
  /** A value is answered as JSON with 200, nothing as 204, a WholeAnswer as it is. Throws StatusError. */
  handle(request: ControlRequest<Path, Body>): unknown;
}

export interface ControlRoute extends Operation<string, unknown> {
  readonly method: string;
  /** Below the prefix, with names in braces: "/snapshots/{name}". */
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
  return { method, path, operationId, ...(operation as Operation<string, unknown>) }; // the surface keeps to it
}

/** What is not JSON, or not 200. */
export class WholeAnswer {
  readonly response: ApiResponse;

  constructor(response: ApiResponse) {
    this.response = response;
  }
}

/** JSON as a text. */
export const jsonResponse = (status: number, json: string): ApiResponse => ({
  status,
  headers: { "content-type": JSON_TYPE },
  body: Buffer.from(`${json}\n`),
});

/** Values of the store may hold integers that JSON.stringify does not know. */
export const storedAnswer = (status: number, value: unknown): WholeAnswer =>
  new WholeAnswer(jsonResponse(status, encodeJson(value)));

// One operation of the control surface as data: what is asked for, what comes back, and who answers. The router and the
// surface's own OpenAPI document are made of the same list.
import type { ApiRequest, ApiResponse } from "../apiserver/api-request.ts";
import type { Caller } from "./caller.ts";

/** JSON Schema; the document of the surface writes it as OpenAPI 3.0 does. */
export type ControlSchema = Readonly<Record<string, unknown>>;

export interface ControlParameter {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  readonly schema: ControlSchema;
}

export interface ControlRequest {
  readonly raw: ApiRequest;
  readonly caller: Caller;
  /** What stands in the path for {name}. */
  readonly path: Readonly<Record<string, string>>;
  /** The body as JSON or YAML, checked by the route's schema; undefined when there is none. */
  readonly body: unknown;
}

export interface ControlBody {
  /** Of JSON or YAML. It does not hold for "objects". */
  readonly schema: ControlSchema;
  readonly required: boolean;
  /** "objects": a text of Kubernetes objects, read into a list of them. Default: "value". */
  readonly form?: "value" | "objects";
}

/** Of a success. With a schema it is JSON; with neither schema nor type there is nothing to read (204). */
export interface ControlAnswerForm {
  readonly description: string;
  readonly schema?: ControlSchema;
  /** Where the answer is not JSON. */
  readonly contentType?: string;
}

/**
 * Who may ask, beyond being let to the path. "everything": only who may do everything, because the call replaces the
 * state, steers the server, or shows what any object was. "own rights": the route asks for what the caller may do with
 * the objects that it touches. "path": nothing of the store is shown or changed.
 */
export type ControlAccess = "everything" | "own rights" | "path";

export interface ControlRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the prefix, with names in braces: "/snapshots/{name}". */
  readonly path: string;
  readonly operationId: string;
  /** What it does, in a sentence. */
  readonly summary: string;
  /** Default: "everything". */
  readonly access?: ControlAccess;
  readonly query?: readonly ControlParameter[];
  /** A route without one takes no notice of a body. */
  readonly body?: ControlBody;
  readonly answer: ControlAnswerForm;
  /** A value is answered as JSON with 200; undefined as 204. Throws StatusError. */
  handle(request: ControlRequest): Promise<ControlAnswer> | ControlAnswer;
}

/** JSON to answer with, a whole answer, or nothing. */
export type ControlAnswer = { readonly json: unknown } | { readonly response: ApiResponse } | undefined;

export const CONTROL_PREFIX = "/egret/v1";

// The control surface: matches the route of a request below /egret/v1, reads its body and writes the response. Failures
// are Status objects.
import { Ajv, type ValidateFunction } from "ajv";
import {
  badRequest,
  bodyTooLarge,
  failure,
  pathNotFound,
  type StatusError,
} from "../../apimachinery/meta/status.ts";
import { jobOwner, type Workers } from "../../apimachinery/workers/job.ts";
import { accessForbidden } from "../../apiserver/authorization/access-check.ts";
import type { ApiRequest, ApiResponse } from "../../apiserver/endpoints/api-request.ts";
import type { Caller, CallerOf } from "./caller.ts";
import {
  CONTROL_PREFIX,
  type ControlRoute,
  type ControlSchema,
  documentOf,
  jsonResponse,
  route,
  WholeAnswer,
} from "./control-route.ts";
import { isOfLines, linesOf } from "./lines.ts";
import { readControlBody } from "./read-body.ts";

/** The route that serves the surface's own OpenAPI document. */
const documentRoute = (routes: () => readonly ControlRoute[]): ControlRoute =>
  route("GET /openapi.json", "getControlOpenApi", {
    summary: "This document.",
    access: "path",
    answer: ["An OpenAPI 3.0 document.", { type: "object" }],
    handle: () => documentOf(routes()),
  });

interface KnownRoute {
  readonly route: ControlRoute;
  readonly pattern: RegExp;
  /** Compiled on first use. */
  validate?: ValidateFunction;
}

export interface SurfaceDeps {
  /** Returns the caller of a user, with its authorization. */
  readonly callerOf: CallerOf;
  /** Worker threads that decode long bodies. */
  readonly workers: Workers;
  /** Limit of one line in a body of lines. */
  readonly lineBytesMax: number;
}

export class ControlSurface {
  readonly #routes: readonly KnownRoute[];
  readonly #deps: SurfaceDeps;

  constructor(routes: readonly ControlRoute[], deps: SurfaceDeps) {
    this.#deps = deps;
    const all: ControlRoute[] = [...routes, documentRoute(() => all)];
    this.#routes = all.map((route) => ({ route, pattern: patternOf(route.path) }));
  }

  /** Reports whether the path is served without authentication. */
  isOpen(path: string): boolean {
    if (!path.startsWith(`${CONTROL_PREFIX}/`)) return false;
    const asked = path.slice(CONTROL_PREFIX.length);
    return this.#routes.some(({ route, pattern }) => route.access === "anybody" && pattern.test(asked));
  }

  /** Returns the response, or undefined for a path outside the control surface. Throws StatusError. */
  handle(raw: ApiRequest): Promise<ApiResponse> | undefined {
    if (!raw.path.startsWith(`${CONTROL_PREFIX}/`)) return undefined;
    return this.#answer(raw, raw.path.slice(CONTROL_PREFIX.length));
  }

  async #answer(raw: ApiRequest, asked: string): Promise<ApiResponse> {
    const matching = this.#routes.filter(({ pattern }) => pattern.test(asked));
    if (matching.length === 0) throw pathNotFound();
    const method = raw.method === "HEAD" ? "GET" : raw.method;
    const known = matching.find(({ route }) => route.method === method);
    if (known === undefined) throw methodUnknown(method);
    const path = { ...known.pattern.exec(asked)?.groups };
    const { callerOf, workers, lineBytesMax } = this.#deps;
    const caller = callerOf(raw.user);
    checkAccess(known.route, raw, caller);
    const { lines, bytes } = known.route;
    if (bytes !== undefined && hasBody(raw))
      return wordAnswer(await bytes({ raw, caller, bytes: bytesOf(raw) }));
    if (lines !== undefined && isOfLines(raw))
      return wordAnswer(await lines({ raw, caller, lines: linesOf(raw, lineBytesMax) }));
    const owned = workers.of(jobOwner(raw.user, raw.gone?.()));
    const body = await readBody(known, await bytesWanted(known.route, raw), owned);
    return wordAnswer(await known.route.handle({ raw, caller, path, body }));
  }
}

/** The body is not read for a route that takes none. */
async function bytesWanted(
  { body, bodyBytesMax }: ControlRoute,
  raw: ApiRequest,
): Promise<Uint8Array | undefined> {
  if (body === undefined) return undefined;
  const bytes = raw.body ?? (await raw.readBody?.(bodyBytesMax));
  if (bytes !== undefined && bodyBytesMax !== undefined && bytes.length > bodyBytesMax)
    throw bodyTooLarge(bodyBytesMax);
  return bytes;
}

const hasBody = ({ body, streamBody }: ApiRequest): boolean => body !== undefined || streamBody !== undefined;

async function* bytesOf({ body, streamBody }: ApiRequest): AsyncGenerator<Uint8Array, void, undefined> {
  if (body !== undefined) yield body;
  else if (streamBody !== undefined) yield* streamBody();
}

const EVERYTHING =
  "this call needs somebody who may do everything: the group system:masters, or the ClusterRole cluster-admin";

/** Throws 403. */
function checkAccess({ access = "everything" }: ControlRoute, raw: ApiRequest, caller: Caller): void {
  if (access !== "everything" || caller.mayDoEverything()) return;
  const { method, path } = raw;
  throw accessForbidden({ type: "path", user: caller.user, verb: method.toLowerCase(), path }, EVERYTHING);
}

/** Compiles "/snapshots/{name}" into a pattern with named groups. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);

async function readBody(
  known: KnownRoute,
  bytes: Uint8Array | undefined,
  workers: Workers,
): Promise<unknown> {
  const { body, bodyForm } = known.route;
  if (body === undefined) return undefined;
  if (bytes === undefined || bytes.length === 0) {
    if (bodyForm === "optional" || bodyForm === "json") return {};
    throw badRequest("a body is needed");
  }
  const form = bodyForm === "objects" || bodyForm === "json" ? bodyForm : "value";
  const value = await readControlBody(bytes, form, workers);
  if (bodyForm === "objects") return value;
  known.validate ??= compile(body);
  if (known.validate(value) === true) return value;
  const [first] = known.validate.errors ?? [];
  const { additionalProperty: surplus } = first?.params ?? {};
  const which = typeof surplus === "string" ? ` (${surplus})` : "";
  throw badRequest(`body${first?.instancePath ?? ""} ${first?.message ?? "is wrong"}${which}`);
}

/** The schemas are part of Egret and are not validated: that would take longer than any first body. */
function compile(schema: ControlSchema): ValidateFunction {
  const options = { strict: false, allErrors: false, validateFormats: false };
  return new Ajv({ ...options, meta: false, validateSchema: false }).compile(schema);
}

function wordAnswer(answer: unknown): ApiResponse {
  if (answer === undefined) return { status: 204, headers: {}, body: undefined };
  return answer instanceof WholeAnswer ? answer.response : jsonResponse(200, JSON.stringify(answer));
}

function methodUnknown(method: string): StatusError {
  const message = `the control surface has no ${method} here`;
  return failure({ code: 405, reason: "MethodNotAllowed", message, details: {} });
}

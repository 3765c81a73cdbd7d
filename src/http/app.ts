// The HTTP server: one route that turns a request into an ApiRequest and an ApiResponse into an answer. Everything
// that is Kubernetes lies behind it.
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from "fastify";
import { type ApiRequest, type ApiResponse, TEXT_TYPE, textResponse } from "../apiserver/api-request.ts";
import { type ApiServer, respondFailure } from "../apiserver/pipeline.ts";
import { Query } from "../apiserver/request/query.ts";
import type { RequestHooks } from "../apiserver/request-hooks.ts";
import { Warnings } from "../apiserver/response/warnings.ts";
import type { Clock } from "../meta/clock.ts";
import type { Ids } from "../meta/ids.ts";
import { entityTooLarge, failure, type Status } from "../meta/status.ts";
import { type Authenticator, unauthorized } from "./authentication/authenticator.ts";
import { readImpersonation } from "./authentication/impersonation-headers.ts";
import { Call } from "./call.ts";
import { Connections } from "./connections.ts";
import { createGuard } from "./guard.ts";
import { type Inflight, kindOf } from "./inflight.ts";
import type { Log } from "./log.ts";
import type { Metrics, RequestLabels } from "./metrics.ts";
import { Streams } from "./streams.ts";

/** What a real server takes: three mebibytes. */
export const BODY_BYTES_MAX = 3 * 1024 * 1024;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const REASONS: Readonly<Record<number, string>> = { 403: "Forbidden", 405: "MethodNotAllowed" };
/** Stands in a request whose credentials are wrong. It is answered without being looked at. */
const NOBODY = { name: "", groups: [] };

export interface HttpAppOptions {
  readonly api: ApiServer;
  readonly authenticate: Authenticator;
  /** Given: HTTPS, with HTTP/2 for clients that know it. */
  readonly tls?:
    | { readonly certificate: string; readonly key: string; readonly authority: string }
    | undefined;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** What tells answers apart. */
  readonly answerIds: Ids;
  /** What the header Date says; left out, and undefined: the machine's time. */
  readonly dateHeader?: () => string | undefined;
  readonly inflight: Inflight;
  /** Faults, and the log of requests. */
  readonly hooks: RequestHooks;
  readonly listenHost: string;
  readonly log: Log;
}

export interface HttpApp {
  readonly fastify: FastifyInstance;
  /** Ends all streams, so that closing need not wait for them. Resolves when they are sent to their ends. */
  endStreams(): Promise<void>;
}

const TOO_MANY_REQUESTS: ApiResponse = {
  ...textResponse(429, "Too many requests, please try again later.\n"),
  headers: { "content-type": TEXT_TYPE, "retry-after": "1" },
};

function noCompiler(): never {
  throw new Error("no route has a schema");
}

function createFastify({ tls }: HttpAppOptions): FastifyInstance {
  const options: FastifyServerOptions = {
    logger: false, // it would make a logger for each request, of which nobody writes
    bodyLimit: BODY_BYTES_MAX,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    // Fastify checks and writes nothing here that has a schema: what would compile one need not be loaded.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    routerOptions: { maxParamLength: 65_536, ignoreTrailingSlash: false },
    frameworkErrors: (_error, _request, reply) => void sendStatus(reply, 400, "the URL cannot be read"),
  };
  if (tls === undefined) return Fastify(options);
  const { certificate: cert, key, authority: ca } = tls;
  // Whose certificate is not of the authority may show a token, so that he is let in this far.
  const https = { allowHTTP1: true, cert, key, ca, requestCert: true, rejectUnauthorized: false };
  const secure = { ...options, http2: true, https };
  // Requests and answers of HTTP/2 have all members that are used here.
  return Fastify(secure as object) as FastifyInstance;
}

export function createHttpApp(options: HttpAppOptions): HttpApp {
  const fastify = createFastify(options);
  const ways = { streams: new Streams(), connections: new Connections(fastify, options.tls !== undefined) };
  const guard = createGuard(options);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  fastify.setErrorHandler((error, request, reply) => {
    // The API words the refusal of a content type itself, by what was to be done.
    if (errorCode(error) === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return answer(options, ways, request, reply);
    return sendError(error, options.log, reply);
  });
  fastify.route({
    method: METHODS,
    url: "/*",
    onRequest: (request, reply, done) => {
      const date = options.dateHeader?.();
      if (date !== undefined) reply.raw.setHeader("date", date);
      const { host = authorityOf(request), origin } = request.headers;
      const refused = guard({ host, origin });
      if (refused === undefined) done();
      else sendStatus(reply, 403, `forbidden: ${refused}`);
    },
    handler: (request, reply) => answer(options, ways, request, reply),
  });
  fastify.setNotFoundHandler((_request, reply) =>
    sendStatus(reply, 405, "the server does not allow this method on the requested resource"),
  );
  const endStreams = () => {
    ways.connections.stop();
    return ways.streams.end();
  };
  return { fastify, endStreams };
}

/** What answers leave by. */
interface Ways {
  readonly streams: Streams;
  readonly connections: Connections;
}

async function answer(
  { api, authenticate, tls, metrics, inflight, clock, answerIds, hooks }: HttpAppOptions,
  { streams, connections }: Ways,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const started = clock.now();
  const url = request.raw.url ?? "/";
  const [path, query] = splitUrl(url);
  const headers = request.headers as ApiRequest["headers"]; // those that repeat are joined by Node, save set-cookie
  const connection = () => connections.of(request, reply);
  const user = authenticate(headers, tls ? request.raw.socket : undefined);
  const apiRequest: ApiRequest = {
    method: request.method,
    path,
    query: new Query(query),
    headers,
    body: request.body instanceof Uint8Array ? request.body : undefined,
    user: user ?? NOBODY,
    impersonate: readImpersonation(request.raw.rawHeaders),
    gone: () => connection().gone,
  };
  const call = new Call(apiRequest, url, started, { metrics, clock, log: hooks.observer });
  const handle = (changed: ApiRequest) => handleInTurn(api, changed, call.labels, inflight);
  const intervention = user && hooks.gate.intercept(apiRequest, call.info);
  const answered = intervention
    ? await intervention.answer(handle, connection())
    : user
      ? await handle(apiRequest)
      : respondFailure(apiRequest, new Warnings(), unauthorized());
  const cause = intervention?.cause ?? "";
  if (answered === undefined) {
    call.answered(undefined, cause);
    return reply.hijack();
  }
  const response = withCommonHeaders(answered, headers["audit-id"] ?? answerIds.uid());
  const { body } = response;
  if (typeof body !== "function") {
    call.answered(answered, cause);
    return sendWhole(reply, response);
  }
  const { info } = call;
  const opened = { request: apiRequest, info, response, body, connection };
  const watch = info.verb === "watch" ? hooks.gate.watching(opened) : undefined;
  call.streaming(answered, cause);
  try {
    await streams.send(reply, response, watch?.body ?? body);
  } finally {
    call.streamed(answered, [cause, watch?.cause].filter(Boolean).join(","));
  }
  return reply;
}

/** What is too much at a time is refused in the words of a real server. */
async function handleInTurn(
  api: ApiServer,
  request: ApiRequest,
  { verb }: RequestLabels,
  inflight: Inflight,
): Promise<ApiResponse> {
  if (verb === "WATCH") return api.handle(request);
  const kind = kindOf(request.method);
  if (!inflight.enter(kind)) return TOO_MANY_REQUESTS;
  try {
    return await api.handle(request);
  } finally {
    inflight.leave(kind);
  }
}

/** What every answer of a real server has. An answer that may be kept by others says so itself. */
function withCommonHeaders({ status, headers, body }: ApiResponse, auditId: string): ApiResponse {
  return { status, headers: { "audit-id": auditId, "cache-control": "no-cache, private", ...headers }, body };
}

/** Where HTTP/2 has what the Host header was before. */
function authorityOf({ headers }: FastifyRequest): string | undefined {
  const authority = headers[":authority"];
  return typeof authority === "string" ? authority : undefined;
}

function splitUrl(url: string): [path: string, query: string] {
  const cut = url.indexOf("?");
  const raw = cut < 0 ? url : url.slice(0, cut);
  try {
    return [decodeURIComponent(raw), cut < 0 ? "" : url.slice(cut + 1)];
  } catch {
    return [raw, cut < 0 ? "" : url.slice(cut + 1)];
  }
}

function sendWhole(reply: FastifyReply, response: ApiResponse): FastifyReply {
  reply.code(response.status).headers(response.headers);
  return reply.send(response.body);
}

function sendStatus(reply: FastifyReply, code: number, message: string): FastifyReply {
  const reason = REASONS[code] ?? "BadRequest";
  const status: Status = failure({ code, reason, message, details: {} }).status;
  return reply
    .code(code)
    .type("application/json")
    .send(Buffer.from(`${JSON.stringify(status)}\n`));
}

function sendError(error: unknown, log: Log, reply: FastifyReply): FastifyReply {
  if (errorCode(error) === "FST_ERR_CTP_BODY_TOO_LARGE") {
    const { status } = entityTooLarge(`Request entity too large: limit is ${BODY_BYTES_MAX}`);
    return reply
      .code(413)
      .type("application/json")
      .send(Buffer.from(`${JSON.stringify(status)}\n`));
  }
  log.error({ err: error }, "a request has failed outside of the API");
  return sendStatus(reply, 400, error instanceof Error ? error.message : String(error));
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

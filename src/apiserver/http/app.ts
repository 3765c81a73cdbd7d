// The HTTP server: one route that passes every request to the API server. It rejects requests of foreign web pages
// and enforces the limits of clients.
import { constants } from "node:crypto";
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from "fastify";
import { type Clock, elapsedMs } from "../../apimachinery/meta/clock.ts";
import { failure, type Status } from "../../apimachinery/meta/status.ts";
import { type AnswerOptions, answer } from "./answer.ts";
import { AnswerBudget, budgetBytes } from "./answer-budget.ts";
import { BodyStreams } from "./body-streams.ts";
import { Connections, refuseUnreadable } from "./connections.ts";
import { Deadlines } from "./deadlines.ts";
import { resolveConnectionLimits } from "./descriptors.ts";
import { createGuard } from "./guard.ts";
import { LargeBodies } from "./large-bodies.ts";
import { type HttpLimits, limitConnections } from "./limits.ts";
import type { Log } from "./log.ts";
import { OpenConnections } from "./open-connections.ts";
import { BodyTurns, Continues, closeAfterAnswer, hasBody, RequestBodies } from "./request-bodies.ts";
import { createHeadCheck, noteBody, refuseHead } from "./request-head.ts";
import { shutDown } from "./shutdown.ts";
import { Streams } from "./streams.ts";
import { Upgrades } from "./websocket/upgrades.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const REASONS: Readonly<Record<number, string>> = { 403: "Forbidden", 405: "MethodNotAllowed" };

export interface HttpAppOptions extends Omit<AnswerOptions, "encrypted" | "ways" | "deadlines"> {
  /** The clock of limits and timeouts, which the clock control does not change. */
  readonly realClock: Clock;
  /** Present: HTTPS, with HTTP/2 for clients that negotiate it. */
  readonly tls?:
    | { readonly certificate: string; readonly key: string; readonly handshakeCa: string }
    | undefined;
  /** Value of the Date header; absent or undefined: the system time. */
  readonly dateHeader?: () => string | undefined;
  readonly listenHost: string;
  readonly log: Log;
}

export type HttpApp = ReturnType<typeof createHttpApp>;

const NO_QUERY = {};

function noCompiler(): never {
  throw new Error("no route has a schema");
}

function createFastify({ tls, limits, realClock }: HttpAppOptions): FastifyInstance {
  const options: FastifyServerOptions = {
    logger: false, // Fastify would create a logger per request, which is never used
    exposeHeadRoutes: false,
    forceCloseConnections: "idle", // shutDown() closes the others
    keepAliveTimeout: limits.idleMs,
    // No route has a schema, so the schema compilers need not be loaded.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // The API parses the query, and bounds its size.
    routerOptions: {
      maxParamLength: 65_536,
      ignoreTrailingSlash: false,
      querystringParser: () => NO_QUERY,
    },
    clientErrorHandler: refuseUnreadable(limits.lingerMs, realClock),
    frameworkErrors: (_error, _request, reply) => void sendStatus(reply, 400, "the URL cannot be read"),
  };
  // A missing Host header is rejected by the request guard, with the message of a kube-apiserver.
  if (tls === undefined) return Fastify({ ...options, http: { requireHostHeader: false } });
  const { certificate: cert, key, handshakeCa: ca } = tls;
  // The authenticator verifies client certificates: a client without a valid one may still present a token.
  const asking = { requestCert: true, rejectUnauthorized: false, allowPartialTrustChain: true };
  // A session resumed by a ticket lacks the client's intermediate certificates.
  const identity = { allowHTTP1: true, cert, key, ca, ...asking, secureOptions: constants.SSL_OP_NO_TICKET };
  const https = { ...identity, ...limitsOfHttp2(limits) };
  // The idle limit of limits.ts exempts open watches; Fastify's session timeout does not.
  const secure = { ...options, http2: true, http2SessionTimeout: 0, https };
  // Requests and responses of HTTP/2 have all members that are used here.
  return Fastify(secure as object) as FastifyInstance;
}

function limitsOfHttp2({ headersMs, headerBytesMax, streamsPerConnectionMax }: HttpLimits) {
  return {
    handshakeTimeout: headersMs,
    settings: { maxConcurrentStreams: streamsPerConnectionMax, maxHeaderListSize: headerBytesMax },
  };
}

export function createHttpApp(options: HttpAppOptions) {
  const fastify = createFastify(options);
  const { limits, realClock, tls } = options;
  limitConnections(fastify, limits, realClock);
  const turns = new BodyTurns();
  const deadlines = new Deadlines(realClock);
  const ways = {
    streams: new Streams(),
    upgrades: new Upgrades(fastify, tls !== undefined),
    connections: new Connections(fastify, tls !== undefined),
    open: new OpenConnections(fastify, resolveConnectionLimits(limits), tls !== undefined),
    budget: new AnswerBudget(budgetBytes()),
    bodies: new RequestBodies(limits, deadlines, turns),
    bodyStreams: new BodyStreams(fastify, limits, realClock),
    large: new LargeBodies(realClock, limits.requestMs),
    continues: new Continues(fastify),
  };
  const answering: AnswerOptions = { ...options, encrypted: tls !== undefined, ways, deadlines };
  surviveAcceptErrors(fastify, ways.open, options.log);
  const guard = createGuard(options.listenHost);
  const checkHead = createHeadCheck();
  const failed = (error: unknown, reply: FastifyReply) => {
    options.log.error({ err: error }, "a request has failed outside of the API");
    if (!reply.sent) sendStatus(reply, 400, error instanceof Error ? error.message : String(error));
  };
  fastify.setErrorHandler((error, _request, reply) => failed(error, reply));
  fastify.route({
    method: METHODS,
    url: "/*",
    // Answers in the first hook: the later framework steps (such as choosing a body parser) are not needed.
    onRequest: (request, reply, _goOn) => {
      const date = options.dateHeader?.();
      if (date !== undefined) reply.raw.setHeader("date", date);
      if (hasBody(request.raw)) {
        noteBody(request.raw, reply.raw);
        closeAfterAnswer(request.raw, reply.raw, { clock: realClock, lingerMs: limits.lingerMs, turns });
      }
      const head = checkHead(request.raw);
      if (head !== undefined) {
        reply.hijack();
        return refuseHead(reply.raw, head);
      }
      const { origin } = request.headers;
      const host = authorityOf(request) ?? request.headers.host;
      const refused = guard({ host, origin });
      if (refused === undefined) answer(answering, request, reply).catch((error) => failed(error, reply));
      else sendStatus(reply, 403, `forbidden: ${refused}`);
    },
    handler: neverReached,
  });
  fastify.setNotFoundHandler((_request, reply) =>
    sendStatus(reply, 405, "the server does not allow this method on the requested resource"),
  );
  return { fastify, close: () => shutDown(fastify, ways, realClock, limits.drainMs) };
}

/** Errors of accept() that closing idle connections may cure: no descriptor or memory for a new connection. */
const ACCEPT_ERRORS = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"]);
const ACCEPT_WARNING_MS = 10_000;

/** Without a listener Node ends the process when a connection cannot be accepted. */
function surviveAcceptErrors({ server }: FastifyInstance, open: OpenConnections, log: Log): void {
  let warnedMs = Number.NEGATIVE_INFINITY;
  server.on("error", (error: NodeJS.ErrnoException) => {
    if (!server.listening) return; // listen() rejects with it
    if (ACCEPT_ERRORS.has(error.code ?? "")) open.relieve();
    const now = elapsedMs();
    if (now - warnedMs < ACCEPT_WARNING_MS) return;
    warnedMs = now;
    log.warn({ err: error }, "a connection could not be accepted");
  });
}

function neverReached(): never {
  throw new Error("every request is answered before it comes to a handler");
}

/** The :authority of HTTP/2, which takes precedence over a Host header. */
function authorityOf({ headers }: FastifyRequest): string | undefined {
  const authority = headers[":authority"];
  return typeof authority === "string" ? authority : undefined;
}

function sendStatus(reply: FastifyReply, code: number, message: string): FastifyReply {
  const reason = REASONS[code] ?? "BadRequest";
  const status: Status = failure({ code, reason, message, details: {} }).status;
  return reply
    .code(code)
    .type("application/json")
    .send(Buffer.from(`${JSON.stringify(status)}\n`));
}

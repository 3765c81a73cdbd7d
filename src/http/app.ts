// The HTTP server: one route, behind which lies everything that is Kubernetes. It keeps web pages out and clients within
// their limits.
import { constants } from "node:crypto";
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from "fastify";
import { type Clock, elapsedMs } from "../meta/clock.ts";
import { failure, type Status } from "../meta/status.ts";
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
  /** The time that clients live in. */
  readonly realClock: Clock;
  /** Given: HTTPS, with HTTP/2 for clients that know it. */
  readonly tls?:
    | { readonly certificate: string; readonly key: string; readonly handshakeCa: string }
    | undefined;
  /** What the header Date says; left out, and undefined: the machine's time. */
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
    logger: false, // it would make a logger for each request, of which nobody writes
    exposeHeadRoutes: false,
    forceCloseConnections: "idle", // shutDown() ends the others
    keepAliveTimeout: limits.idleMs,
    // Fastify checks and writes nothing here that has a schema: what would compile one need not be loaded.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // The query is parsed by the API, which bounds it.
    routerOptions: {
      maxParamLength: 65_536,
      ignoreTrailingSlash: false,
      querystringParser: () => NO_QUERY,
    },
    clientErrorHandler: refuseUnreadable(limits.lingerMs, realClock),
    frameworkErrors: (_error, _request, reply) => void sendStatus(reply, 400, "the URL cannot be read"),
  };
  // A missing Host header is refused with the others, in the words of a real server.
  if (tls === undefined) return Fastify({ ...options, http: { requireHostHeader: false } });
  const { certificate: cert, key, handshakeCa: ca } = tls;
  // Client certificates are verified by the authenticator: a client without a valid one may still show a token.
  const asking = { requestCert: true, rejectUnauthorized: false, allowPartialTrustChain: true };
  // A session that is resumed by a ticket lacks the client's intermediate certificates.
  const identity = { allowHTTP1: true, cert, key, ca, ...asking, secureOptions: constants.SSL_OP_NO_TICKET };
  const https = { ...identity, ...limitsOfHttp2(limits) };
  // The limits know a watch from a connection on which nothing happens; Fastify's does not.
  const secure = { ...options, http2: true, http2SessionTimeout: 0, https };
  // Requests and answers of HTTP/2 have all members that are used here.
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
    // Answered where the request comes in: what the framework would do before a handler (to choose a parser for a body that
    // is not to be read yet) is of no use here.
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

/** Reasons to close idle connections: the system has no descriptor or memory for another one. */
const ACCEPT_ERRORS = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"]);
const ACCEPT_WARNING_MS = 10_000;

/** Without a listener Node ends the process with the first connection that cannot be accepted. */
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

/** Of HTTP/2, where it takes precedence over a Host header. */
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

// The handler of one request, from its headers to its response: authentication, injected faults, the API with its
// limits, and the response writer.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../apimachinery/meta/clock.ts";
import type { Ids } from "../../apimachinery/meta/ids.ts";
import { tooManyRequests } from "../../apimachinery/meta/status.ts";
import { jobOwner } from "../../apimachinery/workers/job.ts";
import {
  ANONYMOUS,
  type Authenticator,
  readImpersonation,
  unauthorized,
} from "../authentication/authenticator.ts";
import {
  type ApiRequest,
  type ApiResponse,
  discardBody,
  type RequestHooks,
  TEXT_TYPE,
  textResponse,
} from "../endpoints/api-request.ts";
import { type ApiServer, respondFailure } from "../endpoints/api-server.ts";
import { parseRequestInfo, Query } from "../endpoints/request/request-info.ts";
import { splitUrl } from "../endpoints/request/url.ts";
import { Warnings } from "../endpoints/response/warnings.ts";
import {
  type AnswerBudget,
  boundedWatch,
  heldByAnswer,
  heldByHead,
  reserveUntilSent,
} from "./answer-budget.ts";
import type { BodyStreams } from "./body-streams.ts";
import { Call } from "./call.ts";
import type { Connections } from "./connections.ts";
import type { Deadlines } from "./deadlines.ts";
import { wantsGzip } from "./gzip-wanted.ts";
import { LARGE_BODY_BYTES, type LargeBodies } from "./large-bodies.ts";
import {
  answerInTime,
  cutWhenUnread,
  type HttpLimits,
  type Inflight,
  InflightTurn,
  kindOf,
  timeFor,
} from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import type { OpenConnections } from "./open-connections.ts";
import { type Continues, hasBody, type RequestBodies } from "./request-bodies.ts";
import { answerOutlet, type Streams } from "./streams.ts";
import { refuseHandshake } from "./websocket/handshake.ts";
import { socketOutlet } from "./websocket/socket-response-writer.ts";
import type { Upgrades } from "./websocket/upgrades.ts";
import { sendWhole } from "./whole-answer.ts";

/** The user of a request whose credentials are invalid. The request is answered with 401 before the user is used. */
const NOBODY = { name: "", groups: [] };
/** Methods whose body, if any, is never read. */
const WITHOUT_BODY = new Set(["GET", "HEAD", "OPTIONS"]);

export interface AnswerOptions {
  readonly api: ApiServer;
  readonly authenticate: Authenticator;
  /**
   * Aborts when the session that admits the request ends; its streams end too. Absent or undefined: no session is
   * involved.
   */
  readonly endOf?: ((...asked: Parameters<Authenticator>) => AbortSignal | undefined) | undefined;
  /** Whether requests come over TLS, and may present client certificates. */
  readonly encrypted: boolean;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Generates audit IDs of responses. */
  readonly answerIds: Ids;
  readonly inflight: Inflight;
  /** Reports whether the path has no time limit. Watches never have one. */
  readonly isLongRunning: (path: string) => boolean;
  readonly limits: HttpLimits;
  /** The clock of time limits. */
  readonly deadlines: Deadlines;
  /** Fault injection and the request log. */
  readonly hooks: RequestHooks;
  /** Readers of bodies and writers of responses. */
  readonly ways: Ways;
}

export interface Ways {
  readonly streams: Streams;
  readonly upgrades: Upgrades;
  readonly connections: Connections;
  readonly open: OpenConnections;
  readonly budget: AnswerBudget;
  readonly bodies: RequestBodies;
  readonly bodyStreams: BodyStreams;
  readonly large: LargeBodies;
  readonly continues: Continues;
}

const TOO_MANY_REQUESTS: ApiResponse = {
  ...textResponse(429, "Too many requests, please try again later.\n"),
  headers: { "content-type": TEXT_TYPE, "retry-after": "1" },
};

export async function answer(
  options: AnswerOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { metrics, clock, answerIds, hooks, ways } = options;
  const { apiRequest: received, known, url, connection } = readRequest(options, request, reply);
  ways.open.use(request.raw, reply.raw, received.user);
  const call = new Call(received, url, clock.now(), { metrics, clock, log: hooks.observer });
  const apiRequest = known && hooks.gate.wantsBody(received.info) ? await bodyFirst(received) : received;
  const intervention = known ? hooks.gate.intercept(apiRequest) : undefined;
  const { user } = received;
  const reserve = (bytes: number) => reserveUntilSent(ways.budget, user, reply.raw, bytes);
  const handled = !reserve(heldByHead(request.raw))
    ? TOO_MANY_REQUESTS
    : intervention
      ? intervention.answer(async (changed) => handleInTurn(options, changed), connection())
      : known
        ? handleInTurn(options, apiRequest)
        : respondFailure(apiRequest, new Warnings(), unauthorized());
  const given = handled instanceof Promise ? await handled : handled;
  const cause = intervention?.cause ?? "";
  if (given === undefined) {
    call.answered(undefined, cause);
    reply.hijack();
    return;
  }
  const upgrade = ways.upgrades.of(request.raw);
  const isWatch = apiRequest.info.verb === "watch";
  const fitting = isWatch || reserve(heldByAnswer(given)) ? given : await refuseLarge(given);
  const isZipped = !upgrade && !isWatch && !intervention && wantsGzip(apiRequest, fitting);
  const answered = upgrade
    ? await switchProtocols(fitting, request.headers)
    : isZipped
      ? await (await import("./compression.ts")).compressed(fitting)
      : fitting;
  const common = commonHeaders(apiRequest.headers["audit-id"] ?? answerIds.uid());
  Object.assign(common, received.flow?.headers);
  if (ways.continues.isAsking(request.raw)) common["connection"] = "close";
  const { body } = answered;
  const { status, headers } = answered;
  const isBounded = !intervention && !isLongRunning(options, apiRequest);
  const unreadMs = isBounded ? options.limits.requestMs : undefined;
  if (typeof body !== "function") {
    call.answered(answered, cause);
    sendWhole(reply, { status, headers, common, body, unreadMs }, options.deadlines);
    return;
  }
  const response = { ...answered, headers: { ...common, ...headers } };
  if (unreadMs !== undefined) cutWhenUnread(reply.raw, options.deadlines, unreadMs);
  const opened = { request: apiRequest, response, body, connection };
  const watch = isWatch ? hooks.gate.watching(opened) : undefined;
  call.streaming(answered, cause);
  reply.hijack();
  const end = options.endOf?.(apiRequest.headers, socketOf(options, request), request.method);
  const outlet = upgrade ? socketOutlet(request.raw, upgrade, response) : answerOutlet(reply, response);
  try {
    await ways.streams.send(outlet, watch ? boundedWatch(watch.body, ways.budget, user) : body, end);
  } finally {
    call.streamed(answered, [cause, watch?.cause].filter(Boolean).join(","));
  }
}

/** 429: too many unread large responses, of this user or of all. */
async function refuseLarge(answered: ApiResponse): Promise<ApiResponse> {
  await discardBody(answered);
  return TOO_MANY_REQUESTS;
}

/** Decides on a WebSocket request: a watch switches protocols if the handshake is valid. */
async function switchProtocols(
  answered: ApiResponse,
  headers: FastifyRequest["headers"],
): Promise<ApiResponse> {
  if (typeof answered.body !== "function") return answered;
  const refused = refuseHandshake(headers);
  if (refused === undefined) return { ...answered, status: 101 };
  await discardBody(answered);
  return refused;
}

/** The request with its body read. A body that cannot be read is rejected where the handler would have read it. */
async function bodyFirst(request: ApiRequest): Promise<ApiRequest> {
  if (request.readBody === undefined) return request;
  try {
    return { ...request, body: await request.readBody(), readBody: undefined, streamBody: undefined };
  } catch (error) {
    return { ...request, readBody: () => Promise.reject(error), streamBody: undefined };
  }
}

/** Parses the head of a request. The body is not read: authentication comes first. */
function readRequest(options: AnswerOptions, request: FastifyRequest, reply: FastifyReply) {
  const { api, authenticate, ways } = options;
  const { raw, method } = request;
  const url = raw.url ?? "/";
  const [path, queryText] = splitUrl(url);
  const query = new Query(queryText);
  const headers = request.headers as ApiRequest["headers"]; // Node joins repeated headers, except set-cookie
  const connection = () => ways.connections.of(request, reply);
  const isWrong = ways.upgrades.of(raw)?.hasWrongToken;
  const shown = isWrong
    ? undefined
    : authenticate(headers, socketOf(options, request), method, raw.rawHeaders);
  const user = shown ?? (api.isOpen(path) ? ANONYMOUS : undefined);
  const isBare = WITHOUT_BODY.has(method) || !hasBody(raw);
  const readers = isBare ? undefined : readersOf(ways, raw);
  const apiRequest: ApiRequest = {
    method,
    path,
    query,
    info: parseRequestInfo(method, path, query),
    headers,
    body: undefined,
    readBody: readers?.readBody,
    streamBody: readers?.streamBody,
    user: user ?? NOBODY,
    impersonate: readImpersonation(raw.rawHeaders),
    remoteAddress: raw.socket.remoteAddress,
    flow: { headers: undefined },
    gone: () => connection().gone,
  };
  return { apiRequest, known: user !== undefined, url, connection };
}

const readersOf = ({ continues, bodies, bodyStreams }: Ways, raw: FastifyRequest["raw"]) => ({
  readBody(bytesMax?: number) {
    continues.grant(raw);
    return bodies.read(raw, bytesMax);
  },
  streamBody() {
    continues.grant(raw);
    return bodyStreams.read(raw);
  },
});

/** The socket of an encrypted connection, which may have a client certificate. */
const socketOf = ({ encrypted }: AnswerOptions, { raw }: FastifyRequest) =>
  encrypted ? raw.socket : undefined;

const isLongRunning = (options: AnswerOptions, { info, path }: ApiRequest): boolean =>
  info.verb === "watch" || options.isLongRunning(path);

/**
 * Enforces the in-flight limits and the time limit, with the messages of a kube-apiserver. A request with a body
 * counts as in flight from the time when its body is complete.
 */
function handleInTurn(options: AnswerOptions, request: ApiRequest): ApiResponse | Promise<ApiResponse> {
  const { api, inflight } = options;
  if (request.info.verb === "watch") return api.handle(request);
  const turn = new InflightTurn(inflight, kindOf(request.method));
  const { readBody, streamBody } = request;
  const whenLarge = () =>
    options.ways.large.enter(jobOwner(request.user, request.gone?.()), isLongRunning(options, request));
  if (readBody === undefined && !turn.enter()) {
    if (request.flow !== undefined) request.flow.headers = api.flowHeaders(request);
    return TOO_MANY_REQUESTS;
  }
  const handled = api.handle(readBody || streamBody ? inTurn(request, turn, whenLarge) : request);
  if (handled instanceof Promise) return waitInTurn(options, request, turn, handled);
  turn.leave();
  return handled;
}

async function waitInTurn(
  options: AnswerOptions,
  request: ApiRequest,
  turn: InflightTurn,
  handled: Promise<ApiResponse>,
): Promise<ApiResponse> {
  try {
    const response = isLongRunning(options, request)
      ? await handled
      : await answerInTime(request, handled, options.deadlines, timeFor(request, options.limits.requestMs));
    return turn.isRefused ? TOO_MANY_REQUESTS : response;
  } finally {
    turn.leave();
  }
}

/** The request that counts as in flight once its body is complete, or once streaming of the body begins. */
function inTurn(request: ApiRequest, turn: InflightTurn, whenLarge: () => Promise<() => void>): ApiRequest {
  const { readBody, streamBody } = request;
  const enter = () => {
    if (!turn.enter()) throw tooManyRequests("too many requests", 1); // the final message is set elsewhere
  };
  const readInTurn = async (body: Promise<Uint8Array>) => {
    const bytes = await body;
    if (bytes.byteLength > LARGE_BODY_BYTES) turn.alsoLeave(await whenLarge());
    enter();
    return bytes;
  };
  const streamInTurn = (stream: () => AsyncIterable<Uint8Array>) => {
    enter();
    return stream();
  };
  return {
    ...request,
    readBody: readBody && ((bytesMax) => readInTurn(readBody(bytesMax))),
    streamBody: streamBody && (() => streamInTurn(streamBody)),
  };
}

/** Headers of every response of a kube-apiserver. A response that may be cached sets its own cache-control. */
const commonHeaders = (auditId: string): Record<string, string> => ({
  "audit-id": auditId,
  "cache-control": "no-cache, private",
});

// How long and how much the server waits for clients, and takes of them. Where a kube-apiserver has such a limit the value
// is its own: that of --request-timeout, those of its net/http server, and that of its HTTP/2 settings.

import type { ServerResponse } from "node:http";
import type { ServerHttp2Session } from "node:http2";
import type { FastifyInstance } from "fastify";
import { type ApiRequest, type ApiResponse, discardBody } from "../apiserver/api-request.ts";
import { respondFailure } from "../apiserver/pipeline.ts";
import { Warnings } from "../apiserver/response/warnings.ts";
import { durationMs } from "../go/duration.ts";
import type { Clock, Timer } from "../meta/clock.ts";
import { type StatusError, timeout } from "../meta/status.ts";
import type { ConnectionLimits } from "./descriptors.ts";

export interface HttpLimits extends ConnectionLimits {
  /** A request that is no watch and no call of the control surface is answered, and its answer read, in this time. */
  readonly requestMs: number;
  /** The headers of a request, or a TLS handshake, are there in this time. */
  readonly headersMs: number;
  /** So long may a connection stay open on which nothing is asked. */
  readonly idleMs: number;
  /** So long is read on, and thrown away, what a client sends after it was answered; then its connection is closed. */
  readonly lingerMs: number;
  /** When the server stops, requests that are on their way are answered and read in this time. */
  readonly drainMs: number;
  readonly headerBytesMax: number;
  readonly bodyBytesMax: number;
  /** Of all bodies together that are being read. */
  readonly bodiesBytesMax: number;
  /** Requests at a time on one HTTP/2 connection. */
  readonly streamsPerConnectionMax: number;
}

const MEBIBYTE = 1024 * 1024;

export const HTTP_LIMITS: HttpLimits = {
  requestMs: 60_000,
  headersMs: 32_000,
  idleMs: 90_000,
  lingerMs: 1000,
  drainMs: 5000,
  headerBytesMax: MEBIBYTE,
  bodyBytesMax: 3 * MEBIBYTE,
  bodiesBytesMax: 128 * MEBIBYTE,
  streamsPerConnectionMax: 100,
  connectionsMax: 0,
  connectionsPerAddressMax: 0,
};

// The limits of connections, of which requests know nothing: how long headers and handshakes may take, how long a
// connection may stay idle. Node has most of them, but a server for HTTP/2 takes some only as members.

/** How often Node looks for requests that take too long. */
const CHECK_MS_MAX = 5000;

/** What HTTP/1.1 needs on any server, to be set before it listens. */
export function limitConnections({ server }: FastifyInstance, limits: HttpLimits, clock: Clock): void {
  const { headersMs, requestMs, idleMs, lingerMs, headerBytesMax } = limits;
  Object.assign(server, {
    headersTimeout: headersMs,
    // Bodies have their own limit and a worded answer; this one is for those that nobody reads.
    requestTimeout: headersMs + requestMs + lingerMs,
    connectionsCheckingInterval: Math.min(CHECK_MS_MAX, headersMs / 4),
    keepAliveTimeout: idleMs,
    maxHeaderSize: headerBytesMax,
  });
  server.on("session", (session: ServerHttp2Session) => endWhenIdle(session, idleMs, clock));
}

/** Closes a session of HTTP/2 that has had no stream for so long. */
function endWhenIdle(session: ServerHttp2Session, idleMs: number, clock: Clock): void {
  let open = 0;
  let timer: Timer | undefined;
  const wait = () => {
    timer = clock.after(idleMs, () => session.close());
  };
  session.on("stream", (stream) => {
    timer?.cancel();
    open++;
    stream.once("close", () => {
      if (--open === 0 && !session.closed) wait();
    });
  });
  session.once("close", () => timer?.cancel());
  wait();
}

// How many requests may be on their way at a time, as the API server's flags of these names say, and the time that each
// has, from its arrival until its answer has been read. Watches do not count.

export interface InflightLimits {
  /** Requests that only read; 0 is no limit. */
  readonly maxRequestsInflight: number;
  /** Requests that may change something; 0 is no limit. */
  readonly maxMutatingRequestsInflight: number;
}

export type RequestKind = "readOnly" | "mutating";

const READ_ONLY = new Set(["GET", "HEAD", "OPTIONS"]);

export const kindOf = (method: string): RequestKind => (READ_ONLY.has(method) ? "readOnly" : "mutating");

export class Inflight {
  readonly #limits: Readonly<Record<RequestKind, number>>;
  readonly #now: Record<RequestKind, number> = { readOnly: 0, mutating: 0 };
  readonly #refused: Record<RequestKind, number> = { readOnly: 0, mutating: 0 };

  constructor({ maxRequestsInflight, maxMutatingRequestsInflight }: InflightLimits) {
    this.#limits = {
      readOnly: maxRequestsInflight || Number.POSITIVE_INFINITY,
      mutating: maxMutatingRequestsInflight || Number.POSITIVE_INFINITY,
    };
  }

  /** False when there are enough already; otherwise leave has to follow. */
  enter(kind: RequestKind): boolean {
    if (this.#now[kind] >= this.#limits[kind]) {
      this.#refused[kind]++;
      return false;
    }
    this.#now[kind]++;
    return true;
  }

  leave(kind: RequestKind): void {
    this.#now[kind]--;
  }

  /** How many were ever too many. */
  get refused(): Readonly<Record<RequestKind, number>> {
    return this.#refused;
  }

  /** How many are on their way. */
  get now(): Readonly<Record<RequestKind, number>> {
    return this.#now;
  }
}

/** The place that one request has, or not, among those that are on their way. */
export class InflightTurn {
  readonly #inflight: Inflight;
  readonly #kind: RequestKind;
  #place: boolean | undefined;
  #alsoLeave: (() => void) | undefined;

  constructor(inflight: Inflight, kind: RequestKind) {
    this.#inflight = inflight;
    this.#kind = kind;
  }

  /** False when there are too many. */
  enter(): boolean {
    this.#place = this.#inflight.enter(this.#kind);
    return this.#place;
  }

  get isRefused(): boolean {
    return this.#place === false;
  }

  leave(): void {
    if (this.#place) this.#inflight.leave(this.#kind);
    this.#alsoLeave?.();
  }

  /** Called when the request leaves. */
  alsoLeave(act: () => void): void {
    this.#alsoLeave = act;
  }
}

/** A client may ask for less time, but not for more; what cannot be read is refused elsewhere. */
export function timeFor({ query }: ApiRequest, requestMs: number): number {
  const asked = durationMs(query.get("timeout")) ?? 0;
  return asked > 0 ? Math.min(asked, requestMs) : requestMs;
}

/** The text of a real server for a request that has taken longer than it may. */
export const notInTime = (): StatusError =>
  timeout("Timeout: request did not complete within the allotted timeout", 0);

/** The answer, or a 504 after so long. The work goes on then, and its outcome is thrown away. */
export function answerInTime(
  request: ApiRequest,
  answer: Promise<ApiResponse>,
  deadlines: Pick<Clock, "after">,
  ms: number,
): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    let late = false;
    const timer = deadlines.after(ms, () => {
      late = true;
      resolve(respondFailure(request, new Warnings(), notInTime()));
    });
    answer.then(async (response) => {
      timer.cancel();
      if (late) await discardBody(response);
      else resolve(response);
    }, reject);
  });
}

/** Breaks the connection, or the stream of HTTP/2, if the answer has not been read after so long, as a real server does. */
export function cutWhenUnread(response: ServerResponse, deadlines: Pick<Clock, "after">, ms: number): void {
  const timer = deadlines.after(ms, () => response.destroy());
  response.once("close", () => timer.cancel());
}

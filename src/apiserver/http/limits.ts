// Time and size limits for clients. A limit that a kube-apiserver has too has its value: from --request-timeout,
// from its net/http server, or from its HTTP/2 settings.

import type { ServerResponse } from "node:http";
import type { ServerHttp2Session } from "node:http2";
import type { FastifyInstance } from "fastify";
import { durationMs } from "../../apimachinery/go/duration.ts";
import type { Clock, Timer } from "../../apimachinery/meta/clock.ts";
import { type StatusError, timeout } from "../../apimachinery/meta/status.ts";
import { type ApiRequest, type ApiResponse, discardBody } from "../endpoints/api-request.ts";
import { respondFailure } from "../endpoints/api-server.ts";
import { Warnings } from "../endpoints/response/warnings.ts";
import type { ConnectionLimits } from "./descriptors.ts";

export interface HttpLimits extends ConnectionLimits {
  /** Limit from the arrival of a request until its response is read. Watches and the control API are exempt. */
  readonly requestMs: number;
  /** Limit for the headers of a request, and for a TLS handshake. */
  readonly headersMs: number;
  /** How long a connection may be idle. */
  readonly idleMs: number;
  /** How long bytes after an early response are read and discarded before the connection is closed. */
  readonly lingerMs: number;
  /** At shutdown, the time for requests in flight to be answered and read. */
  readonly drainMs: number;
  readonly headerBytesMax: number;
  readonly bodyBytesMax: number;
  /** Limit for all bodies together that are being read. */
  readonly bodiesBytesMax: number;
  /** Concurrent requests on one HTTP/2 connection. */
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

// Limits of connections: headers, handshakes and idle time. Node enforces most of them, but an HTTP/2 server takes
// some only as properties.

/** Interval at which Node checks for overdue requests. */
const CHECK_MS_MAX = 5000;

/** Limits of HTTP/1.1 for any server. Call it before the server listens. */
export function limitConnections({ server }: FastifyInstance, limits: HttpLimits, clock: Clock): void {
  const { headersMs, requestMs, idleMs, lingerMs, headerBytesMax } = limits;
  Object.assign(server, {
    headersTimeout: headersMs,
    // Read bodies have their own limit with an error message. This limit is for bodies that are never read.
    requestTimeout: headersMs + requestMs + lingerMs,
    connectionsCheckingInterval: Math.min(CHECK_MS_MAX, headersMs / 4),
    keepAliveTimeout: idleMs,
    maxHeaderSize: headerBytesMax,
  });
  server.on("session", (session: ServerHttp2Session) => endWhenIdle(session, idleMs, clock));
}

/** Closes an HTTP/2 session that has had no stream for `idleMs`. */
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

// Limits of requests in flight (--max-requests-inflight, --max-mutating-requests-inflight), and the time limit of a
// request, from its arrival until its response is read. Watches do not count.

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

  /** Returns false above the limit; otherwise `leave` must follow. */
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

  /** Requests rejected so far. */
  get refused(): Readonly<Record<RequestKind, number>> {
    return this.#refused;
  }

  /** Requests in flight now. */
  get now(): Readonly<Record<RequestKind, number>> {
    return this.#now;
  }
}

/** The slot of one request among those in flight. */
export class InflightTurn {
  readonly #inflight: Inflight;
  readonly #kind: RequestKind;
  #place: boolean | undefined;
  #alsoLeave: (() => void) | undefined;

  constructor(inflight: Inflight, kind: RequestKind) {
    this.#inflight = inflight;
    this.#kind = kind;
  }

  /** Returns false above the limit. */
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

  /** `act` is called when the request leaves. */
  alsoLeave(act: () => void): void {
    this.#alsoLeave = act;
  }
}

/** A client may shorten the time limit, but not extend it. An unparsable value is rejected elsewhere. */
export function timeFor({ query }: ApiRequest, requestMs: number): number {
  const asked = durationMs(query.get("timeout")) ?? 0;
  return asked > 0 ? Math.min(asked, requestMs) : requestMs;
}

/** The message of a kube-apiserver for a request that exceeds its time limit. */
export const notInTime = (): StatusError =>
  timeout("Timeout: request did not complete within the allotted timeout", 0);

/** The response, or a 504 after `ms`. The handler then continues, and its result is discarded. */
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

/**
 * Breaks the connection, or the HTTP/2 stream, if the response has not been read after `ms`, as a kube-apiserver
 * does.
 */
export function cutWhenUnread(response: ServerResponse, deadlines: Pick<Clock, "after">, ms: number): void {
  const timer = deadlines.after(ms, () => response.destroy());
  response.once("close", () => timer.cancel());
}

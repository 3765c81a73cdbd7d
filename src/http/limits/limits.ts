// How long and how much the server waits for clients, and takes of them. Where a kube-apiserver has such a limit the value
// is its own: that of --request-timeout, those of its net/http server, and that of its HTTP/2 settings.
import type { ServerHttp2Session } from "node:http2";
import type { FastifyInstance } from "fastify";
import type { Clock, Timer } from "../../meta/clock.ts";

export interface HttpLimits {
  /** A request that is no watch and no call of the control surface is answered, and its answer read, in this time. */
  readonly requestMs: number;
  /** The headers of a request, or a TLS handshake, are there in this time. */
  readonly headersMs: number;
  /** So long may a connection stay open on which nothing is asked. */
  readonly idleMs: number;
  /** So long is read on, and thrown away, what a client sends after it was answered; then its connection is closed. */
  readonly lingerMs: number;
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
  headerBytesMax: MEBIBYTE,
  bodyBytesMax: 3 * MEBIBYTE,
  bodiesBytesMax: 128 * MEBIBYTE,
  streamsPerConnectionMax: 100,
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

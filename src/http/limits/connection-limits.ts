// The limits of connections, of which requests know nothing: how long headers and handshakes may take, how long a
// connection may stay idle. Node has most of them, but a server for HTTP/2 takes some only as members.
import type { ServerHttp2Session } from "node:http2";
import type { FastifyInstance } from "fastify";
import type { Clock, Timer } from "../../meta/clock.ts";
import type { HttpLimits } from "./limits.ts";

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

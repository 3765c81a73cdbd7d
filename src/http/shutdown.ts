// The end of the HTTP server: requests that are on their way are answered, streams end, clients of HTTP/2 are sent GOAWAY.
// A client that does not read keeps nothing open for longer than the bound.
import type { FastifyInstance } from "fastify";
import type { Clock } from "../meta/clock.ts";
import type { Connections } from "./connections.ts";
import type { OpenConnections } from "./open-connections.ts";
import type { Streams } from "./streams.ts";

interface Ways {
  readonly streams: Streams;
  readonly connections: Connections;
  readonly open: OpenConnections;
}

/** So long may clients take to close connections on which nothing is on its way. */
const CLOSE_MS = 500;

/** Resolves when no connection is left; `drainMs` is how long requests may take to be answered and read. */
export async function shutDown(
  fastify: FastifyInstance,
  { streams, connections, open }: Ways,
  clock: Clock,
  drainMs: number,
): Promise<void> {
  const closed = fastify.close(); // no new connections from here on
  connections.stop();
  void streams.end();
  open.goAway();
  await atMost(clock, drainMs, open.unused());
  fastify.server.closeIdleConnections?.();
  await atMost(clock, Math.min(CLOSE_MS, drainMs), open.closed());
  open.destroy();
  await closed;
}

async function atMost(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  const waiting = new AbortController();
  const late = clock.sleep(ms, waiting.signal).catch(() => {});
  await Promise.race([work, late]);
  waiting.abort();
}

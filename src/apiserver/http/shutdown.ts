// Graceful shutdown of the HTTP server: requests in flight are answered, streams end, and HTTP/2 clients receive
// GOAWAY. A client that does not read is disconnected after the time limit.
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../apimachinery/meta/clock.ts";
import type { Connections } from "./connections.ts";
import type { OpenConnections } from "./open-connections.ts";
import type { Streams } from "./streams.ts";

interface Ways {
  readonly streams: Streams;
  readonly connections: Connections;
  readonly open: OpenConnections;
}

/** How long clients may take to close idle connections. */
const CLOSE_MS = 500;

/** Resolves when all connections are closed. `drainMs` is the time for requests to be answered and read. */
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

// Response bodies of injected faults: truncated or throttled.

import type { Clock } from "../../apimachinery/meta/clock.ts";
import type { ApiResponse, BodySink, Connection, StreamBody } from "../../apiserver/endpoints/api-request.ts";
import type { Break } from "./fault.ts";

/** A throttled body is sent in this many pieces per second. */
const PIECES_PER_SECOND = 10;

/** Breaks the connection as requested. Resolves when the connection is gone. */
export async function breakConnection(how: Break, connection: Connection): Promise<void> {
  if (how === "reset") connection.reset();
  else if (how === "close") connection.close();
  else if (how === "halfClose") connection.halfClose();
  await aborted(connection.gone);
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Sends the first half of the response, then breaks the connection. */
export function truncateAnswer(response: ApiResponse, how: Break, connection: Connection): ApiResponse {
  const stream = asStream(response);
  return {
    ...stream,
    body: async (sink, signal) => {
      const pieces: Uint8Array[] = [];
      await stream.body({ write: (chunk) => void pieces.push(chunk) }, signal);
      const whole = Buffer.concat(pieces);
      await sink.write(whole.subarray(0, whole.length >> 1));
      await breakConnection(how, connection);
    },
  };
}

/** Limits the response to a number of bytes per second. */
export function throttleAnswer(response: ApiResponse, bytesPerSecond: number, clock: Clock): ApiResponse {
  const stream = asStream(response);
  return {
    ...stream,
    body: (sink, signal) => stream.body(throttleSink(sink, bytesPerSecond, clock, signal), signal),
  };
}

/** A sink that forwards a number of bytes per second. */
export function throttleSink(
  sink: BodySink,
  bytesPerSecond: number,
  clock: Clock,
  signal: AbortSignal,
): BodySink {
  const perSecond = Math.min(bytesPerSecond, PIECES_PER_SECOND);
  const size = Math.ceil(bytesPerSecond / perSecond);
  return {
    cut: () => sink.cut?.(),
    async write(chunk) {
      for (let at = 0; at < chunk.length && !signal.aborted; at += size) {
        const piece = chunk.subarray(at, at + size);
        await sleep(clock, (piece.length / bytesPerSecond) * 1000, signal);
        if (!signal.aborted) await sink.write(piece);
      }
    },
  };
}

/** Sleeps; returns early when the signal aborts. */
export async function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || milliseconds <= 0) return;
  await clock.sleep(milliseconds, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Converts a complete body to a stream of one piece, and keeps its Content-Length. */
function asStream(response: ApiResponse): ApiResponse & { readonly body: StreamBody } {
  const { body, headers } = response;
  if (typeof body === "function") return { ...response, body };
  const bytes = body ?? new Uint8Array();
  return {
    ...response,
    headers: { ...headers, "content-length": String(bytes.length) },
    body: async (sink) => {
      await sink.write(bytes);
    },
  };
}

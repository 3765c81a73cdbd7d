// Streamed response bodies: watches and long lists. All open streams are tracked, so that server shutdown ends each
// one with a final chunk instead of a broken connection, as a kube-apiserver does.

import { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import type { FastifyReply } from "fastify";
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import type { ApiResponse, BodySink, StreamBody } from "../endpoints/api-request.ts";

/** The transport of a streamed body: an HTTP response or a WebSocket. */
export interface ResponseWriter {
  /** Sends everything that precedes the body. Calls `gone` when the client can no longer receive. */
  open(gone: () => void): BodySink;
  /** Marks the body as complete. */
  end(): void;
  /** Breaks the connection, so that the client cannot take a partial body for a complete one. */
  cut(): void;
}

/**
 * The reason with which all streams are aborted. An own DOMException for each, with its stack trace, takes a quarter of
 * the time that 2,000 watchers need to disconnect at once.
 */
const ENDED = new DOMException("the stream has ended", "AbortError");

export class Streams {
  readonly #open = new Map<AbortController, Promise<void>>();

  /** Sends a stream. Resolves when the stream ends, whether by its source, by the client or by the `end` signal. */
  async send(outlet: ResponseWriter, body: StreamBody, end?: AbortSignal): Promise<void> {
    const controller = new AbortController();
    const stop = () => controller.abort(ENDED);
    if (end?.aborted) stop();
    end?.addEventListener("abort", stop, { once: true });
    const sent = sendBody(outlet, body, controller);
    this.#open.set(controller, sent);
    try {
      await sent;
    } finally {
      this.#open.delete(controller);
      end?.removeEventListener("abort", stop);
    }
  }

  /** Ends all streams. Resolves when the last chunk of each is written. */
  async end(): Promise<void> {
    const open = [...this.#open];
    for (const [controller] of open) controller.abort(ENDED);
    await Promise.allSettled(open.map(([, sent]) => sent));
  }
}

async function sendBody(
  outlet: ResponseWriter,
  body: StreamBody,
  controller: AbortController,
): Promise<void> {
  const sink = outlet.open(() => void abortInTurn(controller));
  try {
    await body(sink, controller.signal);
  } catch (error) {
    outlet.cut();
    throw error;
  }
  outlet.end();
}

/** Many clients may disconnect at once. Their streams end within the usual slices of time, between other requests. */
async function abortInTurn(controller: AbortController): Promise<void> {
  const turn = yieldIfDue();
  if (turn) await turn;
  controller.abort(ENDED);
}

/** Streams the body of an HTTP response. */
export function answerOutlet(reply: FastifyReply, { status, headers }: ApiResponse): ResponseWriter {
  const { raw } = reply;
  return {
    open(gone) {
      if (isClosed(raw)) gone();
      else raw.on("close", gone);
      raw.writeHead(status, headers);
      raw.flushHeaders();
      const { socket } = raw;
      const isPlain = raw instanceof ServerResponse && raw.chunkedEncoding && socket !== null;
      return isPlain ? createBodySink(raw, chunkWriter(socket), socket) : createBodySink(raw);
    },
    end: () => raw.end(),
    cut: () => raw.destroy(),
  };
}

/**
 * Reports whether the client disconnected before the response began; no later event announces that. Responses of
 * HTTP/2 have a stream.
 */
const isClosed = (raw: FastifyReply["raw"]): boolean =>
  raw.destroyed || ("stream" in raw && (raw.stream as Writable).destroyed);

// An HTTP/1.1 chunk is framed by its length and a line end. Node writes the three parts separately for each client.
// Here they are joined once per event and shared by all watchers, which halves the cost of a delivery.

/** Longer chunks are not copied; their frame is written separately. */
const FRAMED_BYTES_MAX = 16 * 1024;
const LINE_END = "\r\n";

let lastChunk: Uint8Array | undefined;
let lastFramed = Buffer.alloc(0);

function framed(chunk: Uint8Array): Buffer {
  if (chunk !== lastChunk) {
    const length = chunk.byteLength.toString(16) + LINE_END;
    lastFramed = Buffer.concat([Buffer.from(length), chunk, Buffer.from(LINE_END)]);
    lastChunk = chunk;
  }
  return lastFramed;
}

/**
 * Writes chunks directly to the socket after the response has sent its headers; the response still ends itself. No
 * chunk may pass through the response: newer Node versions buffer such chunks until the event-loop turn ends, so
 * that later chunks would overtake them.
 */
export function chunkWriter(socket: Writable): (chunk: Uint8Array) => void {
  return (chunk) => {
    if (chunk.byteLength === 0) return;
    const isFirst = socket.writableCorked === 0;
    if (chunk.byteLength <= FRAMED_BYTES_MAX) socket.write(framed(chunk));
    else {
      socket.cork();
      socket.write(chunk.byteLength.toString(16) + LINE_END, "latin1");
      socket.write(chunk);
      socket.write(LINE_END, "latin1");
      socket.uncork();
    }
    if (isFirst) holdRest(socket);
  };
}

// Each write is a system call, which is most of the cost of a delivery. The first chunk of an event-loop turn is
// written at once. Further chunks for the same client are corked and leave together at the end of the turn. Under
// load turns get longer, so that each change costs fewer system calls.

const held: Writable[] = [];

function holdRest(socket: Writable): void {
  socket.cork();
  if (held.push(socket) === 1) setImmediate(releaseAll);
}

function releaseAll(): void {
  for (const socket of held.splice(0)) socket.uncork();
}

// Backpressure: writes the chunks of a streamed body to a socket and waits while the client does not read.

/**
 * Unread bytes of one client above which the writer waits. Node's own high-water mark (16 KiB) would make writers
 * wait too often.
 */
export const UNREAD_BYTES_MAX = 1024 * 1024;

/** `write` writes one chunk; default: `to.write`. `into` is the stream that emits "drain", where that is not `to`. */
export function createBodySink(
  to: Writable | ServerResponse,
  write: (chunk: Uint8Array) => void = (chunk) => to.write(chunk),
  into: Writable | ServerResponse = to,
): BodySink {
  let waiting = 0;
  let closed = false; // an HTTP/2 response does not report that it is closed
  to.once("close", () => {
    closed = true;
  });
  return {
    write(chunk) {
      if (closed || to.destroyed || to.writableEnded) return undefined;
      write(chunk);
      if (to.writableLength <= UNREAD_BYTES_MAX) return undefined;
      waiting++;
      return drained(into).then(() => void waiting--);
    },
    cut() {
      if (waiting > 0) to.destroy();
    },
  };
}

/** Resolves when the client has read enough, or has disconnected. */
function drained(to: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      to.off("drain", done);
      to.off("close", done);
      resolve();
    };
    to.on("drain", done);
    to.on("close", done);
  });
}

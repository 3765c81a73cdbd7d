// Bodies that are sent piece by piece: watches and long lists. All that are open are known, so that a server that
// stops can end them as a real one does, with a last chunk instead of a cut.

import { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { ApiResponse, BodySink, StreamBody } from "../apiserver/api-request.ts";

/** The way that a stream leaves by. */
export interface Outlet {
  /** Sends what stands before the body. `gone` is called when nobody takes more. */
  open(gone: () => void): BodySink;
  /** Says that the body is whole. */
  end(): void;
  /** Breaks the connection: nobody must take what there is for the whole. */
  cut(): void;
}

export class Streams {
  readonly #open = new Map<AbortController, Promise<void>>();

  /** Sends a stream and resolves at its end, whoever ends it: `end` is one way. */
  async send(outlet: Outlet, body: StreamBody, end?: AbortSignal): Promise<void> {
    const controller = new AbortController();
    const stop = () => controller.abort();
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

  /** Ends all streams and resolves when the last piece of each has been handed over. */
  async end(): Promise<void> {
    const open = [...this.#open];
    for (const [controller] of open) controller.abort();
    await Promise.allSettled(open.map(([, sent]) => sent));
  }
}

async function sendBody(outlet: Outlet, body: StreamBody, controller: AbortController): Promise<void> {
  const sink = outlet.open(() => controller.abort());
  try {
    await body(sink, controller.signal);
  } catch (error) {
    outlet.cut();
    throw error;
  }
  outlet.end();
}

/** The body of an answer. */
export function answerOutlet(reply: FastifyReply, { status, headers }: ApiResponse): Outlet {
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

/** Whether the client went while its answer was being made: nobody is told of that again. The answers of HTTP/2 have a stream. */
const isClosed = (raw: FastifyReply["raw"]): boolean =>
  raw.destroyed || ("stream" in raw && (raw.stream as Writable).destroyed);

// A chunk of HTTP/1.1 stands between its length and a line end. Node writes the three one by one for each client; here they are
// put together once, and the same bytes go to all watchers of an event, which halves what a delivery costs.

/** A longer chunk is not worth a copy. */
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
 * Writes chunks past the answer, whose headers are on their way already; its end is still its own matter. No chunk goes through
 * the answer: newer Nodes hold back what they are given there until the turn ends, and later chunks would overtake it.
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

// Each write is a call of the system, and most of what a delivery costs. The first chunk of a turn of the event loop leaves at
// once, and what else there is for its client in the same turn leaves together at its end: the more there is to do, the longer
// are turns, and the fewer calls a change costs.

const held: Writable[] = [];

function holdRest(socket: Writable): void {
  socket.cork();
  if (held.push(socket) === 1) setImmediate(releaseAll);
}

function releaseAll(): void {
  for (const socket of held.splice(0)) socket.uncork();
}

// Writes the chunks of a streamed body to a socket and waits while the client does not read.

/** More than this unread by a client is a reason to wait. Node's own mark (16 KiB) would make writers wait too often. */
export const UNREAD_BYTES_MAX = 1024 * 1024;

/**
 * `write`: how a chunk gets into what is written to; left out: as it is. `into`: what says that there is room again, where that
 * is not the same.
 */
export function createBodySink(
  to: Writable | ServerResponse,
  write: (chunk: Uint8Array) => void = (chunk) => to.write(chunk),
  into: Writable | ServerResponse = to,
): BodySink {
  let waiting = 0;
  let closed = false; // an HTTP/2 response does not say so itself
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

/** Resolves when the client has read on, or has gone. */
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

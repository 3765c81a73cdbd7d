// Bodies that are sent piece by piece: watches and long lists. All that are open are known, so that a server that
// stops can end them as a real one does, with a last chunk instead of a cut.

import type { ServerResponse } from "node:http";
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
      raw.on("close", gone);
      raw.writeHead(status, headers);
      raw.flushHeaders();
      return createBodySink(raw);
    },
    end: () => raw.end(),
    cut: () => raw.destroy(),
  };
}

// Writes the chunks of a streamed body to a socket and waits while the client does not read.

/** More than this unread by a client is a reason to wait. Node's own mark (16 KiB) would make writers wait too often. */
export const UNREAD_BYTES_MAX = 1024 * 1024;

/** `write`: how a chunk gets into what is written to; left out: as it is. */
export function createBodySink(
  to: Writable | ServerResponse,
  write: (chunk: Uint8Array) => void = (chunk) => to.write(chunk),
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
      return drained(to).then(() => void waiting--);
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

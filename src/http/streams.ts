// Bodies that are sent piece by piece: watches and long lists. All that are open are known, so that a server that
// stops can end them as a real one does, with a last chunk instead of a cut.

import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { ApiResponse, BodySink, StreamBody } from "../apiserver/api-request.ts";

export class Streams {
  readonly #open = new Map<AbortController, Promise<void>>();

  /** Sends a stream and resolves at its end, whoever ends it. */
  async send(reply: FastifyReply, response: ApiResponse, body: StreamBody): Promise<void> {
    const controller = new AbortController();
    const sent = sendBody(reply, response, body, controller);
    this.#open.set(controller, sent);
    try {
      await sent;
    } finally {
      this.#open.delete(controller);
    }
  }

  /** Ends all streams and resolves when the last piece of each has been handed over. */
  async end(): Promise<void> {
    const open = [...this.#open];
    for (const [controller] of open) controller.abort();
    await Promise.allSettled(open.map(([, sent]) => sent));
  }
}

async function sendBody(
  reply: FastifyReply,
  { status, headers }: ApiResponse,
  body: StreamBody,
  controller: AbortController,
): Promise<void> {
  const { raw } = reply;
  reply.hijack();
  raw.on("close", () => controller.abort());
  raw.writeHead(status, headers);
  raw.flushHeaders();
  try {
    await body(createBodySink(raw), controller.signal);
  } catch (error) {
    raw.destroy(); // nobody must take what there is for the whole
    throw error;
  }
  raw.end();
}

// Writes the chunks of a streamed body to a socket and waits while the client does not read.

/** More than this unread by a client is a reason to wait. Node's own mark (16 KiB) would make writers wait too often. */
const UNREAD_BYTES_MAX = 1024 * 1024;

export function createBodySink(response: ServerResponse): BodySink {
  let waiting = 0;
  let closed = false; // an HTTP/2 response does not say so itself
  response.once("close", () => {
    closed = true;
  });
  return {
    write(chunk) {
      if (closed || response.destroyed || response.writableEnded) return undefined;
      response.write(chunk);
      if (response.writableLength <= UNREAD_BYTES_MAX) return undefined;
      waiting++;
      return drained(response).then(() => void waiting--);
    },
    cut() {
      if (waiting > 0) response.destroy();
    },
  };
}

/** Resolves when the client has read on, or has gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}

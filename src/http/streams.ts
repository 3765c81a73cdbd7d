// Bodies that are sent piece by piece: watches and long lists. All that are open are known, so that a server that
// stops can end them as a real one does, with a last chunk instead of a cut.
import type { FastifyReply } from "fastify";
import type { ApiResponse, StreamBody } from "../apiserver/api-request.ts";
import { createBodySink } from "./body-sink.ts";

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

// Requests that are answered before their bodies have come: what the client still sends is thrown away for a moment, so
// that it can read its answer and need not find its connection broken; then the connection is closed, as a real server does.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../meta/clock.ts";
import type { BodyTurns } from "./request-bodies.ts";

/** The requests of an HTTP/2 server have a stream. */
const streamOf = (message: IncomingMessage): Http2ServerRequest["stream"] | undefined =>
  "stream" in message ? (message.stream as Http2ServerRequest["stream"]) : undefined;

/** Whether something follows the headers. */
export function hasBody(message: IncomingMessage): boolean {
  const stream = streamOf(message);
  if (stream !== undefined) return !stream.endAfterHeaders;
  const { "content-length": length = "0", "transfer-encoding": encoding } = message.headers;
  return encoding !== undefined || length !== "0";
}

export interface LettingGo {
  readonly clock: Clock;
  readonly lingerMs: number;
  readonly turns: BodyTurns;
}

/** To be called before the answer, when there is a body. */
export function closeAfterAnswer(
  message: IncomingMessage,
  response: ServerResponse,
  { clock, lingerMs, turns }: LettingGo,
): void {
  response.once("finish", () => {
    if (message.complete) return;
    const stream = streamOf(message);
    if (stream !== undefined) {
      stream.close(); // without an error: the answer counts
      return;
    }
    turns.discard(message);
    clock.after(lingerMs, () => {
      if (!message.complete) message.socket.destroy();
    });
  });
}

/** Clients that ask whether they may send a body are told so when it is wanted, and not before. */
export class Continues {
  readonly #asking = new WeakMap<IncomingMessage, ServerResponse>();

  constructor({ server }: FastifyInstance) {
    server.on("checkContinue", (message: IncomingMessage, response: ServerResponse) => {
      this.#asking.set(message, response);
      server.emit("request", message, response);
    });
  }

  /** To be called before the body is read. */
  grant(message: IncomingMessage): void {
    this.#asking.get(message)?.writeContinue();
    this.#asking.delete(message);
  }

  /** Whether the client still waits. After any other answer nobody can tell what it will send next. */
  isAsking(message: IncomingMessage): boolean {
    return this.#asking.has(message);
  }
}

// Streamed request bodies of unlimited length: an import may exceed the memory of the server. Backpressure slows
// senders down. A sender that is idle for the request timeout is disconnected.
import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../apimachinery/meta/clock.ts";
import { badRequest } from "../../apimachinery/meta/status.ts";
import type { HttpLimits } from "./limits.ts";

/** Node's limit for a whole HTTP/1.1 request; HTTP/2 servers have none. */
type WithRequestTime = { requestTimeout?: number };

export class BodyStreams {
  readonly #server: WithRequestTime;
  readonly #idleMs: number;
  readonly #clock: Clock;
  #open = 0;
  #requestTime = 0;

  constructor(
    { server }: Pick<FastifyInstance, "server">,
    { requestMs }: Pick<HttpLimits, "requestMs">,
    clock: Clock,
  ) {
    this.#server = server as WithRequestTime; // undefined for HTTP/2
    this.#idleMs = requestMs;
    this.#clock = clock;
  }

  /** Streams the chunks of a body. Throws 400 when it is truncated. */
  async *read(message: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
    this.#begin();
    const cut = () => message.destroy();
    let timer = this.#clock.after(this.#idleMs, cut);
    try {
      for await (const chunk of message.iterator({ destroyOnReturn: false })) {
        timer.cancel();
        yield chunk as Buffer; // without an encoding, a message yields buffers
        timer = this.#clock.after(this.#idleMs, cut);
      }
    } catch (cause) {
      throw message.complete ? cause : badRequest("unexpected EOF");
    } finally {
      timer.cancel();
      this.#end();
    }
  }

  /**
   * Node's request timeout applies to all requests, so it is suspended while a stream is open. Each request still
   * has the other limits.
   */
  #begin(): void {
    if (this.#open++ > 0 || this.#server.requestTimeout === undefined) return;
    this.#requestTime = this.#server.requestTimeout;
    this.#server.requestTimeout = 0;
  }

  #end(): void {
    if (--this.#open > 0 || this.#server.requestTimeout === undefined) return;
    this.#server.requestTimeout = this.#requestTime;
  }
}

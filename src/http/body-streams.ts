// Bodies that are taken as they come, however long they are: what is imported may be larger than what a server should hold
// at once. Their senders are held by what the server can take, and one who sends nothing for a while is cut off.
import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../meta/clock.ts";
import { badRequest } from "../meta/status.ts";
import type { HttpLimits } from "./limits.ts";

/** What Node has of a server for HTTP/1.1: a whole request must come within this time. */
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
    this.#server = server as WithRequestTime; // one for HTTP/2 has none
    this.#idleMs = requestMs;
    this.#clock = clock;
  }

  /** Throws 400 where the body breaks off. */
  async *read(message: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
    this.#begin();
    const cut = () => message.destroy();
    let timer = this.#clock.after(this.#idleMs, cut);
    try {
      for await (const chunk of message.iterator({ destroyOnReturn: false })) {
        timer.cancel();
        yield chunk as Buffer; // a message without an encoding gives buffers
        timer = this.#clock.after(this.#idleMs, cut);
      }
    } catch (cause) {
      throw message.complete ? cause : badRequest("unexpected EOF");
    } finally {
      timer.cancel();
      this.#end();
    }
  }

  /** Node looks after all requests alike: while one may take long, each has but its own limits. */
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

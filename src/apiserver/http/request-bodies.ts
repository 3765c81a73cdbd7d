// Reads request bodies only after authentication and authorization: until then nothing of a body is taken from the
// socket. The bytes of all incomplete bodies are bounded. Above the bound the body that has been read for the
// longest time is rejected, so that slow clients cannot block clients that send promptly.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { FastifyInstance } from "fastify";
import type { Clock, Timer } from "../../apimachinery/meta/clock.ts";
import {
  badRequest,
  bodyTooLarge,
  type StatusError,
  tooManyRequests,
} from "../../apimachinery/meta/status.ts";
import { newRequestsArrive, yieldsToNewRequests } from "../../apimachinery/scheduling/event-loop.ts";
import { type HttpLimits, notInTime } from "./limits.ts";

const RETRY_AFTER_SECONDS = 1;

interface Reading {
  bytes: number;
  readonly bytesMax: number;
  /** Stops reading the body and rejects it with the error. */
  fail(error: StatusError): void;
}

export type BodyLimits = Pick<HttpLimits, "requestMs" | "bodyBytesMax" | "bodiesBytesMax">;

export class RequestBodies {
  readonly #limits: BodyLimits;
  readonly #clock: Pick<Clock, "after">;
  readonly #turns: BodyTurns;
  /** In the order in which reading began. */
  readonly #reading = new Set<Reading>();
  #bytes = 0;

  constructor(limits: BodyLimits, clock: Pick<Clock, "after">, turns: BodyTurns) {
    this.#limits = limits;
    this.#clock = clock;
    this.#turns = turns;
  }

  /** Bytes received of incomplete bodies. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns the whole body. Throws 400 when the body is truncated, 413 above the size limit, 429 above the limit for
   * all bodies, and 504 after the time limit.
   */
  read(message: IncomingMessage, bytesMax = this.#limits.bodyBytesMax): Promise<Buffer> {
    if (Number(message.headers["content-length"]) > bytesMax) return Promise.reject(bodyTooLarge(bytesMax));
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const reading: Reading = { bytes: 0, bytesMax, fail: (error) => leave(() => reject(error)) };
      const take = (chunk: Buffer) => {
        chunks.push(chunk);
        this.#turns.took(message, chunk.length);
        this.#take(reading, chunk.length);
      };
      const end = () => leave(() => resolve(Buffer.concat(chunks)));
      const broken = () => reading.fail(badRequest("unexpected EOF"));
      const leave = (settle: () => void) => {
        message.off("data", take).off("end", end).off("error", broken).off("close", broken);
        this.#turns.leave(message);
        this.#end(reading, timer);
        settle();
      };
      const timer = this.#clock.after(this.#limits.requestMs, () => reading.fail(notInTime()));
      this.#reading.add(reading);
      if (message.destroyed) broken();
      else message.on("data", take).on("end", end).on("error", broken).on("close", broken);
    });
  }

  #take(reading: Reading, bytes: number): void {
    reading.bytes += bytes;
    this.#bytes += bytes;
    if (reading.bytes > reading.bytesMax) reading.fail(bodyTooLarge(reading.bytesMax));
    for (const oldest of this.#reading) {
      if (this.#bytes <= this.#limits.bodiesBytesMax) return;
      if (oldest.bytes === 0) continue; // rejecting it would free no bytes
      const message = "too many bytes of request bodies are on their way, please try again later";
      oldest.fail(tooManyRequests(message, RETRY_AFTER_SECONDS));
    }
  }

  #end(reading: Reading, timer: Timer): void {
    timer.cancel();
    if (this.#reading.delete(reading)) this.#bytes -= reading.bytes;
  }
}

// Event-loop yielding for bodies: the bytes that all bodies bring in one turn of the event loop are bounded, so that
// large uploads do not delay short requests. Paused messages resume in the order of arrival; their rest stays with
// the client.

interface TurnBounds {
  /** Bytes read per turn. Nearly all bodies are far smaller, and never wait. */
  readonly bytes: number;
  /** How many waiting messages resume per turn. Each may have some buffered bytes. */
  readonly goOn: number;
}

/** Takes some milliseconds. */
const USUAL: TurnBounds = { bytes: 4 * 1024 * 1024, goOn: 16 };
/** While clients connect, because libuv accepts one connection per turn. */
const SHORT: TurnBounds = { bytes: 256 * 1024, goOn: 2 };

const boundsNow = (): TurnBounds => (newRequestsArrive() ? SHORT : USUAL);

export type BodyMessage = Pick<IncomingMessage, "on" | "pause" | "resume">;

export class BodyTurns {
  #bytes = 0;
  #ends = false;
  readonly #waiting = new Set<BodyMessage>();

  /** Records the bytes received of a message, and pauses it above the bound. */
  took(message: BodyMessage, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > boundsNow().bytes) {
      message.pause();
      this.#waiting.add(message);
    }
    this.#awaitEnd();
  }

  /** Removes a message that is no longer read. */
  leave(message: BodyMessage): void {
    this.#waiting.delete(message);
  }

  /** Reads and discards the rest of a body. */
  discard(message: BodyMessage): void {
    message.on("data", (chunk: Buffer) => this.took(message, chunk.length));
    message.resume();
  }

  #awaitEnd(): void {
    if (this.#ends) return;
    this.#ends = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#ends = false;
    this.#bytes = 0;
    const goOn = yieldsToNewRequests() ? 0 : boundsNow().goOn;
    for (const message of [...this.#waiting].slice(0, goOn)) {
      this.#waiting.delete(message);
      message.resume();
    }
    if (this.#waiting.size > 0) this.#awaitEnd();
  }
}

// Requests that are answered before their bodies have arrived. The rest of the body is discarded for a short time,
// so that the client can read the response instead of a connection reset. Then the connection is closed, as by a
// kube-apiserver.

/** The requests of an HTTP/2 server have a stream. */
const streamOf = (message: IncomingMessage): Http2ServerRequest["stream"] | undefined =>
  "stream" in message ? (message.stream as Http2ServerRequest["stream"]) : undefined;

/** Reports whether a body follows the headers. */
export function hasBody(message: IncomingMessage): boolean {
  const stream = streamOf(message);
  if (stream !== undefined) return !stream.endAfterHeaders;
  const { "content-length": length = "0", "transfer-encoding": encoding } = message.headers;
  return encoding !== undefined || length !== "0";
}

/** Call it before the response is sent, when the request has a body. */
export function closeAfterAnswer(
  message: IncomingMessage,
  response: ServerResponse,
  { clock, lingerMs, turns }: { readonly clock: Clock; readonly lingerMs: number; readonly turns: BodyTurns },
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

/** Answers `Expect: 100-continue` when the body is read, and not before. */
export class Continues {
  readonly #asking = new WeakMap<IncomingMessage, ServerResponse>();
  /** Most servers never receive such a request. */
  #anybody = false;

  constructor({ server }: FastifyInstance) {
    server.on("checkContinue", (message: IncomingMessage, response: ServerResponse) => {
      this.#asking.set(message, response);
      this.#anybody = true;
      server.emit("request", message, response);
    });
  }

  /** Sends 100 Continue. Call it before the body is read. */
  grant(message: IncomingMessage): void {
    if (!this.#anybody) return;
    this.#asking.get(message)?.writeContinue();
    this.#asking.delete(message);
  }

  /**
   * Reports whether the client still waits for 100 Continue. After any other response the server cannot know whether
   * the client sends the body or a new request.
   */
  isAsking(message: IncomingMessage): boolean {
    return this.#anybody && this.#asking.has(message);
  }
}

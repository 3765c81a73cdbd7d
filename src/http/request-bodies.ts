// Reads bodies when they are wanted, which is after it is known who asks and that he may: until then nothing of them is
// taken from the socket. Their sum is bounded. When it is too much, the body that has been read for the longest time gives
// way: slow clients cannot keep those out who send what they have.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { FastifyInstance } from "fastify";
import type { Clock, Timer } from "../meta/clock.ts";
import { badRequest, bodyTooLarge, type StatusError, tooManyRequests } from "../meta/status.ts";
import { newcomersCome, newcomersFirst } from "../meta/turns.ts";
import { type HttpLimits, notInTime } from "./limits.ts";

const RETRY_AFTER_SECONDS = 1;

interface Reading {
  bytes: number;
  readonly bytesMax: number;
  /** Ends it. */
  fail(error: StatusError): void;
}

export type BodyLimits = Pick<HttpLimits, "requestMs" | "bodyBytesMax" | "bodiesBytesMax">;

export class RequestBodies {
  readonly #limits: BodyLimits;
  readonly #clock: Pick<Clock, "after">;
  readonly #turns: BodyTurns;
  /** In the order of their beginnings. */
  readonly #reading = new Set<Reading>();
  #bytes = 0;

  constructor(limits: BodyLimits, clock: Pick<Clock, "after">, turns: BodyTurns) {
    this.#limits = limits;
    this.#clock = clock;
    this.#turns = turns;
  }

  /** Bytes that have come of bodies that are not complete. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The whole body. Throws 400 when it breaks off, 413, 429 when there is too much of all, and 504. */
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
      if (oldest.bytes === 0) continue; // it has nothing to give
      const message = "too many bytes of request bodies are on their way, please try again later";
      oldest.fail(tooManyRequests(message, RETRY_AFTER_SECONDS));
    }
  }

  #end(reading: Reading, timer: Timer): void {
    timer.cancel();
    if (this.#reading.delete(reading)) this.#bytes -= reading.bytes;
  }
}

// Bodies come in by turns: what all of them bring in one turn of the process is bounded, so that clients who send much do
// not keep those waiting who ask for little. The rest stays with its senders, in the order of their coming.

interface TurnBounds {
  /** What is read. Nearly all bodies are far smaller, and never wait. */
  readonly bytes: number;
  /** So many of those that wait go on. Each may have a little with it already. */
  readonly goOn: number;
}

/** What takes some milliseconds. */
const USUAL: TurnBounds = { bytes: 4 * 1024 * 1024, goOn: 16 };
/** While clients connect, each in a turn of its own. */
const SHORT: TurnBounds = { bytes: 256 * 1024, goOn: 2 };

const boundsNow = (): TurnBounds => (newcomersCome() ? SHORT : USUAL);

export type BodyMessage = Pick<IncomingMessage, "on" | "pause" | "resume">;

export class BodyTurns {
  #bytes = 0;
  #ends = false;
  readonly #waiting = new Set<BodyMessage>();

  /** To be told of each piece that has come of a message. */
  took(message: BodyMessage, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > boundsNow().bytes) {
      message.pause();
      this.#waiting.add(message);
    }
    this.#awaitEnd();
  }

  /** Nobody reads it any more. */
  leave(message: BodyMessage): void {
    this.#waiting.delete(message);
  }

  /** Throws away what still comes. */
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
    const goOn = newcomersFirst() ? 0 : boundsNow().goOn;
    for (const message of [...this.#waiting].slice(0, goOn)) {
      this.#waiting.delete(message);
      message.resume();
    }
    if (this.#waiting.size > 0) this.#awaitEnd();
  }
}

// Requests that are answered before their bodies have come: what the client still sends is thrown away for a moment, so
// that it can read its answer and need not find its connection broken; then the connection is closed, as a real server does.

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

/** To be called before the answer, when there is a body. */
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

/** Clients that ask whether they may send a body are told so when it is wanted, and not before. */
export class Continues {
  readonly #asking = new WeakMap<IncomingMessage, ServerResponse>();
  /** Most servers are never asked. */
  #anybody = false;

  constructor({ server }: FastifyInstance) {
    server.on("checkContinue", (message: IncomingMessage, response: ServerResponse) => {
      this.#asking.set(message, response);
      this.#anybody = true;
      server.emit("request", message, response);
    });
  }

  /** To be called before the body is read. */
  grant(message: IncomingMessage): void {
    if (!this.#anybody) return;
    this.#asking.get(message)?.writeContinue();
    this.#asking.delete(message);
  }

  /** Whether the client still waits. After any other answer nobody can tell what it will send next. */
  isAsking(message: IncomingMessage): boolean {
    return this.#anybody && this.#asking.has(message);
  }
}

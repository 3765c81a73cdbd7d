// Bodies come in by turns: what all of them bring in one turn of the process is bounded, so that clients who send much do
// not keep those waiting who ask for little. The rest stays with its senders, in the order of their coming.
import type { IncomingMessage } from "node:http";

/** What takes some milliseconds to be read. Nearly all bodies are far smaller, and never wait. */
const TURN_BYTES_MAX = 4 * 1024 * 1024;
/** So many of those that wait go on in the next turn. Each may have a little with it already. */
const GO_ON_MAX = 16;

export type BodyMessage = Pick<IncomingMessage, "on" | "pause" | "resume">;

export class BodyTurns {
  #bytes = 0;
  #ends = false;
  readonly #waiting = new Set<BodyMessage>();

  /** To be told of each piece that has come of a message. */
  took(message: BodyMessage, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > TURN_BYTES_MAX) {
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
    for (const message of [...this.#waiting].slice(0, GO_ON_MAX)) {
      this.#waiting.delete(message);
      message.resume();
    }
    if (this.#waiting.size > 0) this.#awaitEnd();
  }
}

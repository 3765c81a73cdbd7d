// How far long work has come: one line on the standard error output that is written over, and only on a terminal.
import process from "node:process";
import { type Clock, systemClock } from "../meta/clock.ts";

const EVERY_MS = 100;

/** What a line is written to. */
export interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export class Progress implements Disposable {
  readonly #what: string;
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  #lastMs = Number.NEGATIVE_INFINITY;
  #isShown = false;

  /** `what` has happened: "applied", "restored". */
  constructor(what: string, terminal: Terminal = process.stderr, clock: Clock = systemClock) {
    this.#what = what;
    this.#terminal = terminal;
    this.#clock = clock;
  }

  /** Whether anybody would see it. */
  get isSeen(): boolean {
    return this.#terminal.isTTY === true;
  }

  /** Ten times a second at most. `total` 0: it is not known how much there is. */
  show(done: number, total: number): void {
    if (!this.isSeen) return;
    const now = this.#clock.now();
    if (now - this.#lastMs < EVERY_MS && done < total) return;
    this.#lastMs = now;
    const share = total > 0 ? ` of ${total} (${Math.floor((done / total) * 100)} %)` : "";
    this.#terminal.write(`\r\u001b[K${this.#what} ${done}${share}`);
    this.#isShown = true;
  }

  /** Takes the line away, so that others can be written. */
  clear(): void {
    if (this.#isShown) this.#terminal.write("\r\u001b[K");
    this.#isShown = false;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

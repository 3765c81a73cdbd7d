// Times that something must be done in, where nearly all of it is done at once: a timer is made for what is still waited
// for at the end of the turn. A GET then costs no timer at all.
import type { Clock, Timer } from "../meta/clock.ts";

class Deadline implements Timer {
  readonly #delayMs: number;
  readonly #callback: () => void;
  #timer: Timer | undefined;
  #cancelled = false;

  constructor(delayMs: number, callback: () => void) {
    this.#delayMs = delayMs;
    this.#callback = callback;
  }

  start(clock: Clock): void {
    if (!this.#cancelled) this.#timer = clock.after(this.#delayMs, this.#callback);
  }

  cancel(): void {
    this.#cancelled = true;
    this.#timer?.cancel();
  }
}

export class Deadlines {
  readonly #clock: Clock;
  #fresh: Deadline[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** As Clock.after; the time counts from the end of this turn of the process. */
  after(delayMs: number, callback: () => void): Timer {
    const deadline = new Deadline(delayMs, callback);
    if (this.#fresh.push(deadline) === 1) setImmediate(() => this.#start());
    return deadline;
  }

  #start(): void {
    const fresh = this.#fresh;
    this.#fresh = [];
    for (const deadline of fresh) deadline.start(this.#clock);
  }
}

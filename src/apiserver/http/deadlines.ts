// Deadlines for work that mostly completes within one event-loop turn: a timer is created only for what still waits
// at the end of the turn. A GET then costs no timer.
import type { Clock, Timer } from "../../apimachinery/meta/clock.ts";

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

  /** Like Clock.after; the time counts from the end of this event-loop turn. */
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

// Clock of a server that either runs with the machine's clock or is frozen. Its timers count the time that elapses on
// this clock, not the shown time: setting another date fires no timer, advance() does.
//
//   timer: in 5 s   advance(3 s)   freeze(2030)   advance(1 s)   run()
//   left:  5 s      2 s            2 s            1 s            fires after one second of the machine's time

import { type Clock, sleepBy, type Timer } from "./clock.ts";
import { Sequence } from "./sequence.ts";

interface Waiting {
  readonly callback: () => void;
  /** On the scale of elapsed time of this clock. */
  readonly dueMs: number;
  /** Runs while the clock does. */
  running: Timer | undefined;
}

/** A timer never fires at once, so that time advances between timers that rearm themselves. */
const DELAY_MS_MIN = 1;

export class ControlledClock implements Clock {
  readonly #source: Clock;
  /** In creation order: of timers that are due at the same time the older one fires first. */
  readonly #waiting = new Set<Waiting>();
  /** The time that a frozen clock shows; undefined: the clock runs. */
  #shownMs: number | undefined;
  /** Difference between the elapsed times of this clock and of its source; unused while it is frozen. */
  #aheadMs = 0;
  /** The elapsed time at which the clock was frozen; unused while it runs. */
  #passedMs = 0;
  readonly #changes = new Sequence();
  #closed = false;

  /** A clock that runs with its source. */
  constructor(source: Clock) {
    this.#source = source;
  }

  get frozen(): boolean {
    return this.#shownMs !== undefined;
  }

  /** Number of pending timers. */
  get timers(): number {
    return this.#waiting.size;
  }

  now(): number {
    return this.#shownMs ?? this.#source.now();
  }

  after(delayMs: number, callback: () => void): Timer {
    const dueMs = this.#passed + (delayMs > DELAY_MS_MIN ? delayMs : DELAY_MS_MIN);
    const waiting: Waiting = { callback, dueMs, running: undefined };
    if (!this.#closed) this.#waiting.add(waiting);
    if (!this.frozen) this.#start(waiting, delayMs);
    return { cancel: () => this.#drop(waiting) };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepBy({ after: (ms, callback) => this.after(ms, callback) }, delayMs, signal);
  }

  /** Freezes the clock, at a given or the current time. Timers keep their remaining delays. */
  freeze(atMs?: number): Promise<void> {
    return this.#changes.next(async () => this.#stand(atMs));
  }

  /** As freeze, for a new clock without other users. */
  static frozen(source: Clock, atMs?: number): ControlledClock {
    const clock = new ControlledClock(source);
    clock.#stand(atMs);
    return clock;
  }

  /** Runs with its source again and shows the source's time. Timers keep their remaining delays. */
  run(): Promise<void> {
    return this.#changes.next(async () => this.#run());
  }

  /**
   * Advances a frozen clock. Timers fire in the order of their times, each at its own time. Before each next timer it
   * awaits settled(), so that follow-up work is done at that time. Returns false and does nothing if the clock runs.
   */
  async advance(byMs: number, settled: () => Promise<void>): Promise<boolean> {
    let done = false;
    await this.#changes.next(async () => {
      done = this.frozen;
      if (done) await this.#advance(this.#passedMs + byMs, settled);
    });
    return done;
  }

  /** Cancels all pending timers and ignores new ones. */
  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting) this.#drop(waiting);
  }

  get #passed(): number {
    return this.frozen ? this.#passedMs : this.#source.now() + this.#aheadMs;
  }

  async #advance(untilMs: number, settled: () => Promise<void>): Promise<void> {
    await settled();
    for (let due = this.#firstDue(untilMs); due.length > 0; due = this.#firstDue(untilMs)) {
      for (const waiting of due) {
        if (!this.#waiting.delete(waiting)) continue; // canceled by a timer before it
        this.#passTo(waiting.dueMs);
        waiting.callback();
        await settled();
      }
    }
    this.#passTo(untilMs);
  }

  /** The timers that are due next until then, all with the same time. */
  #firstDue(untilMs: number): readonly Waiting[] {
    let first = untilMs;
    let due: Waiting[] = [];
    for (const waiting of this.#waiting) {
      if (waiting.dueMs > first) continue;
      if (waiting.dueMs < first) due = [];
      first = waiting.dueMs;
      due.push(waiting);
    }
    return due;
  }

  #passTo(timeMs: number): void {
    if (this.#shownMs === undefined || timeMs <= this.#passedMs) return;
    this.#shownMs += timeMs - this.#passedMs;
    this.#passedMs = timeMs;
  }

  #stand(atMs: number | undefined): void {
    this.#passedMs = this.#passed;
    this.#shownMs = atMs ?? this.now();
    for (const waiting of this.#waiting) waiting.running?.cancel();
  }

  #run(): void {
    if (!this.frozen) return;
    this.#aheadMs = this.#passedMs - this.#source.now();
    this.#shownMs = undefined;
    for (const waiting of this.#waiting) this.#start(waiting, waiting.dueMs - this.#passed);
  }

  #start(waiting: Waiting, delayMs: number): void {
    if (this.#closed) return;
    waiting.running = this.#source.after(delayMs, () => {
      this.#waiting.delete(waiting);
      waiting.callback();
    });
  }

  #drop(waiting: Waiting): void {
    waiting.running?.cancel();
    this.#waiting.delete(waiting);
  }
}

// The clock of a server: that of the machine, or one that stands until it is told to go on. Its timers count the time
// that passes by it and not what it shows: setting it to another day makes nothing due, advancing it does.
//
//   timer: in 5 s   advance(3 s)   freeze(2030)   advance(1 s)   run()
//   left:  5 s      2 s            2 s            1 s            fires after one second of the machine's time

import { type Clock, sleepBy, type Timer } from "./clock.ts";
import { Sequence } from "./sequence.ts";

interface Waiting {
  readonly callback: () => void;
  /** In the time that passes by this clock. */
  readonly dueMs: number;
  /** Runs while the clock does. */
  running: Timer | undefined;
}

/** A timer never comes at once, so that time always goes on between timers that set themselves again. */
const DELAY_MS_MIN = 1;

export class ControlledClock implements Clock {
  readonly #source: Clock;
  /** In the order in which they were made: of those that are due at the same time the older goes first. */
  readonly #waiting = new Set<Waiting>();
  /** What it shows while it stands; undefined: it runs. */
  #shownMs: number | undefined;
  /** How much of the time that has passed by this clock has not passed by its source; without meaning while it stands. */
  #aheadMs = 0;
  /** The time that has passed by it when it was stopped; without meaning while it runs. */
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

  /** How many timers have not come yet. */
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

  /** Stops it, at a time or where it is. Timers keep what is left of their delays. */
  freeze(atMs?: number): Promise<void> {
    return this.#changes.next(async () => this.#stand(atMs));
  }

  /** As freeze, for a clock that nobody else has yet. */
  static frozen(source: Clock, atMs?: number): ControlledClock {
    const clock = new ControlledClock(source);
    clock.#stand(atMs);
    return clock;
  }

  /** Lets it run with its source again, and show what that shows. Timers keep what is left of their delays. */
  run(): Promise<void> {
    return this.#changes.next(async () => this.#run());
  }

  /**
   * Lets time pass by a clock that stands. Timers come in the order of their times, each at its own; before the next one
   * settled() is waited for, so that what one sets off is done at its time. False, and nothing done: the clock runs.
   */
  async advance(byMs: number, settled: () => Promise<void>): Promise<boolean> {
    let done = false;
    await this.#changes.next(async () => {
      done = this.frozen;
      if (done) await this.#advance(this.#passedMs + byMs, settled);
    });
    return done;
  }

  /** No timer comes any more, neither those that wait nor new ones. */
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
        if (!this.#waiting.delete(waiting)) continue; // one before it has cancelled it
        this.#passTo(waiting.dueMs);
        waiting.callback();
        await settled();
      }
    }
    this.#passTo(untilMs);
  }

  /** The next to come until then: all that are due at the same time. */
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

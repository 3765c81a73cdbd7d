// A manual clock for the web UI.
import type { PageClock } from "../../../src/ui/frame/browser-clock.ts";

export class HeldClock implements PageClock {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  chance(): number {
    return 1;
  }

  /** Advances the time without calling timers, like a long synchronous task. */
  pass(spanMs: number): void {
    this.#nowMs += spanMs;
  }

  /** The number of pending callbacks. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Calls the callbacks that are due until then, in order, and those that they schedule. */
  advance(spanMs: number): void {
    const endMs = this.#nowMs + spanMs;
    for (;;) {
      const due = [...this.#timers].filter(({ atMs }) => atMs <= endMs);
      const [next] = due.sort((a, b) => a.atMs - b.atMs);
      if (!next) break;
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.callback();
    }
    this.#nowMs = Math.max(this.#nowMs, endMs);
  }
}

// A clock of the page that goes on only when it is told to.
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

  /** Something takes so long that nothing else is called meanwhile. */
  pass(spanMs: number): void {
    this.#nowMs += spanMs;
  }

  /** How many callbacks are waited for. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Calls what is due until then, in order, and what that brings about. */
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

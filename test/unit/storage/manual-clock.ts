// A clock that is frozen until a test advances it.
import type { Clock } from "../../../src/apimachinery/meta/clock.ts";

interface Due {
  readonly atMs: number;
  run(): void;
}

export class ManualClock implements Clock {
  #nowMs = 0;
  readonly #due = new Set<Due>();

  /** How many timers are waiting. */
  get timers(): number {
    return this.#due.size;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void) {
    const due = { atMs: this.#nowMs + delayMs, run: callback };
    this.#due.add(due);
    return { cancel: () => void this.#due.delete(due) };
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(delayMs, resolve);
    });
  }

  /** Runs everything that falls due on the way, in order. */
  advance(ms: number): void {
    const until = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#due].filter((due) => due.atMs <= until).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#due.delete(next);
      this.#nowMs = next.atMs;
      next.run();
    }
    this.#nowMs = until;
  }
}

// Schedules a report of each node every ten seconds, in batches spread over the round. One timer serves all nodes; without
// nodes no timer runs.
//
//   60 nodes:   n1…n20   3.3 s   n21…n40   3.3 s   n41…n60   3.3 s   n1…n20
import type { Timer } from "../../../apimachinery/meta/clock.ts";
import type { Kit } from "../../../controller/definition.ts";

export const ROUND_MS = 10_000;
/** Nodes in one batch, unless that needs more than PARTS_MAX batches. */
const TOGETHER = 25;
const PARTS_MAX = 20;

export class Rounds {
  readonly #clock: Kit["clock"];
  readonly #signal: AbortSignal;
  readonly #names = new Set<string>();
  /** Remaining batches of this round. */
  #parts: (readonly string[])[] = [];
  #stepMs = ROUND_MS;
  #timer: Timer | undefined;
  #tell: ((names: readonly string[]) => void) | undefined;

  constructor({ clock, signal }: Pick<Kit, "clock" | "signal">) {
    this.#clock = clock;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#timer?.cancel(), { once: true });
  }

  /** Starts the timer. The callback receives the node names of each batch. */
  start(tell: (names: readonly string[]) => void): void {
    this.#tell = tell;
    this.#goOn();
  }

  /** Adds the node to the next round. */
  add(name: string): void {
    this.#names.add(name);
    this.#goOn();
  }

  remove(name: string): void {
    this.#names.delete(name);
  }

  #goOn(): void {
    const isIdle = this.#parts.length === 0 && this.#names.size === 0;
    if (this.#tell === undefined || this.#timer !== undefined || this.#signal.aborted || isIdle) return;
    if (this.#parts.length === 0) this.#begin();
    this.#timer = this.#clock.after(this.#stepMs, () => {
      this.#timer = undefined;
      this.#tell?.(this.#parts.shift() ?? []);
      this.#goOn();
    });
  }

  #begin(): void {
    const names = [...this.#names];
    const parts = Math.min(Math.ceil(names.length / TOGETHER), PARTS_MAX);
    const size = Math.ceil(names.length / parts);
    this.#parts = Array.from({ length: parts }, (_, part) => names.slice(part * size, (part + 1) * size));
    this.#stepMs = ROUND_MS / parts;
  }
}

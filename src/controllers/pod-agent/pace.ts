// How much is said at a time, by the clock of the cluster: so much at once, and so much in each second after that.
import type { Clock } from "../../meta/clock.ts";

export class Pace {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #perMs: number;
  #left: number;
  #atMs: number;

  constructor(clock: Clock, { atOnce, perSecond }: { readonly atOnce: number; readonly perSecond: number }) {
    this.#clock = clock;
    this.#most = atOnce;
    this.#perMs = perSecond / 1000;
    this.#left = atOnce;
    this.#atMs = clock.now();
  }

  /** False: that would be too much. */
  take(): boolean {
    const nowMs = this.#clock.now();
    const gained = Math.max(nowMs - this.#atMs, 0) * this.#perMs;
    this.#left = Math.min(this.#left + gained, this.#most);
    this.#atMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}

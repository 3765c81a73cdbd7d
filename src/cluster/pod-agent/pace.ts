// A token bucket on the cluster's clock: a burst, then a fixed rate per second.
import type { Clock } from "../../apimachinery/meta/clock.ts";

export class Pace {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #perMs: number;
  #left: number;
  #atMs: number;

  constructor(
    clock: Clock,
    { runSync, perSecond }: { readonly runSync: number; readonly perSecond: number },
  ) {
    this.#clock = clock;
    this.#most = runSync;
    this.#perMs = perSecond / 1000;
    this.#left = runSync;
    this.#atMs = clock.now();
  }

  /** Returns false if the rate is exceeded. */
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

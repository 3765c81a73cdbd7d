// Failed logins by address: after a few in a minute, further failures are answered with 429. A valid credential is always
// accepted: all users may share one address, and the failures of one must not lock out the others.
import type { Clock } from "../../apimachinery/meta/clock.ts";

const FAILURES_MAX = 5;
const WINDOW_MS = 60_000;
/** Above this limit the address with the oldest failure is evicted. */
const ADDRESSES_MAX = 10_000;

export class FailedLogins {
  readonly #clock: Clock;
  /** Times of recent failures by address; the address that failed last comes last. */
  readonly #failures = new Map<string, readonly number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Seconds until the address may try again; 0: at once. */
  waitOf(address: string): number {
    const recent = this.#recent(address);
    const [first] = recent;
    if (first === undefined || recent.length < FAILURES_MAX) return 0;
    return Math.ceil((first + WINDOW_MS - this.#clock.now()) / 1000);
  }

  failed(address: string): void {
    const recent = [...this.#recent(address), this.#clock.now()];
    this.#failures.delete(address);
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined && this.#failures.size >= ADDRESSES_MAX) this.#failures.delete(oldest);
    this.#failures.set(address, recent.slice(-FAILURES_MAX));
  }

  #recent(address: string): readonly number[] {
    const since = this.#clock.now() - WINDOW_MS;
    return (this.#failures.get(address) ?? []).filter((atMs) => atMs > since);
  }
}

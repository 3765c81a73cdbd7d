// Time as a parameter: code that waits or takes timestamps uses a Clock, so that tests and the control surface can
// freeze it.
import { setTimeout as delay } from "node:timers/promises";
import { formatMetaTime } from "../go/time.ts";

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls once after delayMs; a timer does not keep the process alive. */
  after(delayMs: number, callback: () => void): Timer;
  /** Resolves after delayMs, or rejects with the signal's reason when it aborts first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** Milliseconds since an arbitrary moment, by a monotonic clock. */
export const elapsedMs = (): number => performance.now();

/** Resolves after a delay of the machine's time, and keeps the process alive until then. */
export const pauseAwake = (delayMs: number): Promise<void> => delay(delayMs);

/** Limit of setTimeout, which treats a longer delay as none. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, callback) => new SystemTimer(delayMs, callback),
  sleep: (delayMs, signal) => sleepBy(systemClock, delayMs, signal),
};

/** A timer whose delay may exceed the limit of setTimeout; it then waits in parts. */
class SystemTimer implements Timer {
  #timer: NodeJS.Timeout;

  constructor(delayMs: number, callback: () => void) {
    this.#timer = this.#start(delayMs, callback);
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  #start(delayMs: number, callback: () => void): NodeJS.Timeout {
    if (delayMs <= TIMEOUT_MS_MAX) return setTimeout(callback, delayMs).unref();
    const goOn = () => {
      this.#timer = this.#start(delayMs - TIMEOUT_MS_MAX, callback);
    };
    return setTimeout(goOn, TIMEOUT_MS_MAX).unref();
  }
}

/** Implements sleep() for any clock by its timers. */
export function sleepBy(
  { after }: Pick<Clock, "after">,
  delayMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = after(delayMs, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** The day in UTC: "2030-01-31". */
export const dayOf = (epochMs: number): string => formatTime(epochMs).slice(0, 10);

/** metav1.Time: RFC 3339 in UTC with whole seconds. */
export function formatTime(epochMs: number): string {
  const second = Math.floor(epochMs / 1000);
  if (second !== lastSecond) {
    lastText = formatMetaTime(second);
    lastSecond = second;
  }
  return lastText;
}

/** Memoizes the last formatted second: every write needs the time, and most writes share a second. */
let lastSecond = Number.NaN;
let lastText = "";

const lastNanoseconds = new WeakMap<Clock, bigint>();

/** Time in nanoseconds, greater than all earlier results for this clock: for unique names. */
export function distinctNanoseconds(clock: Clock): bigint {
  const now = BigInt(Math.trunc(clock.now())) * 1_000_000n;
  const last = lastNanoseconds.get(clock) ?? 0n;
  const given = now > last ? now : last + 1n;
  lastNanoseconds.set(clock, given);
  return given;
}

const MICROSECONDS = 1_000_000;

/**
 * Time in whole microseconds modulo 2^32, as an integer that V8 stores without allocation. Differences are valid for an
 * hour.
 */
export const momentNow = (): number => (performance.now() * 1000) | 0;

export const secondsSince = (moment: number): number => ((momentNow() - moment) >>> 0) / MICROSECONDS;

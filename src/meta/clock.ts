// Time as a parameter: whatever waits or stamps asks a Clock, so that tests and the control surface can hold it still.
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

/** Milliseconds since some moment in the past, by a clock that nobody sets and that never jumps. */
export const elapsedMs = (): number => performance.now();

/** Resolves after so long by the machine's time. The process does not end meanwhile, even where nothing else keeps it. */
export const pauseAwake = (delayMs: number): Promise<void> => delay(delayMs);

/** What setTimeout can count; it takes a longer delay for none at all. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, callback) => new SystemTimer(delayMs, callback),
  sleep: (delayMs, signal) => sleepBy(systemClock, delayMs, signal),
};

/** A delay that is longer than setTimeout can count is waited for in parts. */
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

/** The sleep of any clock, made of its timers. */
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

/** Every write asks for the time, and most of them for that of the same second. */
let lastSecond = Number.NaN;
let lastText = "";

const lastNanoseconds = new WeakMap<Clock, bigint>();

/** The time in nanoseconds, and later than what anybody was given of this clock before: for names. */
export function distinctNanoseconds(clock: Clock): bigint {
  const now = BigInt(Math.trunc(clock.now())) * 1_000_000n;
  const last = lastNanoseconds.get(clock) ?? 0n;
  const given = now > last ? now : last + 1n;
  lastNanoseconds.set(clock, given);
  return given;
}

const MICROSECONDS = 1_000_000;

/** A moment in whole microseconds of 32 bits, which need no memory of their own. Good for an hour. */
export const momentNow = (): number => (performance.now() * 1000) | 0;

export const secondsSince = (moment: number): number => ((momentNow() - moment) >>> 0) / MICROSECONDS;

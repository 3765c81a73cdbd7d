// Time as a parameter: whatever waits or stamps asks a Clock, so that tests and the control surface can hold it still.
import { setTimeout as delay } from "node:timers/promises";

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

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
  sleep: (delayMs, signal) => delay(delayMs, undefined, { ref: false, ...(signal ? { signal } : {}) }),
};

/** metav1.Time: RFC 3339 in UTC with whole seconds. */
export function formatTime(epochMs: number): string {
  const second = Math.floor(epochMs / 1000);
  if (second !== lastSecond) {
    lastText = `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastText;
}

/** Every write asks for the time, and most of them for that of the same second. */
let lastSecond = Number.NaN;
let lastText = "";

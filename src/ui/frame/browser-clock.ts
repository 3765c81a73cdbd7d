// The clock as a parameter, as on the server, so that tests control time.

export interface PageClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
  /** Random number in [0, 1), for jitter between many tabs. */
  chance(): number;
}

export const browserClock: PageClock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  chance: () => Math.random(),
};

/** Performance mark, for measurements of the web UI. */
export const markTime = (name: string): void => void performance.mark(name);

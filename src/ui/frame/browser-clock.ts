// Time as a parameter, as for the server: whatever waits or stamps is given one, so that tests can hold it still.

export interface PageClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls once after so many milliseconds; calling the answer calls it off. */
  after(delayMs: number, callback: () => void): () => void;
  /** A number from 0 to 1, so that many pages do not come back all at once. */
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

/** For whoever measures the page: now this was done. */
export const markTime = (name: string): void => void performance.mark(name);

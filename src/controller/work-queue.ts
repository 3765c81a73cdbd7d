// The work queue of a controller. A key waits at most once and is never handed out twice at a time. The order is
// strictly first in, first out. A key whose previous work still runs blocks the queue when it reaches the head, so
// later keys never overtake it.
//
//   add a, b, a      queue: a b
//   next → a         queue: b        working: a
//   add a, c         queue: b a c    working: a
//   next → b; next   waits for done(a), then returns a
import type { Clock, Timer } from "../apimachinery/meta/clock.ts";
import { yieldIfDue } from "../apimachinery/scheduling/event-loop.ts";

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** The backoff after a first failure, in milliseconds. It doubles with each further failure. */
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
  /** Called with each key that is added, also if it is queued already. */
  readonly onAdd?: ((key: string) => void) | undefined;
}

const COMPACT_AT = 1024;

export class WorkQueue {
  /** Increases when a key is added, handed out or done. An unchanged value means that no work was done in between. */
  activity = 0;
  /** Total number of keys that entered the queue. */
  adds = 0;
  /** Total number of retries after a failure. */
  retries = 0;
  readonly #options: WorkQueueOptions;
  #line: string[] = [];
  #head = 0;
  readonly #waiting = new Set<string>();
  readonly #working = new Set<string>();
  readonly #delayed = new Map<string, { readonly dueMs: number; readonly timer: Timer }>();
  readonly #failures = new Map<string, number>();
  #takers: ((key: string | undefined) => void)[] = [];
  #idleWaiters: (() => void)[] = [];
  #shutDown = false;
  #held = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Queued keys, without delayed keys and those being worked on. */
  get size(): number {
    return this.#waiting.size;
  }

  keys(): Iterable<string> {
    return this.#waiting;
  }

  /** Enqueues the key. This replaces a pending addAfter of the key. */
  add(key: string): void {
    this.#options.onAdd?.(key);
    this.#delayed.get(key)?.timer.cancel();
    this.#delayed.delete(key);
    if (this.#shutDown || this.#waiting.has(key)) return;
    this.activity++;
    this.adds++;
    this.#waiting.add(key);
    this.#line.push(key);
    this.#handOut();
  }

  /** Enqueues the key after a delay. Of several delays of one key the earliest wins. */
  addAfter(key: string, delayMs: number): void {
    if (this.#shutDown || this.#waiting.has(key)) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const { clock } = this.#options;
    const dueMs = clock.now() + delayMs;
    const earlier = this.#delayed.get(key);
    if (earlier && earlier.dueMs <= dueMs) return;
    earlier?.timer.cancel();
    const timer = clock.after(delayMs, () => this.add(key));
    this.#delayed.set(key, { dueMs, timer });
  }

  /** Enqueues the key with exponential backoff, until forget() resets it. */
  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.retries++;
    const { retryFirstMs, retryMaxMs } = this.#options;
    this.addAfter(key, Math.min(retryFirstMs * 2 ** failures, retryMaxMs));
  }

  /** How often addRateLimited was called for the key since the last forget(). */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key; undefined once the queue is shut down. The caller must call done() for it. */
  next(): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#handOut();
    });
  }

  done(key: string): void {
    this.#working.delete(key);
    this.activity++;
    this.#handOut();
    this.#tellIdle();
  }

  /** Keys are accepted, but none is handed out until release(). */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.#handOut();
  }

  /** Drops all keys. No key is accepted or handed out any more. */
  shutDown(): void {
    this.#shutDown = true;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    this.#waiting.clear();
    this.#line = [];
    this.#head = 0;
    this.#handOut();
    this.#tellIdle();
  }

  /** Resolves when no key is queued or being worked on. */
  async idle(): Promise<void> {
    while (!this.#isIdle) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  get #isIdle(): boolean {
    return this.#waiting.size === 0 && this.#working.size === 0;
  }

  #handOut(): void {
    while (this.#takers.length > 0 && (!this.#held || this.#shutDown)) {
      const key = this.#line[this.#head];
      if (key === undefined) {
        if (this.#shutDown) for (const take of this.#takers.splice(0)) take(undefined);
        return;
      }
      if (this.#working.has(key)) return;
      this.#advance();
      this.#waiting.delete(key);
      this.#working.add(key);
      this.activity++;
      this.#takers.shift()?.(key);
    }
  }

  /** Advances the head. The consumed part of the array is dropped from time to time. */
  #advance(): void {
    this.#head++;
    if (this.#head >= COMPACT_AT && this.#head * 2 >= this.#line.length) {
      this.#line = this.#line.slice(this.#head);
      this.#head = 0;
    }
  }

  #tellIdle(): void {
    if (!this.#isIdle) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}

/**
 * Processes the keys of the queue with that many workers until it is shut down. Resolves when the last key is done. An
 * error of `work` goes to onError, which decides whether the key is retried.
 */
export async function runWorkers(
  queue: WorkQueue,
  workers: number,
  work: (key: string) => Promise<void>,
  onError: (key: string, error: unknown) => void,
): Promise<void> {
  const loop = async (): Promise<void> => {
    for (let key = await queue.next(); key !== undefined; key = await queue.next()) {
      // Keys without work would otherwise block requests: the loop yields to the event loop.
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
      try {
        await work(key);
      } catch (error) {
        onError(key, error);
      } finally {
        queue.done(key);
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, loop));
}

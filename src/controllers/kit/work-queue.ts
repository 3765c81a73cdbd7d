// The keys that a controller has to look at. A key waits at most once, is never handed out twice at a time, and the
// line is strictly first come, first served: a key that is being worked on holds up the line when its turn comes again,
// so that what came later never overtakes it.
//
//   add a, b, a      line: a b
//   next → a         line: b        working: a
//   add a, c         line: b a c    working: a
//   next → b; next   waits for done(a), then gives a
import type { Clock, Timer } from "../../meta/clock.ts";
import { pauseForOthers } from "../../meta/turns.ts";

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** The pause after a first failure; it doubles with each further one. */
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
  /** Told of every key that is to be put in the line, also when it waits there already. */
  readonly onAdd?: ((key: string) => void) | undefined;
}

const COMPACT_AT = 1024;

export class WorkQueue {
  /** Rises whenever a key is added, handed out or done: an unchanged value means that nothing happened in between. */
  activity = 0;
  /** How often a key has been put in the line. */
  adds = 0;
  /** How often a key was to be tried again after a failure. */
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

  /** Keys in the line; neither those being worked on nor delayed ones. */
  get size(): number {
    return this.#waiting.size;
  }

  keys(): Iterable<string> {
    return this.#waiting;
  }

  /** Puts the key in the line; a pause after which it would have been added is over with that. */
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

  /** Adds after a pause; of several pauses for one key the first to end counts. */
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

  /** Adds after a pause that doubles with every failure, until the key is forgotten. */
  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.retries++;
    const { retryFirstMs, retryMaxMs } = this.#options;
    this.addAfter(key, Math.min(retryFirstMs * 2 ** failures, retryMaxMs));
  }

  /** How often the key was added by addRateLimited since it was last forgotten. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, or undefined once the queue was shut down. Follow up with done. */
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

  /** Keys are taken in, and none is handed out until release is called. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.#handOut();
  }

  /** No more keys are taken in or handed out. */
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

  /** Resolves when no key waits in the line or is being worked on. */
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

  /** Moves the head on; the part of the line that is used up is dropped now and then. */
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
 * Works on the queue's keys, on so many at a time, until it is shut down; resolves when the last one is done. What work
 * throws goes to onError, which decides whether the key is tried again.
 */
export async function runWorkers(
  queue: WorkQueue,
  workers: number,
  work: (key: string) => Promise<void>,
  onError: (key: string, error: unknown) => void,
): Promise<void> {
  const loop = async (): Promise<void> => {
    for (let key = await queue.next(); key !== undefined; key = await queue.next()) {
      // Keys that have nothing to be done would otherwise keep requests waiting, however many there are.
      const pause = pauseForOthers();
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

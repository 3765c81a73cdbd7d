// Concurrency limit of requests with large bodies. A body with very many fields takes some thirty times its bytes
// for decoding, field ownership and validation. A hundred of them at once would exceed any heap. The queue is fair
// per user. A waiting request does not count as in flight.
import { getHeapStatistics } from "node:v8";
import type { Clock, Timer } from "../../apimachinery/meta/clock.ts";
import { tooManyRequests } from "../../apimachinery/meta/status.ts";
import { FairQueue } from "../../apimachinery/workers/fair-queue.ts";
import type { JobOwner } from "../../apimachinery/workers/job.ts";
import { notInTime } from "./limits.ts";

/** Smaller bodies do not wait: their number is bounded by the in-flight limits. */
export const LARGE_BODY_BYTES = 256 * 1024;
/** Heap for a body of 3 MiB and everything derived from it. */
const HEAP_BYTES_EACH = 192 * 1024 * 1024;
const PLACES_LEAST = 1;
/** Reserved for users with full permissions. */
const RESERVED_PLACES = 1;
/** Queue length. Each waiting request holds its bytes: 48 MiB in total. The slowest body takes some seconds. */
const WAITING_MAX = 16;
/** A call without a time limit releases its slot after this time. */
const LONG_CALL_MS = 5000;

interface Waiting {
  readonly owner: JobOwner;
  enter(): void;
  refuse(error: unknown): void;
}

export class LargeBodies {
  readonly #placesMax: number;
  readonly #clock: Pick<Clock, "after">;
  readonly #waitMs: number;
  readonly #queue = new FairQueue<Waiting>(WAITING_MAX);
  #places = 0;

  constructor(clock: Pick<Clock, "after">, waitMs: number, heapBytes = getHeapStatistics().heap_size_limit) {
    this.#clock = clock;
    this.#waitMs = waitMs;
    this.#placesMax = Math.max(PLACES_LEAST, Math.floor(heapBytes / HEAP_BYTES_EACH) - RESERVED_PLACES);
  }

  /** Waits for a slot. Returns its release function. Rejects with 429 and 504. */
  async enter(owner: JobOwner, isLongRunning: boolean): Promise<() => void> {
    await this.#place(owner);
    let timer: Timer | undefined;
    let isTaken = true;
    const leave = () => {
      timer?.cancel();
      if (!isTaken) return;
      isTaken = false;
      this.#places--;
      this.#next();
    };
    if (isLongRunning) timer = this.#clock.after(LONG_CALL_MS, leave);
    return leave;
  }

  #place(owner: JobOwner): Promise<void> {
    return new Promise((resolve, reject) => {
      const { gone } = owner;
      const settle = (act: () => void) => {
        timer.cancel();
        gone?.removeEventListener("abort", giveUp);
        act();
      };
      const waiting: Waiting = {
        owner,
        enter: () => settle(resolve),
        refuse: (error) => settle(() => reject(error)),
      };
      const giveUp = () => {
        if (this.#queue.remove(waiting)) waiting.refuse(notInTime());
      };
      const timer = this.#clock.after(this.#waitMs, giveUp);
      gone?.addEventListener("abort", giveUp, { once: true });
      this.#queue.add(waiting)?.refuse(tooManyRequests("too many requests, please try again later", 1));
      this.#next();
    });
  }

  #next(): void {
    for (;;) {
      const ranks = this.#places < this.#placesMax ? undefined : (["first"] as const);
      if (this.#places >= this.#placesMax + RESERVED_PLACES) return;
      const next = this.#queue.take(ranks);
      if (next === undefined) return;
      this.#places++;
      next.enter();
    }
  }
}

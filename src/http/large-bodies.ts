// How many requests with large bodies are worked on at a time. A body with very many members takes some thirty times its
// bytes while it is decoded, owned and validated, so that a hundred of them at once exceed any heap. Users take turns, and a
// request waits without a place among those in flight.
import { getHeapStatistics } from "node:v8";
import type { Clock, Timer } from "../meta/clock.ts";
import { tooManyRequests } from "../meta/status.ts";
import { FairQueue } from "../workers/fair-queue.ts";
import type { JobOwner } from "../workers/job.ts";
import { notInTime } from "./limits.ts";

/** Smaller bodies do not wait: there are at most as many as requests may be in flight. */
export const LARGE_BODY_BYTES = 256 * 1024;
/** Of 3 MiB, with all that is made of it. */
const HEAP_BYTES_EACH = 192 * 1024 * 1024;
const PLACES_LEAST = 1;
/** For users with all rights. */
const RESERVED_PLACES = 1;
/** Each holds its bytes: 48 MiB. A worst body takes some seconds. */
const WAITING_MAX = 16;
/** A call that may take as long as it likes gives its place to the next after so long. */
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

  /** Waits for a place. Returns what gives it back. Rejects with 429 and 504. */
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

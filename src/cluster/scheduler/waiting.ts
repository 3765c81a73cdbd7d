// The scheduling queue: ready pods by priority, and unschedulable pods with the backoff of each.
import type { Clock } from "../../apimachinery/meta/clock.ts";
import type { Effect } from "./cluster-state.ts";

const PAUSE_FIRST_MS = 1_000;
const PAUSE_MAX_MS = 10_000;

interface Failed {
  readonly tries: number;
  readonly lastMs: number;
  /** A change of other pods may help, because the pod has affinity or spread rules. */
  readonly minds: boolean;
}

export class Waiting {
  readonly #clock: Clock;
  /** Ready pods by priority. */
  readonly #ready = new Map<number, Set<string>>();
  readonly #failed = new Map<string, Failed>();
  /** Unschedulable pods that a change affects: they are retried when their backoff is over. */
  readonly #woken = new Set<string>();
  #minding = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a new or changed pod; its former result is discarded. */
  fresh(key: string, priority: number): void {
    this.done(key);
    this.arrive(key, priority);
  }

  arrive(key: string, priority: number): void {
    const ready = this.#ready.get(priority);
    if (ready) ready.add(key);
    else this.#ready.set(priority, new Set([key]));
  }

  /** The first pod of the highest priority that is still pending; undefined: none. */
  next(wants: (key: string) => boolean): string | undefined {
    for (const priority of [...this.#ready.keys()].sort((a, b) => b - a)) {
      const ready = this.#ready.get(priority);
      for (const key of ready ?? []) {
        ready?.delete(key);
        if (wants(key)) return key;
      }
      this.#ready.delete(priority);
    }
    return undefined;
  }

  failed(key: string, minds: boolean): void {
    const tries = (this.#failed.get(key)?.tries ?? 0) + 1;
    this.done(key);
    this.#failed.set(key, { tries, lastMs: this.#clock.now(), minds });
    if (minds) this.#minding++;
  }

  /** The pod is bound, deleted or changed. */
  done(key: string): void {
    if (this.#failed.get(key)?.minds) this.#minding--;
    this.#failed.delete(key);
    this.#woken.delete(key);
  }

  wants(effect: Effect): boolean {
    return effect === "neighbour" ? this.#minding > 0 : this.#failed.size > 0;
  }

  /** The remaining backoff of the pod, in milliseconds. */
  pauseOf(key: string): number {
    const failed = this.#failed.get(key);
    if (!failed) return 0;
    const pauseMs = Math.min(PAUSE_FIRST_MS * 2 ** (failed.tries - 1), PAUSE_MAX_MS);
    return Math.max(failed.lastMs + pauseMs - this.#clock.now(), 0);
  }

  /** After a change: returns all unschedulable pods, each with its remaining backoff. */
  wake(): (readonly [key: string, pauseMs: number])[] {
    const keys = [...this.#failed.keys()];
    for (const key of keys) this.#woken.add(key);
    return keys.map((key) => [key, this.pauseOf(key)]);
  }

  /** All affected pods whose backoff is over, so that the one of the highest priority is tried first. */
  wokenWith(key: string): string[] {
    if (!this.#woken.has(key)) return [];
    const due = [...this.#woken].filter((other) => this.pauseOf(other) === 0);
    for (const other of due) this.#woken.delete(other);
    return due;
  }
}

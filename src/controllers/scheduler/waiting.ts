// Pods that want a node: those whose turn it is, by their priority, and those that found none, with the pause that each has
// to make before it is tried again.
import type { Clock } from "../../meta/clock.ts";
import type { Effect } from "./cluster-state.ts";

const PAUSE_FIRST_MS = 1_000;
const PAUSE_MAX_MS = 10_000;

interface Failed {
  readonly tries: number;
  readonly lastMs: number;
  /** A new neighbour may help. */
  readonly minds: boolean;
}

export class Waiting {
  readonly #clock: Clock;
  /** Those whose turn has come, by their priority. */
  readonly #ready = new Map<number, Set<string>>();
  readonly #failed = new Map<string, Failed>();
  /** Of those that failed, the ones for which something has changed: they are tried again when their pause is over. */
  readonly #woken = new Set<string>();
  #minding = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** It is new, or not what it was: what was found before does not hold. */
  fresh(key: string, priority: number): void {
    this.done(key);
    this.arrive(key, priority);
  }

  arrive(key: string, priority: number): void {
    const ready = this.#ready.get(priority);
    if (ready) ready.add(key);
    else this.#ready.set(priority, new Set([key]));
  }

  /** The one of the highest priority, of equals the first, that wants a node; undefined: nobody does. */
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

  /** It has a node, or is not what it was. */
  done(key: string): void {
    if (this.#failed.get(key)?.minds) this.#minding--;
    this.#failed.delete(key);
    this.#woken.delete(key);
  }

  wants(effect: Effect): boolean {
    return effect === "neighbour" ? this.#minding > 0 : this.#failed.size > 0;
  }

  /** For how long the pod is left alone from now on. */
  pauseOf(key: string): number {
    const failed = this.#failed.get(key);
    if (!failed) return 0;
    const pauseMs = Math.min(PAUSE_FIRST_MS * 2 ** (failed.tries - 1), PAUSE_MAX_MS);
    return Math.max(failed.lastMs + pauseMs - this.#clock.now(), 0);
  }

  /** Something has changed: who failed is tried again, each after its pause. */
  wake(): (readonly [key: string, pauseMs: number])[] {
    const keys = [...this.#failed.keys()];
    for (const key of keys) this.#woken.add(key);
    return keys.map((key) => [key, this.pauseOf(key)]);
  }

  /** All whose pause is over together with that of the key: the one of the highest priority is to go first. */
  wokenWith(key: string): string[] {
    if (!this.#woken.has(key)) return [];
    const due = [...this.#woken].filter((other) => this.pauseOf(other) === 0);
    for (const other of due) this.#woken.delete(other);
    return due;
  }
}

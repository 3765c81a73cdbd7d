// Keys that are enqueued again, each at its own time. One timer serves all keys. Keys that are due at the same time are
// enqueued in one call. A clock that is advanced by hand thus fires once for all of them.
import type { Timer } from "../apimachinery/meta/clock.ts";
import { smallest } from "../apimachinery/meta/lists.ts";
import type { Kit } from "./definition.ts";

export class Alarm {
  readonly #kit: Pick<Kit, "clock" | "signal" | "look">;
  readonly #times = new Map<string, number>();
  readonly #keys = new Map<number, Set<string>>();
  #timer: { readonly atMs: number; readonly timer: Timer } | undefined;

  constructor(kit: Pick<Kit, "clock" | "signal" | "look">) {
    this.#kit = kit;
    kit.signal.addEventListener("abort", () => this.#timer?.timer.cancel(), { once: true });
  }

  /** Sets the due time of the key and replaces an earlier one. undefined cancels it. */
  set(key: string, atMs: number | undefined): void {
    const before = this.#times.get(key);
    if (before === atMs) return;
    if (before !== undefined) this.#drop(key, before);
    if (atMs === undefined) return;
    this.#times.set(key, atMs);
    const together = this.#keys.get(atMs);
    if (together) together.add(key);
    else this.#keys.set(atMs, new Set([key]));
    if (this.#timer === undefined || atMs < this.#timer.atMs) this.#start();
  }

  #drop(key: string, atMs: number): void {
    this.#times.delete(key);
    const together = this.#keys.get(atMs);
    together?.delete(key);
    if (together?.size === 0) this.#keys.delete(atMs);
  }

  /** Starts the timer for the earliest due time. A timer that fires with no key due only starts the next one. */
  #start(): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    const { clock, signal } = this.#kit;
    if (this.#keys.size === 0 || signal.aborted) return;
    const atMs = smallest(this.#keys.keys(), Number.POSITIVE_INFINITY);
    this.#timer = { atMs, timer: clock.after(Math.max(atMs - clock.now(), 0), () => this.#ring()) };
  }

  #ring(): void {
    this.#timer = undefined;
    const nowMs = this.#kit.clock.now();
    const due = [...this.#keys].filter(([atMs]) => atMs <= nowMs).sort(([a], [b]) => a - b);
    const keys = due.flatMap(([, together]) => [...together]);
    for (const key of keys) this.#times.delete(key);
    for (const [atMs] of due) this.#keys.delete(atMs);
    this.#start();
    this.#kit.look(keys);
  }
}

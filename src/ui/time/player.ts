// Playback: moves a cursor forward in the server's time and shows the revision at the cursor.
import { signal } from "@preact/signals";
import type { PageClock } from "../frame/browser-clock.ts";
import type { Placed } from "./entries.ts";
import { countUntil, stateAt, timeOf } from "./line.ts";

export const SPEEDS = [1, 10, 100] as const;
export type Speed = (typeof SPEEDS)[number];

const TICK_MS = 250;
/** Longer pauses without an entry are shortened to this, in milliseconds of real time. */
const WAIT_MS_MAX = 2_000;

export interface PlayerParts {
  readonly clock: PageClock;
  /** Sorted. */
  readonly entries: () => readonly Placed[];
  /** The revision shown; undefined: now. */
  readonly shown: () => number | undefined;
  /** at undefined: the end is reached. isSeen: moves are animated. */
  readonly show: (at: number | undefined, isSeen: boolean) => void;
}

export class Player {
  readonly isPlaying = signal(false);
  readonly speed = signal<Speed>(1);
  readonly #parts: PlayerParts;
  /** Milliseconds since the epoch, by the server's clock. */
  #cursorMs = 0;
  #shown: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(parts: PlayerParts) {
    this.#parts = parts;
  }

  /** Starts at the revision shown, or at the first entry if that is now. */
  play(): void {
    const [first] = this.#parts.entries();
    if (!first || this.isPlaying.value) return;
    this.isPlaying.value = true;
    if (this.#parts.shown() === undefined) {
      this.#cursorMs = first.atMs;
      this.#shown = first.at;
      this.#parts.show(first.at, false);
    } else this.#follow();
    this.#wait();
  }

  pause(): void {
    this.#cancel?.();
    this.isPlaying.value = false;
  }

  /** Continues from the revision shown, which the user has changed. */
  #follow(): void {
    const { entries, shown } = this.#parts;
    this.#shown = shown();
    this.#cursorMs = timeOf(entries(), this.#shown ?? 0) ?? entries()[0]?.atMs ?? 0;
  }

  #wait(): void {
    this.#cancel = this.#parts.clock.after(TICK_MS, () => this.#tick());
  }

  #tick(): void {
    const { entries, shown, show } = this.#parts;
    if (shown() === undefined) {
      this.pause();
      return;
    }
    if (shown() !== this.#shown) this.#follow();
    const line = entries();
    const speed = this.speed.value;
    const next = line[countUntil(line, this.#cursorMs)];
    if (next) this.#cursorMs = Math.max(this.#cursorMs + TICK_MS * speed, next.atMs - WAIT_MS_MAX * speed);
    if (!next || countUntil(line, this.#cursorMs) === line.length) {
      this.pause();
      show(undefined, false);
      return;
    }
    const at = Math.max(this.#shown ?? 0, stateAt(line, this.#cursorMs) ?? 0);
    if (at !== this.#shown) {
      this.#shown = at;
      show(at, speed < 10);
    }
    this.#wait();
  }
}

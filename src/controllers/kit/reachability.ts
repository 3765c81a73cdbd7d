// Whether nodes answer. Nobody is probed here: a node answers unless its annotation says otherwise. When it is asked is
// kept, though: every five seconds, and where a controller looks at it anew.
import type { Clock, Timer } from "../../meta/clock.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Kit } from "./definition.ts";

/** Ours: "false" on a node that is to be taken for one that does not answer. */
export const REACHABLE = "egret.dev/reachable";

const CHECK_MS = 5_000;

/** True if the node would answer if it were asked now. */
export const answers = ({ metadata }: KubeObject): boolean => metadata.annotations?.[REACHABLE] !== "false";

/** Calls at the next full five seconds since it was made, when asked to; it does not tick for nothing. */
export class ReachabilityCheck {
  readonly #clock: Clock;
  readonly #check: () => void;
  readonly #startedMs: number;
  #timer: Timer | undefined;

  constructor({ clock, signal }: Pick<Kit, "clock" | "signal">, check: () => void) {
    this.#clock = clock;
    this.#check = check;
    this.#startedMs = clock.now();
    signal.addEventListener("abort", () => this.#timer?.cancel(), { once: true });
  }

  expect(): void {
    if (this.#timer) return;
    const lateMs = (this.#clock.now() - this.#startedMs) % CHECK_MS;
    // Less than nothing when the clock was set back in the meantime.
    this.#timer = this.#clock.after(lateMs < 0 ? -lateMs : CHECK_MS - lateMs, () => {
      this.#timer = undefined;
      this.#check();
    });
  }
}

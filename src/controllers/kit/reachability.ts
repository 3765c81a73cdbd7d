// Whether nodes answer. Nobody is probed here: a node answers unless its annotation says otherwise. When it is asked is
// kept, though: every five seconds, and where a controller looks at it anew.

import type { Timer } from "../../meta/clock.ts";
import type { Kit } from "./definition.ts";

const CHECK_MS = 5_000;

/** A function that has the check made at the next full five seconds since now; without it nothing ticks. */
export function everyFiveSeconds({ clock, signal }: Pick<Kit, "clock" | "signal">, check: () => void) {
  const startedMs = clock.now();
  let timer: Timer | undefined;
  signal.addEventListener("abort", () => timer?.cancel(), { once: true });
  return (): void => {
    if (timer) return;
    const lateMs = (clock.now() - startedMs) % CHECK_MS;
    // Less than nothing when the clock was set back in the meantime.
    timer = clock.after(lateMs < 0 ? -lateMs : CHECK_MS - lateMs, () => {
      timer = undefined;
      check();
    });
  };
}

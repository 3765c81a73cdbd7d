// Reachability checks of nodes. Nothing is probed: a node is reachable unless its annotation declares the opposite. The
// timing is that of upstream: every five seconds, and when a controller reconciles the node.

import type { Timer } from "../apimachinery/meta/clock.ts";
import type { Kit } from "./definition.ts";

const CHECK_MS = 5_000;

/**
 * Returns a function that schedules the check at the next multiple of five seconds since now. No timer runs until it is
 * called.
 */
export function everyFiveSeconds({ clock, signal }: Pick<Kit, "clock" | "signal">, check: () => void) {
  const startedMs = clock.now();
  let timer: Timer | undefined;
  signal.addEventListener("abort", () => timer?.cancel(), { once: true });
  return (): void => {
    if (timer) return;
    const lateMs = (clock.now() - startedMs) % CHECK_MS;
    // Negative if the clock was set back in the meantime.
    timer = clock.after(lateMs < 0 ? -lateMs : CHECK_MS - lateMs, () => {
      timer = undefined;
      check();
    });
  };
}

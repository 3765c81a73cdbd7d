// Polls a condition until a deadline.
import { setTimeout as sleep } from "node:timers/promises";

const STEP_MS = 25;

/** Returns what `look` returns once `holds` accepts it. Fails at the deadline with the last value. */
export async function eventually<T>(
  look: () => Promise<T> | T,
  holds: (seen: T) => boolean,
  timeoutMs = 10_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (performance.now() > deadline) {
      throw new Error(`not so within ${timeoutMs} ms; last seen: ${JSON.stringify(seen, null, 2)}`);
    }
    await sleep(STEP_MS);
  }
}

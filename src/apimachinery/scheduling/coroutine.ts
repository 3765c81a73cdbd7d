// Work in steps: a generator that callers run either at once or with yields to the event loop between the steps.
import { ownTurn } from "./event-loop.ts";

/** Yields where the caller may yield to the event loop. */
export type Coroutine<T> = Generator<undefined, T, undefined>;

export function runSync<T>(steps: Coroutine<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** `pause` returns undefined while no yield is due. */
export async function runYielding<T>(
  steps: Coroutine<T>,
  pause: () => Promise<void> | undefined = ownTurn,
): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const others = pause();
    if (others !== undefined) await others;
  }
}

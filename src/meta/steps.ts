// Work in steps, written once for who has it done at once and for who lets others have their turn between the steps.
import { ownTurn } from "./turns.ts";

/** Yields where others may have their turn. */
export type Steps<T> = Generator<undefined, T, undefined>;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** `pause` answers undefined where nobody needs a turn yet. */
export async function inTurns<T>(
  steps: Steps<T>,
  pause: () => Promise<void> | undefined = ownTurn,
): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const others = pause();
    if (others !== undefined) await others;
  }
}

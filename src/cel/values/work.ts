// Bounds work that the cost of calls does not cover: values may share their parts, so that a small one can be huge to
// compare or to write down. One evaluation runs at a time, from resetWork on.
import { CostExceeded } from "./cel-error.ts";

const STEPS_MAX = 5_000_000;

let left = STEPS_MAX;

export function resetWork(): void {
  left = STEPS_MAX;
}

/** Counts looks at values. */
export function countWork(steps = 1): void {
  left -= steps;
  if (left < 0) throw new CostExceeded();
}

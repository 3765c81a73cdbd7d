// Sorts a very long list of texts in steps: 250,000 keys take a tenth of a second.
import type { Coroutine } from "./coroutine.ts";

/** Items sorted at once, in some 5 ms. */
const RUN = 8192;

/** As texts.sort(), but on a copy. Yields about every 5 ms. */
export function* sortedSteps(texts: readonly string[]): Coroutine<string[]> {
  if (texts.length <= RUN) return [...texts].sort();
  let runs: string[][] = [];
  for (let start = 0; start < texts.length; start += RUN) {
    runs.push(texts.slice(start, start + RUN).sort());
    yield;
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* mergedSteps(runs[index] ?? [], runs[index + 1] ?? []));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedSteps(a: readonly string[], b: readonly string[]): Coroutine<string[]> {
  const out: string[] = [];
  let [left, right] = [0, 0];
  while (left < a.length || right < b.length) {
    const [first, second] = [a[left], b[right]];
    if (second === undefined || (first !== undefined && first <= second)) {
      out.push(first ?? "");
      left++;
    } else {
      out.push(second);
      right++;
    }
    if (out.length % RUN === 0) yield;
  }
  return out;
}

/** Longer lists are worth sorting in steps. */
export const isLongToSort = (texts: readonly string[]): boolean => texts.length > RUN;

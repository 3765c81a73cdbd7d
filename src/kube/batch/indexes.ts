// Indexes of a job as text: "1,3-5,7", ascending and below the number of completions.
import { goQuote } from "../../apimachinery/go/strconv.ts";

export interface Interval {
  readonly first: number;
  readonly last: number;
}

/** Error of a text, as in messages. */
class IndexError extends Error {}

/** Number of indexes in a text, or its error. */
export function countIndexes(
  text: string,
  completions: number,
): { readonly count: number; readonly error?: string } {
  if (text === "") return { count: 0 };
  let [count, last] = [0, -1];
  let isFirst = true;
  for (const part of text.split(",")) {
    const interval = parsedInterval(part, completions);
    if (typeof interval === "string") return { count: 0, error: interval };
    if (!isFirst && last >= interval.first) return { count: 0, error: outOfOrder(last, interval.first) };
    isFirst = false;
    count += interval.last - interval.first + 1;
    last = interval.last;
  }
  return { count };
}

const outOfOrder = (previous: number, current: number): string =>
  `non-increasing order, previous: ${previous}, current: ${current}`;

/** The first index that is in both texts. Invalid texts are ignored. */
export function sharedIndex(completed: string, failed: string, completions: number): number | undefined {
  const [ofCompleted, ofFailed] = [completed, failed].map((text) => readable(text, completions));
  for (const one of ofCompleted ?? []) {
    for (const other of ofFailed ?? []) {
      if (one.first <= other.last && other.first <= one.last) return Math.max(one.first, other.first);
    }
  }
  return undefined;
}

function readable(text: string, completions: number): Interval[] {
  const parts = text === "" ? [] : text.split(",").map((part) => parsedInterval(part, completions));
  return parts.filter((part) => typeof part !== "string");
}

/** The interval, or its error. */
function parsedInterval(text: string, completions: number): Interval | string {
  try {
    return parseInterval(text, completions);
  } catch (error) {
    if (error instanceof IndexError) return error.message;
    throw error;
  }
}

function parseInterval(text: string, completions: number): Interval {
  const limits = text.split("-");
  if (limits.length > 2) {
    const rule =
      "violates the requirement that an index interval can have at most two parts separated by '-'";
    throw new IndexError(`the fragment ${goQuote(text)} ${rule}`);
  }
  const [first = 0, last = first] = limits.map((limit) => parseIndex(limit, completions));
  if (limits.length > 1 && first >= last) throw new IndexError(outOfOrder(first, last));
  return { first, last };
}

function parseIndex(text: string, completions: number): number {
  if (!/^[+-]?\d+$/.test(text)) {
    throw new IndexError(`cannot convert string to integer for index: ${goQuote(text)}`);
  }
  const index = Number(text);
  if (index >= completions) throw new IndexError(`too large index: ${goQuote(text)}`);
  return index;
}

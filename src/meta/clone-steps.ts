// A deep copy of a large JSON value in steps, as cloneJson makes it at once.
import { carryNotes } from "./given-empty.ts";
import { cloneJson, isObject, type JsonObject, setOwn } from "./json.ts";
import type { Steps } from "./steps.ts";

/** So many values are copied in some 5 ms. */
const VALUES_OF_STEP = 10_000;

/** The copy at once, or in steps where it may be large. */
export function* cloneByStepsIf<T>(isLarge: boolean | undefined, value: T): Steps<T> {
  return isLarge ? yield* cloneJsonSteps(value) : cloneJson(value);
}

/** Yields about every 5 ms. */
export function* cloneJsonSteps<T>(value: T, done = { values: 0 }): Steps<T> {
  if (!isObject(value) && !Array.isArray(value)) return value;
  const out: JsonObject | unknown[] = Array.isArray(value) ? [] : {};
  const source: JsonObject | unknown[] = value;
  for (const key of Object.keys(source)) {
    const item: unknown = (source as JsonObject)[key]; // a list has its places for keys
    if (++done.values % VALUES_OF_STEP === 0) yield;
    const isPlain = typeof item !== "object" || item === null;
    const copy = isPlain ? item : yield* cloneJsonSteps(item, done);
    if (Array.isArray(out)) out.push(copy);
    else if (copy !== undefined) setOwn(out, key, copy);
  }
  if (isObject(value) && isObject(out)) carryNotes(value, out);
  return out as T; // the copy has the shape of the original
}

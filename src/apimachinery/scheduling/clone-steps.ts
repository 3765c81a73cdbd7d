// Deep copy of a large JSON value in steps; the result is that of cloneJson.

import { cloneJson, isObject, type JsonObject, setOwn } from "../json/json.ts";
import { carryNotes } from "../meta/given-empty.ts";
import type { Coroutine } from "./coroutine.ts";

/** Values per step, some 5 ms. */
const VALUES_OF_STEP = 10_000;

/** Copies at once, or in steps where the value may be large. */
export function* cloneByStepsIf<T>(isLarge: boolean | undefined, value: T): Coroutine<T> {
  return isLarge ? yield* cloneJsonSteps(value) : cloneJson(value);
}

/** Yields about every 5 ms. */
export function* cloneJsonSteps<T>(value: T, done = { values: 0 }): Coroutine<T> {
  if (!isObject(value) && !Array.isArray(value)) return value;
  const out: JsonObject | unknown[] = Array.isArray(value) ? [] : {};
  const source: JsonObject | unknown[] = value;
  for (const key of Object.keys(source)) {
    const item: unknown = (source as JsonObject)[key]; // for a list its indexes
    if (++done.values % VALUES_OF_STEP === 0) yield;
    const isPlain = typeof item !== "object" || item === null;
    const copy = isPlain ? item : yield* cloneJsonSteps(item, done);
    if (Array.isArray(out)) out.push(copy);
    else if (copy !== undefined) setOwn(out, key, copy);
  }
  if (isObject(value) && isObject(out)) carryNotes(value, out);
  return out as T; // the copy has the shape of the original
}

// Regular expressions with RE2's syntax and linear time, so that no pattern of a client can block the server. Compiled
// patterns are cached within a memory limit.
import { RE2JS } from "re2js";
import { cloneText } from "./clone.ts";

/** Limit of the cache: instructions and characters of all patterns, at about 150 bytes each: 40 MB. */
const KEPT_SIZE_MAX = 250_000;
const patterns = new Map<string, RE2JS>();
let keptSize = 0;

/** Throws for an invalid regular expression, with Go's message. */
export function compilePattern(source: string): RE2JS {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const own = cloneText(source); // a pattern may be a slice of a request body
  const pattern = RE2JS.compile(own);
  const size = pattern.programSize() + source.length;
  if (size > KEPT_SIZE_MAX) return pattern;
  if (keptSize + size > KEPT_SIZE_MAX) {
    patterns.clear();
    keptSize = 0;
  }
  keptSize += size;
  patterns.set(own, pattern);
  return pattern;
}

/** Number of instructions, if the pattern is in the cache. */
export const compiledSize = (source: string): number | undefined => patterns.get(source)?.programSize();

/** The error of an invalid pattern; undefined: it is valid. */
export function patternError(source: string): string | undefined {
  try {
    compilePattern(source);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

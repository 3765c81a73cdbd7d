// Regular expressions with RE2's syntax and its linear time, so that no pattern of a client can hang the server. Compiled
// once, within a bounded memory.
import { RE2JS } from "re2js";
import { cloneText } from "./clone.ts";

/** Instructions and characters of all patterns that are kept, at about 150 bytes each: 40 MB. */
const KEPT_SIZE_MAX = 250_000;
const patterns = new Map<string, RE2JS>();
let keptSize = 0;

/** Throws where the pattern is no regular expression; the message says why, as Go says it. */
export function compilePattern(source: string): RE2JS {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const own = cloneText(source); // a pattern may be cut out of a body
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

/** How many instructions the pattern has, once it is compiled. */
export const compiledSize = (source: string): number | undefined => patterns.get(source)?.programSize();

/** What is wrong with a pattern, or undefined. */
export function patternError(source: string): string | undefined {
  try {
    compilePattern(source);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

// Regular expressions with RE2's syntax and its linear time, so that no pattern of a client can hang the server. Compiled
// once.
import { RE2JS } from "re2js";

const PATTERNS_MAX = 5000;
const patterns = new Map<string, RE2JS>();

/** Throws where the pattern is no regular expression; the message says why, as Go says it. */
export function compilePattern(source: string): RE2JS {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const pattern = RE2JS.compile(source);
  if (patterns.size >= PATTERNS_MAX) patterns.clear();
  patterns.set(source, pattern);
  return pattern;
}

/** What is wrong with a pattern, or undefined. */
export function patternError(source: string): string | undefined {
  try {
    compilePattern(source);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

// JSON patches with their numbers as they are written: for a test 1 is not 1.0. Decoding loses the spelling, so the text of
// the patch is read once more, with a mark for every number that is written otherwise than it would be printed.
import { isObject } from "../meta/json.ts";

/** Texts without any of these hold no such number. */
const MAYBE_UNUSUAL = /\d[.eE]|-0|\d{16}/;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const SPELLING = "spelling";

/**
 * Parses valid JSON, with { spelling: "1.0" } for such numbers. It is only good for sameLiteral; undefined: all numbers
 * are written as they would be printed.
 */
export function parseKeepingNumbers(text: string): unknown {
  if (!MAYBE_UNUSUAL.test(text)) return undefined;
  let unusual = false;
  const marked = text.replace(STRING_OR_NUMBER, (token) => {
    if (token.startsWith('"') || String(Number(token)) === token) return token;
    unusual = true;
    return `{"${SPELLING}":"${token}"}`;
  });
  return unusual ? JSON.parse(marked) : undefined;
}

/** True when no number in the value is spelt otherwise in the literal. Both are known to be equal as JSON. */
export function sameLiteral(value: unknown, literal: unknown): boolean {
  if (typeof value === "number" || typeof value === "bigint") {
    return !isObject(literal) || literal[SPELLING] === String(value);
  }
  if (Array.isArray(value) && Array.isArray(literal)) {
    return value.every((item, index) => sameLiteral(item, literal[index]));
  }
  if (isObject(value) && isObject(literal)) {
    return Object.keys(value).every((key) => sameLiteral(value[key], literal[key]));
  }
  return true;
}

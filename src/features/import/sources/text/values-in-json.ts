// Finds the ends of concatenated JSON objects and lists, with or without line breaks between them.
import { isObject, type JsonObject } from "../../../../apimachinery/json/json.ts";
import { LEVELS_MAX } from "../../../../apimachinery/meta/max-nesting-depth.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const isOpening = (sign: number): boolean => sign === 0x7b || sign === 0x5b;

/** undefined: the text ends, or the next character starts neither an object nor a list. */
export function startOfValue(text: string, from: number): number | undefined {
  const start = nextSign(text, from);
  return isOpening(text.charCodeAt(start)) ? start : undefined;
}

/** The first position that is not white space. */
export function nextSign(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? "")) at++;
  return at;
}

const SIGNS = /["[\]{}]/g;

/** The position behind the bracket that closes the value that begins at `start`. */
export function endOfValue(text: string, start: number): number {
  let depth = 0;
  SIGNS.lastIndex = start;
  while (SIGNS.test(text)) {
    const at = SIGNS.lastIndex - 1;
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) SIGNS.lastIndex = endOfString(text, at) + 1;
    else if (isOpening(sign)) depth++;
    else if (--depth === 0) return at + 1;
  }
  return text.length;
}

/**
 * Whether a JSON value is nested deeper than so many levels. JSON.parse has no such limit and takes memory outside the
 * heap for each level, so deeper texts must not reach it.
 */
function isDeeperThan(text: string, levels: number): boolean {
  if (text.length <= levels) return false;
  let depth = 0;
  SIGNS.lastIndex = 0;
  while (SIGNS.test(text)) {
    const at = SIGNS.lastIndex - 1;
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) SIGNS.lastIndex = endOfString(text, at) + 1;
    else if (!isOpening(sign)) depth--;
    else if (++depth > levels) return true;
  }
  return false;
}

/** The result of JSON.parse; undefined: it is no JSON, or is nested too deep. */
export function shallowValue(text: string): unknown {
  if (isDeeperThan(text, LEVELS_MAX)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** As shallowValue; undefined if the value is no object. */
export function shallowObject(text: string): JsonObject | undefined {
  const value = shallowValue(text);
  return isObject(value) ? value : undefined;
}

/** The position of the quote that ends the string. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

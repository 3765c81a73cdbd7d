// Finds the items of a JSON list without decoding the list as a whole.
import { JsonSyntaxError } from "../../../../apimachinery/json/json-decode.ts";
import type { ItemTexts } from "./item-texts.ts";
import { endOfString, endOfValue, nextSign, shallowValue } from "./values-in-json.ts";

const [QUOTE, COMMA, CLOSE_LIST, OPEN_LIST] = [0x22, 0x2c, 0x5d, 0x5b];

/**
 * undefined: the text does not start as a single object with items. The end of the list is a guess from the end of the
 * text. Iterating the items throws JsonSyntaxError if the guess is wrong.
 */
export function itemsInJson(text: string): ItemTexts | undefined {
  const start = nextSign(text, 0);
  const list = text[start] === "{" ? placeOfItems(text, start + 1) : undefined;
  if (list === undefined) return undefined;
  const head = `${text.slice(start, list)}[]`;
  const close = closeOfList(text, head);
  return close === undefined
    ? { head: `${head}}`, items: itemsFrom(text, list + 1, text.length), end: "cut" }
    : { head: head + text.slice(close + 1), items: itemsFrom(text, list + 1, close), end: "whole" };
}

/** Behind its items a list has a few members at most, some of them with lists. */
const TAILS_MAX = 20;

/** The position from which the rest of the text completes the head to one object. undefined: there is none. */
function closeOfList(text: string, head: string): number | undefined {
  let close = text.lastIndexOf("]");
  for (let tries = 0; tries < TAILS_MAX && close > 0; tries++) {
    const tail = text.slice(close + 1);
    if (/^\s*[,}]/.test(tail) && shallowValue(head + tail) !== undefined) return close;
    close = text.lastIndexOf("]", close - 1);
  }
  return undefined;
}

/** The position of the list that is the member `items`. */
export function placeOfItems(text: string, from: number): number | undefined {
  for (let at = nextSign(text, from); text.charCodeAt(at) === QUOTE; ) {
    const keyEnd = endOfString(text, at) + 1;
    const colon = nextSign(text, keyEnd);
    if (text[colon] !== ":") return undefined;
    const value = nextSign(text, colon + 1);
    if (text.slice(at, keyEnd) === '"items"') return text.charCodeAt(value) === OPEN_LIST ? value : undefined;
    const end = nextSign(text, endOfMember(text, value));
    if (text.charCodeAt(end) !== COMMA) return undefined;
    at = nextSign(text, end + 1);
  }
  return undefined;
}

/** The position behind a value of any type. */
export function endOfMember(text: string, start: number): number {
  const sign = text[start];
  if (sign === "{" || sign === "[") return endOfValue(text, start);
  if (sign === '"') return endOfString(text, start) + 1;
  let at = start;
  while (at < text.length && !/[\s,}\]]/.test(text[at] ?? "")) at++;
  return at;
}

/** Items up to the end of the list, or of the text. */
function* itemsFrom(text: string, from: number, close: number): Generator<string, void, undefined> {
  let at = nextSign(text, from);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_LIST) {
    const end = endOfMember(text, at);
    yield text.slice(at, end);
    const comma = nextSign(text, end);
    at = text.charCodeAt(comma) === COMMA ? nextSign(text, comma + 1) : comma;
    if (at === comma && text.charCodeAt(comma) !== CLOSE_LIST) break;
  }
  if (at !== close && close < text.length) throw new JsonSyntaxError("the list ends before its end");
}

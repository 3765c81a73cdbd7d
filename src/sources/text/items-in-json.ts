// Where the items of a list in JSON begin and end, without reading the list as a whole.

import type { ItemTexts } from "./item-texts.ts";
import { endOfString, endOfValue, nextSign } from "./values-in-json.ts";

const [QUOTE, COMMA, CLOSE_LIST, OPEN_LIST] = [0x22, 0x2c, 0x5d, 0x5b];

/** undefined: the text is no single object that begins as one with items does. */
export function itemsInJson(text: string): ItemTexts | undefined {
  const start = nextSign(text, 0);
  const list = text[start] === "{" ? placeOfItems(text, start + 1) : undefined;
  if (list === undefined) return undefined;
  const end = endOfValue(text, list);
  const rest = nextSign(text, end);
  const isCut = text.charCodeAt(end - 1) !== CLOSE_LIST || rest === text.length;
  const tail = isCut ? "}" : text.slice(end);
  const isSeveral = !isCut && nextSign(text, endOfValue(text, start)) < text.length;
  if (isSeveral) return undefined;
  return {
    head: `${text.slice(start, list)}[]${tail}`,
    items: itemsFrom(text, list + 1),
    end: isCut ? "cut" : "whole",
  };
}

/** The place of the list that is the member `items`. */
function placeOfItems(text: string, from: number): number | undefined {
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

/** Behind a value of any kind. */
function endOfMember(text: string, start: number): number {
  const sign = text[start];
  if (sign === "{" || sign === "[") return endOfValue(text, start);
  if (sign === '"') return endOfString(text, start) + 1;
  let at = start;
  while (at < text.length && !/[\s,}\]]/.test(text[at] ?? "")) at++;
  return at;
}

function* itemsFrom(text: string, from: number): Generator<string, void, undefined> {
  for (let at = nextSign(text, from); at < text.length && text.charCodeAt(at) !== CLOSE_LIST; ) {
    const end = endOfMember(text, at);
    yield text.slice(at, end);
    const comma = nextSign(text, end);
    if (text.charCodeAt(comma) !== COMMA) return;
    at = nextSign(text, comma + 1);
  }
}

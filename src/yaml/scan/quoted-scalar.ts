// Scalars in quotes.
import { APOSTROPHE, BACKSLASH, END, isBlank, isBreak, isBreakOrEnd, isHex, QUOTE } from "./characters.ts";
import type { Cursor } from "./cursor.ts";
import { foldedBreaks } from "./plain-scalar.ts";
import { Token } from "./token.ts";

export function scanQuotedScalar(cursor: Cursor): Token {
  const { line } = cursor;
  const isSingle = cursor.code() === APOSTROPHE;
  cursor.at++;
  let value = "";
  for (;;) {
    if (cursor.isAtDocumentIndicator) throw cursor.error("found unexpected document indicator");
    if (cursor.code() === END) throw cursor.error("found unexpected end of stream");
    value += isSingle ? takeSingleQuoted(cursor) : takeDoubleQuoted(cursor);
    const code = cursor.code();
    if (code === (isSingle ? APOSTROPHE : QUOTE)) break;
    if (isBreak(code)) value += takeBreaks(cursor);
    else if (code === BACKSLASH) value += takeEscapedBreak(cursor);
  }
  cursor.at++;
  return new Token("scalar", line, value);
}

/** Up to the quote or the line break, without the blanks before the break. */
function takeSingleQuoted(cursor: Cursor): string {
  const { text } = cursor;
  let out = "";
  let from = cursor.at;
  let end = from; // of the last letter
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isBreakOrEnd(code)) break;
    if (code === APOSTROPHE) {
      if (cursor.codeAt(at + 1) !== APOSTROPHE) return out + takenUpTo(cursor, from, at);
      out += text.slice(from, at + 1);
      from = at + 2;
      at++;
    }
    if (!isBlank(code)) end = at + 1;
  }
  cursor.at = at;
  return out + text.slice(from, Math.max(from, end));
}

function takenUpTo(cursor: Cursor, from: number, at: number): string {
  cursor.at = at;
  return cursor.text.slice(from, at);
}

/** Up to the quote, the line break or one that is escaped, without the blanks before a break. */
function takeDoubleQuoted(cursor: Cursor): string {
  const { text } = cursor;
  let out = "";
  let from = cursor.at;
  let end = from; // of the last letter
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isBreakOrEnd(code)) break;
    if (code === QUOTE) return out + takenUpTo(cursor, from, at);
    if (code === BACKSLASH) {
      out += takenUpTo(cursor, from, at);
      if (isBreak(cursor.code(1))) return out;
      out += takeEscape(cursor);
      from = cursor.at;
      end = from;
      at = from - 1;
    } else if (!isBlank(code)) end = at + 1;
  }
  cursor.at = at;
  return out + text.slice(from, Math.max(from, end));
}

/** Line breaks and what stands before the first letter of the next line. */
function takeBreaks(cursor: Cursor): string {
  const first = cursor.takeBreak();
  return foldedBreaks(first, takeEmptyLines(cursor));
}

function takeEscapedBreak(cursor: Cursor): string {
  cursor.at++;
  cursor.takeBreak();
  return takeEmptyLines(cursor);
}

function takeEmptyLines(cursor: Cursor): string {
  let breaks = "";
  for (;;) {
    cursor.skipBlanks();
    if (!isBreak(cursor.code())) return breaks;
    breaks += cursor.takeBreak();
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["0", "\0"],
  ["a", "\x07"],
  ["b", "\b"],
  ["t", "\t"],
  ["\t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
  ["e", "\x1b"],
  [" ", " "],
  ['"', '"'],
  ["'", "'"],
  ["\\", "\\"],
  ["N", "\x85"],
  ["_", "\xa0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
]);
/** How many digits follow. */
const CODE_LENGTHS: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

function takeEscape(cursor: Cursor): string {
  const letter = cursor.text.charAt(cursor.at + 1);
  const meant = ESCAPES.get(letter);
  const length = CODE_LENGTHS.get(letter) ?? 0;
  if (meant === undefined && length === 0) throw cursor.error("found unknown escape character");
  cursor.at += 2;
  return meant ?? takeCode(cursor, length);
}

function takeCode(cursor: Cursor, length: number): string {
  for (let ahead = 0; ahead < length; ahead++)
    if (!isHex(cursor.code(ahead))) throw cursor.error("did not find expected hexdecimal number");
  const point = Number.parseInt(cursor.text.slice(cursor.at, cursor.at + length), 16);
  if ((point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff)
    throw cursor.error("found invalid Unicode character escape code");
  cursor.at += length;
  return String.fromCodePoint(point);
}

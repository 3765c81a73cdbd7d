// Scans scalars with line folding: plain ones and quoted ones.
import {
  APOSTROPHE,
  BACKSLASH,
  COLON,
  type Cursor,
  END,
  HASH,
  isBlank,
  isBlankOrEnd,
  isBreak,
  isBreakOrEnd,
  isFlowIndicator,
  isHex,
  TAB,
} from "./cursor.ts";
import { type Token, tokenOf } from "./token.ts";

export interface PlainScalar {
  readonly token: Token;
  /** The scalar is followed by a line break. */
  readonly isLineOver: boolean;
}

/**
 * Ends with ": ", " #", a line with less indentation, or within brackets at a bracket. Leaves the cursor behind the
 * following white space and line breaks.
 */
export function scanPlainScalar(cursor: Cursor, inFlow: boolean, indent: number): PlainScalar {
  const { line } = cursor;
  let value = "";
  let joint = "";
  do {
    if (cursor.isAtDocumentIndicator || cursor.code() === HASH) break;
    const start = cursor.at;
    const end = skipLine(cursor, inFlow);
    if (end > start) {
      value += joint + cursor.text.slice(start, end);
      joint = "";
    }
    if (!isBreak(cursor.code())) break;
    joint = skipBreaks(cursor, indent);
  } while (inFlow || cursor.column >= indent);
  return { token: tokenOf("scalar", line, value, "", true), isLineOver: joint !== "" };
}

/** Moves to the end of the line or of the scalar; returns the end of its last letter. */
function skipLine(cursor: Cursor, inFlow: boolean): number {
  const { text } = cursor;
  let at = cursor.at;
  let end = at;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isBlankOrEnd(code)) {
      if (isBlank(code)) continue;
      break;
    }
    if (code === COLON && isBlankOrEnd(cursor.codeAt(at + 1))) break;
    if (inFlow && isFlowIndicator(code)) break;
    if (code === HASH && at > end) break;
    end = at + 1;
  }
  cursor.at = at;
  return end;
}

/** The text for the line breaks between two lines of one scalar. */
function skipBreaks(cursor: Cursor, indent: number): string {
  const first = cursor.takeBreak();
  let others = "";
  for (;;) {
    const code = cursor.code();
    if (isBreak(code)) others += cursor.takeBreak();
    else if (!isBlank(code)) break;
    else if (code === TAB && cursor.column < indent)
      throw cursor.error("found a tab character that violates indentation");
    else cursor.at++;
  }
  return foldedBreaks(first, others);
}

/** One line break becomes a blank; of several, the first one is left out. */
function foldedBreaks(first: string, others: string): string {
  if (first !== "\n") return first + others;
  return others === "" ? " " : others;
}

export function scanQuotedScalar(cursor: Cursor): Token {
  const { line } = cursor;
  const quote = cursor.code();
  cursor.at++;
  let value = "";
  for (;;) {
    if (cursor.isAtDocumentIndicator) throw cursor.error("found unexpected document indicator");
    if (cursor.code() === END) throw cursor.error("found unexpected end of stream");
    value += takeQuoted(cursor, quote);
    const code = cursor.code();
    if (code === quote) break;
    if (isBreak(code)) value += foldedBreaks(cursor.takeBreak(), takeEmptyLines(cursor));
    else if (code === BACKSLASH) value += takeEscapedBreak(cursor);
  }
  cursor.at++;
  return tokenOf("scalar", line, value);
}

/** Text up to the quote, the line break or an escaped one, without the blanks before a break. */
function takeQuoted(cursor: Cursor, quote: number): string {
  const { text } = cursor;
  const escapeCode = quote === APOSTROPHE ? APOSTROPHE : BACKSLASH;
  let out = "";
  let from = cursor.at;
  let end = from; // of the last letter
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isBreakOrEnd(code)) break;
    if (code === quote || code === escapeCode) {
      out += text.slice(from, at);
      cursor.at = at;
      if (code === quote && !(escapeCode === quote && cursor.code(1) === quote)) return out;
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

function takeEscapedBreak(cursor: Cursor): string {
  cursor.at++;
  cursor.takeBreak();
  return takeEmptyLines(cursor);
}

/** Line breaks and white space before the first letter of the next line. */
function takeEmptyLines(cursor: Cursor): string {
  let breaks = "";
  for (;;) {
    cursor.skipBlanks();
    if (!isBreak(cursor.code())) return breaks;
    breaks += cursor.takeBreak();
  }
}

/** Single-letter escapes: the letters, and their values at the same positions. */
const ESCAPED = "0abt\tnvfre \"'\\N_LP";
const MEANT = "\0\x07\b\t\t\n\v\f\r\x1b \"'\\\x85\xa0\u2028\u2029";
/** Number of hex digits that follow. */
const CODE_LENGTHS: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

/** In single quotes an apostrophe is escaped by another one. */
function takeEscape(cursor: Cursor): string {
  const letter = cursor.text.charAt(cursor.at + 1);
  const place = letter === "" ? -1 : ESCAPED.indexOf(letter);
  const length = CODE_LENGTHS.get(letter) ?? 0;
  if (place < 0 && length === 0) throw cursor.error("found unknown escape character");
  cursor.at += 2;
  return place < 0 ? takeCode(cursor, length) : MEANT.charAt(place);
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

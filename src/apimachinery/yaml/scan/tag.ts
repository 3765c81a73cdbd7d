// Scans names: anchors, aliases, tags and directives.

import {
  type Cursor,
  EXCLAMATION,
  isBlank,
  isBlankOrEnd,
  isBreak,
  isBreakOrEnd,
  isDigit,
  isHex,
  isWord,
  PERCENT,
} from "./cursor.ts";
import { widthOf } from "./source-text.ts";
import { type Token, tokenOf } from "./token.ts";

const BEHIND_NAME = new Set([..."?:,]}%@`"].map((character) => character.charCodeAt(0)));
const IN_URI = new Set([...";/?:@&=+$,.!~*'()[]%"].map((character) => character.charCodeAt(0)));
const VERSION_DIGITS_MAX = 2;

export function scanAnchor(cursor: Cursor, type: "anchor" | "alias"): Token {
  const { line } = cursor;
  cursor.at++;
  const name = takeWord(cursor);
  const next = cursor.code();
  if (name === "" || !(isBlankOrEnd(next) || BEHIND_NAME.has(next)))
    throw cursor.error("did not find expected alphabetic or numeric character");
  return tokenOf(type, line, name);
}

/** "!<uri>", "!handle!suffix", "!suffix" or "!". */
export function scanTag(cursor: Cursor): Token {
  const { line } = cursor;
  const [handle, suffix] = cursor.code(1) === 0x3c ? takeVerbatim(cursor) : takeShorthand(cursor);
  if (!isBlankOrEnd(cursor.code())) throw cursor.error("did not find expected whitespace or line break");
  return tokenOf("tag", line, handle, suffix);
}

function takeVerbatim(cursor: Cursor): [handle: string, suffix: string] {
  cursor.at += 2;
  const uri = takeUri(cursor);
  if (cursor.code() !== 0x3e) throw cursor.error("did not find the expected '>'");
  cursor.at++;
  return ["", uri];
}

function takeShorthand(cursor: Cursor): [handle: string, suffix: string] {
  const handle = takeHandle(cursor, false);
  if (handle.length > 1 && handle.endsWith("!")) return [handle, takeUri(cursor)];
  const suffix = takeUri(cursor, handle);
  return suffix === "" ? ["", "!"] : ["!", suffix];
}

function takeHandle(cursor: Cursor, isDirective: boolean): string {
  if (cursor.code() !== EXCLAMATION) throw cursor.error("did not find expected '!'");
  cursor.at++;
  const handle = `!${takeWord(cursor)}`;
  if (cursor.code() === EXCLAMATION) {
    cursor.at++;
    return `${handle}!`;
  }
  if (isDirective && handle !== "!") throw cursor.error("did not find expected '!'");
  return handle;
}

function takeWord(cursor: Cursor): string {
  const start = cursor.at;
  while (isWord(cursor.code())) cursor.at++;
  return cursor.text.slice(start, cursor.at);
}

/** head: text that was scanned as a handle, but is the start of the name. */
function takeUri(cursor: Cursor, head = ""): string {
  let uri = head.slice(1);
  let isThere = head !== "";
  for (let code = cursor.code(); isWord(code) || IN_URI.has(code); code = cursor.code()) {
    isThere = true;
    if (code === PERCENT) {
      uri += takeUriEscapes(cursor);
      continue;
    }
    uri += String.fromCharCode(code);
    cursor.at++;
  }
  if (!isThere) throw cursor.error("did not find expected tag URI");
  return uri;
}

/** The bytes of one letter. */
function takeUriEscapes(cursor: Cursor): string {
  const first = takeOctet(cursor);
  const width = widthOf(first);
  if (width === 0) throw cursor.error("found an incorrect leading UTF-8 octet");
  const bytes = [first];
  while (bytes.length < width) {
    const octet = takeOctet(cursor);
    if ((octet & 0xc0) !== 0x80) throw cursor.error("found an incorrect trailing UTF-8 octet");
    bytes.push(octet);
  }
  return Buffer.from(bytes).toString("utf8");
}

function takeOctet(cursor: Cursor): number {
  if (cursor.code() !== PERCENT || !isHex(cursor.code(1)) || !isHex(cursor.code(2)))
    throw cursor.error("did not find URI escaped octet");
  cursor.at += 3;
  return Number.parseInt(cursor.text.slice(cursor.at - 2, cursor.at), 16);
}

/** "%YAML 1.1" or "%TAG !handle! prefix", with the end of the line. */
export function scanDirective(cursor: Cursor): Token {
  const { line } = cursor;
  cursor.at++;
  const name = takeWord(cursor);
  if (name === "") throw cursor.error("could not find expected directive name");
  if (!isBlankOrEnd(cursor.code())) throw cursor.error("found unexpected non-alphabetical character");
  const token = name === "YAML" ? versionToken(cursor, line) : tagToken(cursor, line, name);
  cursor.skipBlanks();
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.code())) throw cursor.error("did not find expected comment or line break");
  if (isBreak(cursor.code())) cursor.takeBreak();
  return token;
}

function versionToken(cursor: Cursor, line: number): Token {
  cursor.skipBlanks();
  const major = takeVersionNumber(cursor);
  if (cursor.code() !== 0x2e) throw cursor.error("did not find expected digit or '.' character");
  cursor.at++;
  return tokenOf("version-directive", line, `${major}.${takeVersionNumber(cursor)}`);
}

function takeVersionNumber(cursor: Cursor): number {
  const start = cursor.at;
  for (; isDigit(cursor.code()); cursor.at++)
    if (cursor.at - start >= VERSION_DIGITS_MAX) throw cursor.error("found extremely long version number");
  if (cursor.at === start) throw cursor.error("did not find expected version number");
  return Number(cursor.text.slice(start, cursor.at));
}

function tagToken(cursor: Cursor, line: number, name: string): Token {
  if (name !== "TAG") throw cursor.error("found unknown directive name");
  cursor.skipBlanks();
  const handle = takeHandle(cursor, true);
  if (!isBlank(cursor.code())) throw cursor.error("did not find expected whitespace");
  cursor.skipBlanks();
  const prefix = takeUri(cursor);
  if (!isBlankOrEnd(cursor.code())) throw cursor.error("did not find expected whitespace or line break");
  return tokenOf("tag-directive", line, handle, prefix);
}

// A scalar without quotes: ends with ": ", " #", a line that is indented less, or a bracket where it stands in brackets.
import { COLON, HASH, isBlank, isBlankOrEnd, isBreak, isFlowIndicator, TAB } from "./characters.ts";
import type { Cursor } from "./cursor.ts";
import { Token } from "./token.ts";

export interface PlainContext {
  readonly inFlow: boolean;
  /** How far its other lines have to be indented. */
  readonly indent: number;
}

export interface PlainScalar {
  readonly token: Token;
  /** The line in which its last letter stands has ended. */
  readonly isLineOver: boolean;
}

/** Leaves the cursor behind the blanks and the line breaks that follow. */
export function scanPlainScalar(cursor: Cursor, { inFlow, indent }: PlainContext): PlainScalar {
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
  return { token: new Token("scalar", line, value, "", true), isLineOver: joint !== "" };
}

/** Goes to what ends the line or the scalar; answers where the last letter ends. */
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

/** What the line breaks mean between two lines of one scalar. */
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
export function foldedBreaks(first: string, others: string): string {
  if (first !== "\n") return first + others;
  return others === "" ? " " : others;
}

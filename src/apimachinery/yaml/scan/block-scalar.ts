// Scans block scalars: literal ones behind "|", folded ones behind ">".

import { type Cursor, isBlank, isBreak, isBreakOrEnd, isDigit, SPACE, TAB } from "./cursor.ts";
import { type Token, tokenOf } from "./token.ts";

/** Whether the line breaks at the end are all kept, all dropped, or become one. */
type Chomping = "keep" | "strip" | "clip";

/** parentIndent: -1 at the top level. */
export function scanBlockScalar(cursor: Cursor, parentIndent: number): Token {
  const { line } = cursor;
  const isLiteral = cursor.code() === 0x7c;
  cursor.at++;
  const { chomping, increment } = takeHeader(cursor);
  const lines = new BlockLines(cursor, parentIndent, increment);
  let value = "";
  let lineBreak = "";
  let wasIndentedMore = false;
  while (lines.isAtContent) {
    const isIndentedMore = isBlank(cursor.code());
    const isFolded = !isLiteral && lineBreak === "\n" && !wasIndentedMore && !isIndentedMore;
    if (!isFolded) value += lineBreak;
    else if (lines.breaks === "") value += " ";
    value += lines.breaks;
    wasIndentedMore = isIndentedMore;
    const start = cursor.at;
    cursor.skipToBreak();
    value += cursor.text.slice(start, cursor.at);
    lineBreak = isBreak(cursor.code()) ? cursor.takeBreak() : "";
    lines.skipEmpty();
  }
  if (chomping !== "strip") value += lineBreak;
  if (chomping === "keep") value += lines.breaks;
  return tokenOf("scalar", line, value);
}

/** The indicators behind "|" or ">" in the same line. */
function takeHeader(cursor: Cursor): { readonly chomping: Chomping; readonly increment: number } {
  let chomping = takeChomping(cursor);
  const increment = takeIncrement(cursor);
  if (chomping === "clip" && increment > 0) chomping = takeChomping(cursor);
  cursor.skipBlanks();
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.code())) throw cursor.error("did not find expected comment or line break");
  if (isBreak(cursor.code())) cursor.takeBreak();
  return { chomping, increment };
}

function takeChomping(cursor: Cursor): Chomping {
  const code = cursor.code();
  if (code !== 0x2b && code !== 0x2d) return "clip";
  cursor.at++;
  return code === 0x2b ? "keep" : "strip";
}

function takeIncrement(cursor: Cursor): number {
  const code = cursor.code();
  if (!isDigit(code)) return 0;
  if (code === 0x30) throw cursor.error("found an indentation indicator equal to 0");
  cursor.at++;
  return code - 0x30;
}

/** Reads the lines of a block. Without an indentation indicator the first non-empty line sets the indentation. */
class BlockLines {
  readonly #cursor: Cursor;
  /** 0 while it is not known. */
  #indent: number;
  /** Line breaks of the empty lines before the current one. */
  breaks = "";

  constructor(cursor: Cursor, parentIndent: number, increment: number) {
    this.#cursor = cursor;
    this.#indent = increment > 0 ? Math.max(parentIndent, 0) + increment : 0;
    const widest = this.skipEmpty();
    if (this.#indent === 0) this.#indent = Math.max(widest, parentIndent + 1, 1);
  }

  get isAtContent(): boolean {
    const { at, text, column } = this.#cursor;
    return column === this.#indent && at < text.length;
  }

  /** Consumes empty lines and the indentation of the next one; returns their maximum indentation. */
  skipEmpty(): number {
    const cursor = this.#cursor;
    this.breaks = "";
    for (let widest = 0; ; this.breaks += cursor.takeBreak()) {
      while (this.#isBefore && cursor.code() === SPACE) cursor.at++;
      widest = Math.max(widest, cursor.column);
      const code = cursor.code();
      if (this.#isBefore && code === TAB)
        throw cursor.error("found a tab character where an indentation space is expected");
      if (!isBreak(code)) return widest;
    }
  }

  get #isBefore(): boolean {
    return this.#indent === 0 || this.#cursor.column < this.#indent;
  }
}

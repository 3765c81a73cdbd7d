// A position in a text: moves forward, and counts lines and columns.
import { type YamlSyntaxError, yamlError, yamlErrorAt } from "../yaml-error.ts";
import type { SourceText } from "./source-text.ts";

// Classes of characters, by their codes. YAML 1.1 knows five line breaks.

/** The code behind the last character; no text contains it. */
export const END = 0;
export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const HASH = 0x23;
export const PERCENT = 0x25;
export const APOSTROPHE = 0x27;
export const DASH = 0x2d;
export const DOT = 0x2e;
export const COLON = 0x3a;
export const EXCLAMATION = 0x21;
export const BACKSLASH = 0x5c;
const NEXT_LINE = 0x85;
export const LINE_SEPARATOR = 0x2028;
export const PARAGRAPH_SEPARATOR = 0x2029;

const BLANK = 1;
const BREAK_OR_END = 2;
const FLOW = 4;
const WORD = 8;
const HEX = 16;

/** Class bits of each ASCII character. */
const CLASSES = new Uint8Array(128);
const mark = (characters: string, bit: number): void => {
  for (const character of characters) CLASSES[character.charCodeAt(0)] = (classOf(character) ?? 0) | bit;
};
const classOf = (character: string): number | undefined => CLASSES[character.charCodeAt(0)];
mark(" \t", BLANK);
mark("\r\n\0", BREAK_OR_END);
mark(",?[]{}", FLOW);
mark("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-", WORD);
mark("0123456789ABCDEFabcdef", HEX);

const is = (code: number, bits: number): boolean => code < 128 && ((CLASSES[code] ?? 0) & bits) !== 0;

const isRareBreak = (code: number): boolean =>
  code === NEXT_LINE || code === LINE_SEPARATOR || code === PARAGRAPH_SEPARATOR;

export const isBlank = (code: number): boolean => code === SPACE || code === TAB;
export const isBreak = (code: number): boolean => code === LF || code === CR || isRareBreak(code);
export const isBreakOrEnd = (code: number): boolean =>
  code < 128 ? is(code, BREAK_OR_END) : isRareBreak(code);
export const isBlankOrEnd = (code: number): boolean =>
  code < 128 ? is(code, BLANK | BREAK_OR_END) : isRareBreak(code);
/** Characters that end a plain scalar within brackets. */
export const isFlowIndicator = (code: number): boolean => is(code, FLOW);
/** Characters of anchor names, tag handles and directives. */
export const isWord = (code: number): boolean => is(code, WORD);
export const isHex = (code: number): boolean => is(code, HEX);
export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

export class Cursor {
  readonly text: string;
  readonly #problemAtEnd: string | undefined;
  at = 0;
  /** From 0. */
  line = 0;
  lineStart = 0;

  constructor({ text, problemAtEnd }: SourceText) {
    this.text = text;
    this.#problemAtEnd = problemAtEnd;
  }

  get column(): number {
    return this.at - this.lineStart;
  }

  /** END behind the text. */
  code(ahead = 0): number {
    return this.codeAt(this.at + ahead);
  }

  codeAt(at: number): number {
    return at < this.text.length ? this.text.charCodeAt(at) : END;
  }

  /** Consumes a line break. Returns its normalized form, usually "\n". */
  takeBreak(): string {
    const code = this.code();
    this.at += code === CR && this.code(1) === LF ? 2 : 1;
    this.line++;
    this.lineStart = this.at;
    return code === LINE_SEPARATOR || code === PARAGRAPH_SEPARATOR ? String.fromCharCode(code) : "\n";
  }

  skipBlanks(): void {
    while (isBlank(this.code())) this.at++;
  }

  /** Skips a comment, if there is one, up to the line break. */
  skipComment(): void {
    if (this.code() === HASH) this.skipToBreak();
  }

  skipToBreak(): void {
    const { text } = this;
    let at = this.at;
    while (at < text.length && !isBreakOrEnd(text.charCodeAt(at))) at++;
    this.at = at;
  }

  /** Whether the line begins with "---" or "..." as a document marker. */
  get isAtDocumentIndicator(): boolean {
    const code = this.code();
    if (this.at !== this.lineStart || (code !== DASH && code !== DOT)) return false;
    return this.code(1) === code && this.code(2) === code && isBlankOrEnd(this.code(3));
  }

  /** An error of the scanner at the current line. */
  error(problem: string): YamlSyntaxError {
    if (this.code() === END && this.#problemAtEnd !== undefined) return yamlError(this.#problemAtEnd);
    return yamlErrorAt(this.line > 0 ? this.line + 1 : 0, problem);
  }

  /** Throws if the rest of the text cannot be decoded. */
  checkEnd(): void {
    if (this.#problemAtEnd !== undefined) throw yamlError(this.#problemAtEnd);
  }
}

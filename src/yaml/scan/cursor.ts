// A place in a text: moves forward, and knows its line and column.
import { type YamlSyntaxError, yamlError, yamlErrorAt } from "../yaml-error.ts";
import {
  CR,
  DASH,
  DOT,
  END,
  HASH,
  isBlank,
  isBlankOrEnd,
  isBreakOrEnd,
  LF,
  LINE_SEPARATOR,
  PARAGRAPH_SEPARATOR,
} from "./characters.ts";
import type { SourceText } from "./source-text.ts";

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

  /** Takes a line break. What it means: most of them are "\n". */
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

  /** Takes a comment, if there is one, up to the line break. */
  skipComment(): void {
    if (this.code() === HASH) this.skipToBreak();
  }

  skipToBreak(): void {
    const { text } = this;
    let at = this.at;
    while (at < text.length && !isBreakOrEnd(text.charCodeAt(at))) at++;
    this.at = at;
  }

  /** Whether "---" or "..." stands alone at the beginning of the line. */
  get isAtDocumentIndicator(): boolean {
    const code = this.code();
    if (this.at !== this.lineStart || (code !== DASH && code !== DOT)) return false;
    return this.code(1) === code && this.code(2) === code && isBlankOrEnd(this.code(3));
  }

  /** The complaint of a scanner, which tells the line it has reached. */
  error(problem: string): YamlSyntaxError {
    if (this.code() === END && this.#problemAtEnd !== undefined) return yamlError(this.#problemAtEnd);
    return yamlErrorAt(this.line > 0 ? this.line + 1 : 0, problem);
  }

  /** Throws when the text goes on behind its end, but cannot be read there. */
  checkEnd(): void {
    if (this.#problemAtEnd !== undefined) throw yamlError(this.#problemAtEnd);
  }
}

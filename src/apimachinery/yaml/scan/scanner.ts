// Scans text to tokens. Block starts and ends, which indentation and keys imply, become tokens of their own, so the
// parser does not depend on columns. The states are those of libyaml, from which go-yaml is derived.
import { scanBlockScalar } from "./block-scalar.ts";
import { Cursor, DASH, DOT, END, HASH, isBlankOrEnd, isBreak, PERCENT, SPACE, TAB } from "./cursor.ts";
import { scanPlainScalar, scanQuotedScalar } from "./flow-scalar.ts";
import type { SourceText } from "./source-text.ts";
import { scanAnchor, scanDirective, scanTag } from "./tag.ts";
import { type SimpleKey, type Token, TokenQueue, type TokenType, tokenOf } from "./token.ts";

/** Limit of open brackets, and of indentation levels. */
const LEVELS_MAX = 10_000;
/** Maximum distance from the beginning of a key to its ":". */
const KEY_LETTERS_MAX = 1024;
const NO_INDENT = -1;

const NO_KEY: SimpleKey = {
  isPossible: false,
  isWaitedFor: false,
  isRequired: false,
  tokenNumber: -1,
  at: 0,
  line: 0,
  column: 0,
};

export class Scanner {
  readonly #cursor: Cursor;
  readonly #queue = new TokenQueue();
  /** The possible key of each level: outside of all brackets, and per open bracket. */
  readonly #keys: SimpleKey[] = [NO_KEY];
  #isKeyAllowed = true;
  #indent = NO_INDENT;
  readonly #indents: number[] = [];

  constructor(source: SourceText) {
    this.#cursor = new Cursor(source);
  }

  /** The next token; the last one is "stream-end". Throws YamlSyntaxError. */
  peek(): Token {
    for (;;) {
      const { first } = this.#queue;
      const key = first?.key;
      if (first !== undefined && !(key?.isWaitedFor && this.#isPossible(key))) return first;
      this.#fetch();
    }
  }

  /** Consumes the peeked token. */
  skip(): void {
    this.#queue.take();
  }

  get #inFlow(): boolean {
    return this.#keys.length > 1;
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#unroll(cursor.column);
    const code = cursor.code();
    if (code === END) this.#endStream();
    else if (code === PERCENT && cursor.column === 0) this.#fetchDirective();
    else if ((code === DASH || code === DOT) && cursor.isAtDocumentIndicator) this.#fetchDocumentIndicator();
    else this.#fetchContent(String.fromCharCode(code));
  }

  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      const areTabsAllowed = this.#inFlow || !this.#isKeyAllowed;
      let code = cursor.code();
      while (code === SPACE || (code === TAB && areTabsAllowed)) {
        cursor.at++;
        code = cursor.code();
      }
      if (code === HASH) cursor.skipToBreak();
      if (!isBreak(cursor.code())) return;
      cursor.takeBreak();
      if (!this.#inFlow) this.#isKeyAllowed = true;
    }
  }

  #fetchContent(character: string): void {
    const cursor = this.#cursor;
    if (character === "[") this.#openFlow("flow-sequence-start");
    else if (character === "{") this.#openFlow("flow-mapping-start");
    else if (character === "]") this.#closeFlow("flow-sequence-end");
    else if (character === "}") this.#closeFlow("flow-mapping-end");
    else if (character === ",") this.#fetchFlowEntry();
    else if (character === "-" && isBlankOrEnd(cursor.code(1))) this.#fetchBlockEntry();
    else if (character === "?" && this.#isIndicator()) this.#fetchKey();
    else if (character === ":" && this.#isIndicator()) this.#fetchValue();
    else if (character === "*") this.#addNode(this.#beginKey(), scanAnchor(cursor, "alias"));
    else if (character === "&") this.#addNode(this.#beginKey(), scanAnchor(cursor, "anchor"));
    else if (character === "!") this.#addNode(this.#beginKey(), scanTag(cursor));
    else if (character === "'" || character === '"')
      this.#addNode(this.#beginKey(), scanQuotedScalar(cursor));
    else if ((character === "|" || character === ">") && !this.#inFlow) this.#fetchBlockScalar();
    else if ("|>%@`\t".includes(character)) throw cursor.error("found character that cannot start any token");
    else this.#fetchPlainScalar();
  }

  /** Whether a question mark or a colon is an indicator, not a letter. */
  #isIndicator(): boolean {
    return this.#inFlow || isBlankOrEnd(this.#cursor.code(1));
  }

  #endStream(): void {
    const cursor = this.#cursor;
    cursor.checkEnd();
    if (cursor.column > 0) {
      cursor.line++;
      cursor.lineStart = cursor.at;
    }
    this.#endBlocks();
    this.#queue.add(tokenOf("stream-end", cursor.line));
  }

  #fetchDirective(): void {
    this.#endBlocks();
    this.#queue.add(scanDirective(this.#cursor));
  }

  #fetchDocumentIndicator(): void {
    this.#endBlocks();
    this.#addIndicator(this.#cursor.code() === DASH ? "document-start" : "document-end", 3);
  }

  #endBlocks(): void {
    this.#unroll(NO_INDENT);
    this.#dropKey();
    this.#isKeyAllowed = false;
  }

  #openFlow(type: TokenType): void {
    const { nextNumber } = this.#queue;
    const key = this.#beginKey();
    this.#keys.push({ ...NO_KEY, tokenNumber: nextNumber });
    if (this.#keys.length - 1 > LEVELS_MAX) throw this.#cursor.error(`exceeded max depth of ${LEVELS_MAX}`);
    this.#isKeyAllowed = true;
    this.#addIndicator(type, 1, key);
  }

  #closeFlow(type: TokenType): void {
    this.#dropKey();
    if (this.#inFlow) this.#leaveFlow();
    this.#isKeyAllowed = false;
    this.#addIndicator(type, 1);
  }

  /** Brackets without any content are passed on at once, as in go-yaml, although they may be a key. */
  #leaveFlow(): void {
    const last = this.#keys.pop();
    const around = this.#keys.at(-1);
    if (around !== undefined && around.tokenNumber === last?.tokenNumber) around.isWaitedFor = false;
  }

  #fetchFlowEntry(): void {
    this.#dropKey();
    this.#isKeyAllowed = true;
    this.#addIndicator("flow-entry", 1);
  }

  #fetchBlockEntry(): void {
    // Within brackets the parser reports the error.
    if (!this.#inFlow) {
      if (!this.#isKeyAllowed)
        throw this.#cursor.error("block sequence entries are not allowed in this context");
      this.#roll(this.#cursor.column, "block-sequence-start");
    }
    this.#dropKey();
    this.#isKeyAllowed = true;
    this.#addIndicator("block-entry", 1);
  }

  #fetchKey(): void {
    if (!this.#inFlow) {
      if (!this.#isKeyAllowed) throw this.#cursor.error("mapping keys are not allowed in this context");
      this.#roll(this.#cursor.column, "block-mapping-start");
    }
    this.#dropKey();
    this.#isKeyAllowed = !this.#inFlow;
    this.#addIndicator("key", 1);
  }

  #fetchValue(): void {
    const key = this.#keys.at(-1);
    if (key !== undefined && this.#isPossible(key)) {
      this.#queue.insert(tokenOf("key", key.line), key.tokenNumber);
      this.#roll(key.column, "block-mapping-start", key);
      key.isPossible = false;
      this.#isKeyAllowed = false;
    } else {
      if (!this.#inFlow) {
        if (!this.#isKeyAllowed) throw this.#cursor.error("mapping values are not allowed in this context");
        this.#roll(this.#cursor.column, "block-mapping-start");
      }
      this.#isKeyAllowed = !this.#inFlow;
    }
    this.#addIndicator("value", 1);
  }

  #fetchBlockScalar(): void {
    this.#dropKey();
    this.#isKeyAllowed = true;
    this.#queue.add(scanBlockScalar(this.#cursor, this.#indent));
  }

  #fetchPlainScalar(): void {
    const key = this.#beginKey();
    const { token, isLineOver } = scanPlainScalar(this.#cursor, this.#inFlow, this.#indent + 1);
    this.#addNode(key, token);
    if (isLineOver) this.#isKeyAllowed = true;
  }

  /** Adds a token of so many characters. */
  #addIndicator(type: TokenType, length: number, key?: SimpleKey): void {
    const token = tokenOf(type, this.#cursor.line);
    token.key = key;
    this.#cursor.at += length;
    this.#queue.add(token);
  }

  #addNode(key: SimpleKey | undefined, token: Token): void {
    token.key = key;
    this.#queue.add(token);
  }

  /** Records that the next token may start a key; directly behind it no other one may. */
  #beginKey(): SimpleKey | undefined {
    if (!this.#isKeyAllowed) return undefined;
    this.#dropKey();
    const { at, line, column } = this.#cursor;
    const isRequired = !this.#inFlow && this.#indent === column;
    const tokenNumber = this.#queue.nextNumber;
    const key = { isPossible: true, isWaitedFor: true, isRequired, tokenNumber, at, line, column };
    this.#keys[this.#keys.length - 1] = key;
    this.#isKeyAllowed = false;
    return key;
  }

  /** A key is limited to one line and to KEY_LETTERS_MAX. */
  #isPossible(key: SimpleKey): boolean {
    if (!key.isPossible) return false;
    if (key.line === this.#cursor.line && !this.#isFarBehind(key)) return true;
    this.#giveUp(key);
    return false;
  }

  #isFarBehind({ at }: SimpleKey): boolean {
    const end = this.#cursor.at;
    if (end - at <= KEY_LETTERS_MAX) return false;
    // Letters beyond the BMP have two code units.
    return end - at > 2 * KEY_LETTERS_MAX || [...this.#cursor.text.slice(at, end)].length > KEY_LETTERS_MAX;
  }

  /** The possible key is none. */
  #dropKey(): void {
    const key = this.#keys.at(-1);
    if (key?.isPossible) this.#giveUp(key);
  }

  #giveUp(key: SimpleKey): void {
    if (key.isRequired) throw this.#cursor.error("could not find expected ':'");
    key.isPossible = false;
  }

  /** Starts a block if the indentation is larger than before; the token is inserted in front of a scanned key. */
  #roll(column: number, type: TokenType, key?: SimpleKey): void {
    if (this.#inFlow || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    if (this.#indents.length > LEVELS_MAX) throw this.#cursor.error(`exceeded max depth of ${LEVELS_MAX}`);
    if (key === undefined) this.#queue.add(tokenOf(type, this.#cursor.line));
    else this.#queue.insert(tokenOf(type, key.line), key.tokenNumber);
  }

  /** Ends the blocks with a larger indentation. */
  #unroll(column: number): void {
    if (this.#inFlow) return;
    while (this.#indent > column) {
      this.#queue.add(tokenOf("block-end", this.#cursor.line));
      this.#indent = this.#indents.pop() ?? NO_INDENT;
    }
  }
}

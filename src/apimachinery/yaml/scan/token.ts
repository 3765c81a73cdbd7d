// Tokens of a text.

export type TokenType =
  | "stream-end"
  | "version-directive"
  | "tag-directive"
  | "document-start"
  | "document-end"
  | "block-sequence-start"
  | "block-mapping-start"
  | "block-end"
  | "flow-sequence-start"
  | "flow-sequence-end"
  | "flow-mapping-start"
  | "flow-mapping-end"
  | "block-entry"
  | "flow-entry"
  | "key"
  | "value"
  | "alias"
  | "anchor"
  | "tag"
  | "scalar";

export interface Token {
  readonly type: TokenType;
  /** The line where it begins, from 0. */
  readonly line: number;
  /** The text of a scalar; the name of an alias or anchor; the handle of a tag; the number of a version. */
  readonly value: string;
  /** For a tag: the part behind its handle. For a directive: the prefix of its handle. */
  readonly suffix: string;
  /** For a scalar: it is neither quoted nor a block. */
  readonly isPlain: boolean;
  /** The possible key that starts with this token. */
  key: SimpleKey | undefined;
}

export const tokenOf = (type: TokenType, line: number, value = "", suffix = "", isPlain = false): Token => ({
  type,
  line,
  value,
  suffix,
  isPlain,
  key: undefined,
});

/** A possible key: it is one if ":" follows in the same line. */
export interface SimpleKey {
  /** False once it has turned out to be no key. */
  isPossible: boolean;
  /** Its first token is held back until that is known. */
  isWaitedFor: boolean;
  /** Only a key is valid here. */
  readonly isRequired: boolean;
  /** The number of its first token, counted over all tokens. */
  readonly tokenNumber: number;
  readonly at: number;
  readonly line: number;
  readonly column: number;
}

// Queue of tokens for the parser. A key is recognised only at its ":", and the key token is then inserted before its
// first token.

export class TokenQueue {
  /** The queue is from #head to #end; other elements are unused. */
  readonly #tokens: Token[] = [];
  #head = 0;
  #end = 0;
  /** Number of consumed tokens. */
  #taken = 0;

  get first(): Token | undefined {
    return this.#head < this.#end ? this.#tokens[this.#head] : undefined;
  }

  /** The number of the token that is added next, counted over all tokens. */
  get nextNumber(): number {
    return this.#taken + this.#end - this.#head;
  }

  add(token: Token): void {
    this.#tokens[this.#end] = token;
    this.#end++;
  }

  /** Inserts it before the token of that number; at the end if that has been consumed. */
  insert(token: Token, number: number): void {
    const tokens = this.#tokens;
    const place = number < this.#taken ? this.#end : this.#head + number - this.#taken;
    for (let index = this.#end; index > place; index--) tokens[index] = tokens[index - 1] ?? token;
    tokens[place] = token;
    this.#end++;
  }

  /** Consumes the first token, which must exist. */
  take(): void {
    this.#head++;
    this.#taken++;
    if (this.#head < this.#end) return;
    this.#head = 0;
    this.#end = 0;
  }
}

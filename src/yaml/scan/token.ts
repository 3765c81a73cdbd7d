// The words that a text is made of.

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
  /** Where it begins, from 0. */
  readonly line: number;
  /** Of a scalar; the name of an alias and of an anchor; the handle of a tag; the number of a version. */
  readonly value: string;
  /** Of a tag: what follows its handle. Of a directive: what the handle stands for. */
  readonly suffix: string;
  /** Of a scalar: it has no quotes and is no block. */
  readonly isPlain: boolean;
  /** What it is the first word of, if that may turn out to be a key. */
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

/** What stands here is a key if ":" follows in the same line. */
export interface SimpleKey {
  /** Not any more when it turned out to be something else. */
  isPossible: boolean;
  /** Its first token is not handed on before that is known. */
  isWaitedFor: boolean;
  /** Nothing else can stand here. */
  readonly isRequired: boolean;
  /** Of its first token, as all are counted. */
  readonly tokenNumber: number;
  readonly at: number;
  readonly line: number;
  readonly column: number;
}

// Tokens that wait for the parser. A key shows itself only by the ":" behind it, and is then put before its first token.

export class TokenQueue {
  /** Those that wait are from #head to #end; what is beyond is left over. */
  readonly #tokens: Token[] = [];
  #head = 0;
  #end = 0;
  /** How many were taken. */
  #taken = 0;

  get first(): Token | undefined {
    return this.#head < this.#end ? this.#tokens[this.#head] : undefined;
  }

  /** Of the token that is added next, as all are counted. */
  get nextNumber(): number {
    return this.#taken + this.#end - this.#head;
  }

  add(token: Token): void {
    this.#tokens[this.#end] = token;
    this.#end++;
  }

  /** Puts it before the token of that number; behind all when that has been taken. */
  insert(token: Token, number: number): void {
    const tokens = this.#tokens;
    const place = number < this.#taken ? this.#end : this.#head + number - this.#taken;
    for (let index = this.#end; index > place; index--) tokens[index] = tokens[index - 1] ?? token;
    tokens[place] = token;
    this.#end++;
  }

  /** Takes the first one, which has to be there. */
  take(): void {
    this.#head++;
    this.#taken++;
    if (this.#head < this.#end) return;
    this.#head = 0;
    this.#end = 0;
  }
}

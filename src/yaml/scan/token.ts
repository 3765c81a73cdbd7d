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

export class Token {
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
  key: SimpleKey | undefined = undefined;

  constructor(type: TokenType, line: number, value = "", suffix = "", isPlain = false) {
    this.type = type;
    this.line = line;
    this.value = value;
    this.suffix = suffix;
    this.isPlain = isPlain;
  }
}

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

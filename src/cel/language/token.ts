// The kinds of tokens of the expression language, in the order in which messages list what was expected.

/** Every kind with the name that messages use: quoted text, or the name of a class of tokens. */
const TOKEN_NAMES = [
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "']'",
  "'{'",
  "'}'",
  "'('",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'!'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  "'true'",
  "'false'",
  "'null'",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
  "ESC_IDENTIFIER",
] as const;

export const END_NAME = "<EOF>";

export type TokenKind = (typeof TOKEN_NAMES)[number] | typeof END_NAME;

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** The blanks and comments before it. */
  readonly blank: string;
  /** Code point offset of the first character. */
  readonly offset: number;
}

const ORDER = new Map<TokenKind, number>(TOKEN_NAMES.map((name, index) => [name, index]));

/** Sorts kinds as messages list them; the end of the text comes first. */
export const inTokenOrder = (a: TokenKind, b: TokenKind): number =>
  (ORDER.get(a) ?? -1) - (ORDER.get(b) ?? -1);

/** Words that are no variable names (they are field names). */
export const RESERVED_WORDS: ReadonlySet<string> = new Set([
  "as",
  "break",
  "const",
  "continue",
  "else",
  "false",
  "for",
  "function",
  "if",
  "import",
  "in",
  "let",
  "loop",
  "package",
  "namespace",
  "null",
  "return",
  "true",
  "var",
  "void",
  "while",
]);

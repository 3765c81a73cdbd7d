// Cuts an expression into tokens, always the longest that fits. Text that starts no token is an issue and is skipped
// up to and including the character that broke it, which is how the reference lexer goes on.
import type { Issue } from "./source.ts";

/** Every kind in the order in which messages list what was expected, with the name that they use. */
const TOKEN_NAMES =
  "<EOF> '==' '!=' 'in' '<' '<=' '>=' '>' '&&' '||' '[' ']' '{' '}' '(' ')' '.' ',' '-' '!' '?' ':' '+' '*' '/' '%' 'true' 'false' 'null' NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER ESC_IDENTIFIER";

type WordOf<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | WordOf<Rest> : Text;
export type TokenKind = WordOf<typeof TOKEN_NAMES>;

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** The blanks and comments before it. */
  readonly blank: string;
  /** Code point offset of the first character. */
  readonly offset: number;
}

const KINDS = TOKEN_NAMES.split(" ") as TokenKind[]; // what the type says
const isKind = (text: string): text is TokenKind => KINDS.includes(text as TokenKind);

/** Sorts kinds as messages list them. */
export const inTokenOrder = (a: TokenKind, b: TokenKind): number => KINDS.indexOf(a) - KINDS.indexOf(b);

/** Words that are no variable names (they are field names). */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);

const BLANK = /(?:[\t \r\n\f]|\/\/[^\n]*)*/y;
const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?${"`"}]|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-3][0-7]{2})`;
const BROKEN_ESCAPE = String.raw`\\(?:[xX][\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7}|[0-3][0-7]?)?`;
const inQuotes = (form: (quote: string) => string): string => `(?:${form('"')}|${form("'")})`;
const RAW = `[rR]${inQuotes((quote) => `(?:${quote}{3}[^]*?${quote}{3}|${quote}[^${quote}\n\r]*${quote})`)}`;
const PLAIN = inQuotes(
  (quote) =>
    `(?:${quote}{3}(?:[^\\\\]|${ESCAPE})*?${quote}{3}|${quote}(?:[^${quote}\\\\\n\r]|${ESCAPE})*${quote})`,
);
const STRING = `(?:${RAW}|${PLAIN})`;
const EXPONENT = String.raw`[eE][+-]?\d+`;

/** What a token looks like; the first that fits is taken. Words and symbols of the language are kinds of their own. */
const TOKENS: readonly (readonly [kind: TokenKind, pattern: RegExp])[] = [
  ["NUM_FLOAT", new RegExp(String.raw`\d*\.\d+(?:${EXPONENT})?|\d+${EXPONENT}`, "y")],
  ["NUM_UINT", /(?:0x[\da-fA-F]+|\d+)[uU]/y],
  ["NUM_INT", /0x[\da-fA-F]+|\d+/y],
  ["STRING", new RegExp(STRING, "y")],
  ["BYTES", new RegExp(`[bB]${STRING}`, "y")],
  ["ESC_IDENTIFIER", /`[\w./ -]+`/y],
  ["IDENTIFIER", /[A-Za-z_]\w*|[=!<>]=|&&|\|\||[[\]{}().,\-!?:+*/%<>]/y],
];

/** The longest beginning of a token that has no end. */
const UNFINISHED = new RegExp(
  `[=&|]|\`[\\w./ -]*|${inQuotes((quote) => `${quote}(?:[^${quote}\\\\\n\r]|${ESCAPE})*(?:${BROKEN_ESCAPE})?`)}`,
  "y",
);

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

export function tokenize(text: string): { tokens: Token[]; issues: Issue[] } {
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  let at = 0;
  let offset = 0;
  let blank = "";
  const take = (taken: string): void => {
    at += taken.length;
    for (const _point of taken) offset++;
  };
  for (;;) {
    const space = match(BLANK, text, at) ?? "";
    blank += space;
    take(space);
    if (at >= text.length) break;
    const token = tokenAt(text, at);
    if (token) {
      tokens.push({ ...token, blank, offset });
      take(token.text);
      blank = "";
    } else {
      const begun = match(UNFINISHED, text, at) ?? "";
      const next = text.codePointAt(at + begun.length);
      const broken = next === undefined ? begun : begun + String.fromCodePoint(next);
      issues.push({ offset, message: `Syntax error: token recognition error at: '${broken}'` });
      take(broken);
    }
  }
  tokens.push({ kind: "<EOF>", text: "<EOF>", blank, offset });
  return { tokens, issues };
}

function tokenAt(text: string, at: number): Pick<Token, "kind" | "text"> | undefined {
  for (const [kind, pattern] of TOKENS) {
    const found = match(pattern, text, at);
    if (found === undefined) continue;
    const word = `'${found}'`;
    return { kind: isKind(word) ? word : kind, text: found };
  }
  return undefined;
}

const NAME_ESCAPES = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);

/**
 * The name of a property as rules write it: what is no identifier, or reserved, is escaped ("a-b" is a__dash__b).
 * undefined if no rule can name it.
 */
export function escapeName(name: string): string | undefined {
  if (RESERVED_WORDS.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (part) => NAME_ESCAPES.get(part) ?? part);
}

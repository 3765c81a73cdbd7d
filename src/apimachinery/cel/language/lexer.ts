// Lexer: splits an expression into tokens, always the longest match. Invalid text is an issue and is skipped up to and
// including the offending character, as in the reference lexer.
import type { Issue } from "./source.ts";

/** All kinds in the order in which messages list expected tokens, with their names in messages. */
const TOKEN_NAMES =
  "<EOF> '==' '!=' 'in' '<' '<=' '>=' '>' '&&' '||' '[' ']' '{' '}' '(' ')' '.' ',' '-' '!' '?' ':' '+' '*' '/' '%' 'true' 'false' 'null' NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER ESC_IDENTIFIER";

/** The words of a text. */
export type WordOf<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | WordOf<Rest>
  : Text;
export type TokenKind = WordOf<typeof TOKEN_NAMES>;

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** The blanks and comments before it. */
  readonly blank: string;
  /** Code point offset of the first character. */
  readonly offset: number;
}

const ORDER = new Map(TOKEN_NAMES.split(" ").map((name, index) => [name, index]));
const isKind = (name: string): name is TokenKind => ORDER.has(name);

/** Sorts kinds as messages list them. */
export const inTokenOrder = (a: TokenKind, b: TokenKind): number => (ORDER.get(a) ?? 0) - (ORDER.get(b) ?? 0);

const RESERVED =
  "as break const continue else false for function if import in let loop package namespace null return true var void while";
/** Words that are no variable names (they are field names). */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(RESERVED.split(" "));

const BLANK = /(?:[\t \r\n\f]|\/\/[^\n]*)*/y;
const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?\x60]|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-3][0-7]{2})`;
const BROKEN_ESCAPE = String.raw`\\(?:[xX][\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7}|[0-3][0-7]?)?`;
/** A string without its closing quote. */
const beginning = (quote: string): string => `${quote}(?:[^${quote}\\\\\n\r]|${ESCAPE})*`;
/** Multi-line and single-line strings. */
const plain = (quote: string): string =>
  `${quote}{3}(?:[^\\\\]|${ESCAPE})*?${quote}{3}|${beginning(quote)}${quote}`;
const raw = (quote: string): string => `${quote}{3}[^]*?${quote}{3}|${quote}[^${quote}\n\r]*${quote}`;
const STRING = `[rR](?:${raw('"')}|${raw("'")})|${plain('"')}|${plain("'")}`;
const EXPONENT = String.raw`[eE][+-]?\d+`;

/** The pattern of each token; the first match is taken. Words and symbols of the language are kinds of their own. */
const FORMS: readonly (readonly [kind: TokenKind, form: string])[] = [
  ["NUM_FLOAT", String.raw`\d*\.\d+(?:${EXPONENT})?|\d+${EXPONENT}`],
  ["NUM_UINT", String.raw`(?:0x[\da-fA-F]+|\d+)[uU]`],
  ["NUM_INT", String.raw`0x[\da-fA-F]+|\d+`],
  ["STRING", STRING],
  ["BYTES", `[bB](?:${STRING})`],
  ["IDENTIFIER", String.raw`[A-Za-z_]\w*|[=!<>]=|&&|\|\||[[\]{}().,\-!?:+*/%<>]`],
  ["ESC_IDENTIFIER", "`[\\w./ -]+`"],
];
const TOKEN = new RegExp(FORMS.map(([, form]) => `(${form})`).join("|"), "y");

/** The longest beginning of a token that has no end. */
const UNFINISHED = new RegExp(
  `[=&|]|\`[\\w./ -]*|(?:${beginning('"')}|${beginning("'")})(?:${BROKEN_ESCAPE})?`,
  "y",
);

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

export function tokenize(text: string): { tokens: Token[]; issues: Issue[] } {
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  let offset = 0;
  let blank = "";
  for (let at = 0; ; ) {
    const space = matchAt(BLANK, text, at)?.[0] ?? "";
    at += space.length;
    offset += countPoints(space);
    blank += space;
    if (at >= text.length) break;
    const found = matchAt(TOKEN, text, at);
    const taken = found?.[0] ?? brokenAt(text, at);
    if (found) {
      tokens.push({ kind: kindOf(found), text: taken, blank, offset });
      blank = "";
    } else issues.push({ offset, message: `Syntax error: token recognition error at: '${taken}'` });
    at += taken.length;
    offset += countPoints(taken);
  }
  tokens.push({ kind: "<EOF>", text: "<EOF>", blank, offset });
  return { tokens, issues };
}

function countPoints(text: string): number {
  let count = 0;
  for (const _point of text) count++;
  return count;
}

function kindOf(found: RegExpExecArray): TokenKind {
  const word = `'${found[0]}'`;
  if (isKind(word)) return word;
  const form = found.findIndex((part, index) => index > 0 && part !== undefined) - 1;
  return FORMS[form]?.[0] ?? "IDENTIFIER";
}

/** Text that matches no token, with the offending character. */
function brokenAt(text: string, at: number): string {
  const begun = matchAt(UNFINISHED, text, at)?.[0] ?? "";
  const next = text.codePointAt(at + begun.length);
  return next === undefined ? begun : begun + String.fromCodePoint(next);
}

const NAME_ESCAPES = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);

/**
 * The name of a property in a rule: a name that is no identifier, or is reserved, is escaped ("a-b" is a__dash__b).
 * undefined if no rule can name it.
 */
export function escapeName(name: string): string | undefined {
  if (RESERVED_WORDS.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (part) => NAME_ESCAPES.get(part) ?? part);
}

const ESCAPED_PARTS = new Map([...NAME_ESCAPES].map(([part, escaped]) => [escaped, part]));

/** The property that a name in a rule refers to, plain or escaped; undefined for an unknown escape. */
export function unescapeName(name: string): string | undefined {
  if (!name.includes("__")) return name;
  let broken = false;
  const property = name.replace(/__([^_]+)__/g, (escaped, inner: string) => {
    const part = ESCAPED_PARTS.get(escaped);
    if (part !== undefined) return part;
    if (!RESERVED_WORDS.has(inner) || escaped !== name) broken = true;
    return inner;
  });
  return broken ? undefined : property;
}

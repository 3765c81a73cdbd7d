// Cuts an expression into tokens, always the longest that fits. Text that starts no token is an issue and is skipped
// up to and including the character that broke it, which is how the reference lexer goes on.
import type { Issue, Source } from "./source.ts";
import { END_NAME, type Token, type TokenKind } from "./token.ts";

/** Where a token ends, or the first character that fits no token (the text's length at its end). */
type Scan = { readonly kind: TokenKind; readonly end: number } | { readonly failedAt: number };

const SYMBOLS: readonly TokenKind[] = ["'['", "']'", "'{'", "'}'", "'('", "')'", "'.'", "','", "'-'"];
const MORE_SYMBOLS: readonly TokenKind[] = ["'?'", "':'", "'+'", "'*'", "'/'", "'%'"];
const SINGLE = new Map<string, TokenKind>(
  [...SYMBOLS, ...MORE_SYMBOLS].map((kind): [string, TokenKind] => [kind.slice(1, -1), kind]),
);
const WORDS = new Map<string, TokenKind>([
  ["in", "'in'"],
  ["true", "'true'"],
  ["false", "'false'"],
  ["null", "'null'"],
]);
const SPACE = new Set(["\t", " ", "\r", "\n", "\f"]);

const isDigit = (point: string | undefined): boolean => point !== undefined && point >= "0" && point <= "9";
const isHex = (point: string | undefined): boolean => point !== undefined && /^[\da-fA-F]$/.test(point);
const startsName = (point: string | undefined): boolean => point !== undefined && /^[A-Za-z_]$/.test(point);
const continuesName = (point: string | undefined): boolean => startsName(point) || isDigit(point);

export function tokenize(source: Source): { tokens: Token[]; issues: Issue[] } {
  const { points } = source;
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  let at = 0;
  let blank = "";
  for (;;) {
    const start = at;
    at = skipBlank(points, start);
    if (at > start) blank += source.slice(start, at);
    if (at >= points.length) break;
    const scan = scanToken(points, at);
    if ("failedAt" in scan) {
      const end = Math.min(scan.failedAt + 1, points.length);
      issues.push({
        offset: at,
        message: `Syntax error: token recognition error at: '${source.slice(at, end)}'`,
      });
      at = end;
    } else {
      tokens.push({ kind: scan.kind, text: source.slice(at, scan.end), blank, offset: at });
      at = scan.end;
      blank = "";
    }
  }
  tokens.push({ kind: END_NAME, text: END_NAME, blank, offset: points.length });
  return { tokens, issues };
}

function skipBlank(points: readonly string[], start: number): number {
  let at = start;
  for (;;) {
    while (SPACE.has(points[at] ?? "")) at++;
    if (points[at] !== "/" || points[at + 1] !== "/") return at;
    while (at < points.length && points[at] !== "\n") at++;
  }
}

function scanToken(points: readonly string[], start: number): Scan {
  const first = points[start] ?? "";
  if (isDigit(first) || (first === "." && isDigit(points[start + 1]))) return scanNumber(points, start);
  if (first === '"' || first === "'") return scanString(points, start, false, "STRING");
  if (startsName(first)) return scanPrefixedString(points, start) ?? scanName(points, start);
  if (first === "`") return scanEscapedName(points, start);
  return scanOperator(points, start, first);
}

function scanOperator(points: readonly string[], start: number, first: string): Scan {
  const next = points[start + 1];
  switch (first) {
    case "=":
      return next === "=" ? { kind: "'=='", end: start + 2 } : { failedAt: start + 1 };
    case "!":
      return next === "=" ? { kind: "'!='", end: start + 2 } : { kind: "'!'", end: start + 1 };
    case "<":
      return next === "=" ? { kind: "'<='", end: start + 2 } : { kind: "'<'", end: start + 1 };
    case ">":
      return next === "=" ? { kind: "'>='", end: start + 2 } : { kind: "'>'", end: start + 1 };
    case "&":
      return next === "&" ? { kind: "'&&'", end: start + 2 } : { failedAt: start + 1 };
    case "|":
      return next === "|" ? { kind: "'||'", end: start + 2 } : { failedAt: start + 1 };
    default: {
      const kind = SINGLE.get(first);
      return kind ? { kind, end: start + 1 } : { failedAt: start };
    }
  }
}

function scanName(points: readonly string[], start: number): Scan {
  let end = start + 1;
  while (continuesName(points[end])) end++;
  return { kind: WORDS.get(points.slice(start, end).join("")) ?? "IDENTIFIER", end };
}

function scanEscapedName(points: readonly string[], start: number): Scan {
  let end = start + 1;
  while (continuesName(points[end]) || [".", "-", "/", " "].includes(points[end] ?? "")) end++;
  return points[end] === "`" && end > start + 1
    ? { kind: "ESC_IDENTIFIER", end: end + 1 }
    : { failedAt: end };
}

function scanNumber(points: readonly string[], start: number): Scan {
  const digits = (from: number): number => {
    let end = from;
    while (isDigit(points[end])) end++;
    return end;
  };
  const isUnsigned = (end: number): boolean => points[end] === "u" || points[end] === "U";
  if (points[start] === "0" && points[start + 1] === "x" && isHex(points[start + 2])) {
    let end = start + 2;
    while (isHex(points[end])) end++;
    return isUnsigned(end) ? { kind: "NUM_UINT", end: end + 1 } : { kind: "NUM_INT", end };
  }
  const whole = digits(start);
  const fraction = points[whole] === "." && isDigit(points[whole + 1]) ? digits(whole + 1) : whole;
  let exponent = fraction;
  if (points[fraction] === "e" || points[fraction] === "E") {
    const sign = points[fraction + 1] === "+" || points[fraction + 1] === "-" ? 2 : 1;
    if (isDigit(points[fraction + sign])) exponent = digits(fraction + sign);
  }
  if (exponent > whole) return { kind: "NUM_FLOAT", end: exponent };
  return isUnsigned(whole) ? { kind: "NUM_UINT", end: whole + 1 } : { kind: "NUM_INT", end: whole };
}

/** A string with r, b or both before it; undefined if the letters are just a name. */
function scanPrefixedString(points: readonly string[], start: number): Scan | undefined {
  const bytes = points[start] === "b" || points[start] === "B";
  let quote = bytes ? start + 1 : start;
  const raw = points[quote] === "r" || points[quote] === "R";
  if (raw) quote++;
  if (points[quote] !== '"' && points[quote] !== "'") return undefined;
  const scan = scanString(points, quote, raw, bytes ? "BYTES" : "STRING");
  return "failedAt" in scan ? undefined : scan;
}

function scanString(points: readonly string[], quoteAt: number, raw: boolean, kind: TokenKind): Scan {
  const quote = points[quoteAt] ?? "";
  if (points[quoteAt + 1] === quote && points[quoteAt + 2] === quote) {
    const long = scanLongString(points, quoteAt + 3, quote, raw);
    if (long !== undefined) return { kind, end: long };
    return { kind, end: quoteAt + 2 }; // the empty string is what fits
  }
  let at = quoteAt + 1;
  for (; at < points.length; at++) {
    const point = points[at] ?? "";
    if (point === quote) return { kind, end: at + 1 };
    if (point === "\n" || point === "\r") break;
    if (point !== "\\" || raw) continue;
    const taken = escapeLength(points, at);
    if (taken <= 0) return { failedAt: at - taken };
    at += taken - 1;
  }
  return { failedAt: at };
}

function scanLongString(
  points: readonly string[],
  from: number,
  quote: string,
  raw: boolean,
): number | undefined {
  for (let at = from; at < points.length; at++) {
    if (points[at] === quote && points[at + 1] === quote && points[at + 2] === quote) return at + 3;
    if (points[at] !== "\\" || raw) continue;
    const taken = escapeLength(points, at);
    if (taken <= 0) return undefined;
    at += taken - 1;
  }
  return undefined;
}

/** How many characters an escape takes; when it is broken, minus the distance to the first wrong character. */
function escapeLength(points: readonly string[], at: number): number {
  const letter = points[at + 1] ?? "";
  const need = (count: number, fits: (point: string | undefined) => boolean, from = 2): number => {
    for (let index = 0; index < count; index++) if (!fits(points[at + from + index])) return -(from + index);
    return from + count;
  };
  if (letter !== "" && "abfnrtv\"'\\?`".includes(letter)) return 2;
  if (letter === "x" || letter === "X") return need(2, isHex);
  if (letter === "u") return need(4, isHex);
  if (letter === "U") return need(8, isHex);
  if (letter >= "0" && letter <= "3") return need(2, (point) => isDigit(point) && (point ?? "9") < "8");
  return -1;
}

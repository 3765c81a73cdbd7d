// Constants: numbers with their ranges, texts, bytes, true, false and null.
import { ESCAPE_LETTERS } from "../../go/strconv.ts";
import { Uint, type Value } from "../values/value.ts";
import { type Expr, literal } from "./ast.ts";
import type { Token } from "./lexer.ts";
import type { Issue } from "./source.ts";

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;

/** The literal at a position and its number of tokens; undefined if there is none. */
export function parseLiteral(
  tokens: readonly Token[],
  at: number,
  issues: Issue[],
): { expr: Expr; tokens: number } | undefined {
  const first = tokens[at];
  const negative = first?.kind === "'-'";
  const token = negative ? tokens[at + 1] : first;
  const read = token && (readNumber(token, negative) ?? (negative ? undefined : readOther(token)));
  if (!first || read === undefined) return undefined;
  if ("problem" in read) issues.push({ offset: first.offset, message: read.problem });
  return { expr: literal(first.offset, "problem" in read ? null : read.value), tokens: negative ? 2 : 1 };
}

type Read = { readonly value: Value } | { readonly problem: string };

function readNumber({ kind, text }: Token, negative: boolean): Read | undefined {
  if (kind === "NUM_INT") {
    const value = negative ? -BigInt(text) : BigInt(text);
    return value < INT_MIN || value > INT_MAX ? { problem: "invalid int literal" } : { value };
  }
  if (kind !== "NUM_FLOAT") return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return { problem: "invalid double literal" };
  return { value: negative ? -value : value };
}

function readOther({ kind, text }: Token): Read | undefined {
  switch (kind) {
    case "NUM_UINT": {
      const value = BigInt(text.slice(0, -1));
      return value > UINT_MAX ? { problem: "invalid uint literal" } : { value: new Uint(value) };
    }
    case "STRING": {
      const value = unquoteString(text);
      return value === undefined ? { problem: "invalid unicode code point" } : { value };
    }
    case "BYTES": {
      const value = unquoteBytes(text);
      return value === undefined ? { problem: "unable to unescape string" } : { value };
    }
    case "'true'":
    case "'false'":
      return { value: text === "true" };
    case "'null'":
      return { value: null };
    default:
      return undefined;
  }
}

const ESCAPE = /\\(?:[xX]([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|([0-3][0-7]{2})|(.))/gsu;
const CODE_POINT_MAX = 0x10ffff;

function strip(token: string): { text: string; raw: boolean } {
  const raw = /^[rR]/.test(token);
  const body = raw ? token.slice(1) : token;
  const quotes = body.length >= 6 && /^("""|''')/.test(body) ? 3 : 1;
  return { text: body.slice(quotes, -quotes), raw };
}

/** The text of a string token; undefined if an escape is no code point. */
function unquoteString(token: string): string | undefined {
  const { text, raw } = strip(token.replaceAll("\r\n", "\n"));
  if (raw) return text;
  let broken = false;
  const out = text.replace(ESCAPE, (_all, hex, short, long, octal, letter) => {
    if (letter !== undefined) return ESCAPE_LETTERS.get(letter) ?? letter;
    const code = octal === undefined ? Number.parseInt(hex ?? short ?? long, 16) : Number.parseInt(octal, 8);
    if (code > CODE_POINT_MAX || (code >= 0xd800 && code <= 0xdfff)) broken = true;
    return broken ? "" : String.fromCodePoint(code);
  });
  return broken ? undefined : out;
}

/** The bytes of a bytes token: UTF-8, with numeric escapes as single bytes. */
function unquoteBytes(token: string): Uint8Array | undefined {
  const { text, raw } = strip(token.slice(1));
  if (raw) return Buffer.from(text);
  const parts: Buffer[] = [];
  let last = 0;
  for (const match of text.matchAll(ESCAPE)) {
    const [all, hex, short, long, octal, letter] = match;
    if (short !== undefined || long !== undefined) return undefined; // bytes cannot contain code point escapes
    const code = hex === undefined ? Number.parseInt(octal ?? "", 8) : Number.parseInt(hex, 16);
    parts.push(Buffer.from(text.slice(last, match.index)));
    parts.push(
      letter === undefined ? Buffer.from([code]) : Buffer.from(ESCAPE_LETTERS.get(letter) ?? letter),
    );
    last = match.index + all.length;
  }
  parts.push(Buffer.from(text.slice(last)));
  return Buffer.concat(parts);
}

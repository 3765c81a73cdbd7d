// Constants: numbers with their ranges, texts, bytes, true, false and null.
import { Uint, type Value } from "../values/value.ts";
import { type Expr, literal } from "./ast.ts";
import type { Issue } from "./source.ts";
import type { Token } from "./token.ts";
import { unquoteBytes, unquoteString } from "./unquote.ts";

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;

/** The literal at a position and how many tokens it takes; undefined if there is none. */
export function parseLiteral(
  tokens: readonly Token[],
  at: number,
  issues: Issue[],
): { expr: Expr; tokens: number } | undefined {
  const first = tokens[at];
  const token = first?.kind === "'-'" ? tokens[at + 1] : first;
  if (!first || !token) return undefined;
  const negative = token !== first;
  const read = readLiteral(token, negative);
  if (read === undefined) return undefined;
  if ("problem" in read) issues.push({ offset: first.offset, message: read.problem });
  return { expr: literal(first.offset, "problem" in read ? null : read.value), tokens: negative ? 2 : 1 };
}

function readLiteral(token: Token, negative: boolean): { value: Value } | { problem: string } | undefined {
  const { kind, text } = token;
  if (kind === "NUM_INT") {
    const value = negative ? -BigInt(text) : BigInt(text);
    return value < INT_MIN || value > INT_MAX ? { problem: "invalid int literal" } : { value };
  }
  if (kind === "NUM_FLOAT") {
    const value = Number(text);
    if (!Number.isFinite(value)) return { problem: "invalid double literal" };
    return { value: negative ? -value : value };
  }
  return negative ? undefined : readUnsigned(kind, text);
}

function readUnsigned(kind: Token["kind"], text: string): { value: Value } | { problem: string } | undefined {
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
      return { value: true };
    case "'false'":
      return { value: false };
    case "'null'":
      return { value: null };
    default:
      return undefined;
  }
}
